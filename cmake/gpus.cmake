# For which GPUs the CUDA engine is built (docs/adr/0011-which-gpus.md): OFFGRID_GPUS is the list of compute capabilities that
# OFFGRID_CUDA_ARCHITECTURES asks for, "native" resolved, and OFFGRID_GPUS_WHY says where it comes from.
set(OFFGRID_CUDA_ARCHITECTURES native CACHE STRING
    "Compute capabilities, such as 80-real;90 (without -real with PTX for later GPUs too), or native: the GPUs that are here")
set(oldest 80)  # oldest_capability of src/cuda/architectures.hpp
set(for_all_gpus 80-virtual 90)

if(NOT OFFGRID_CUDA_ARCHITECTURES STREQUAL "native")
  set(OFFGRID_GPUS ${OFFGRID_CUDA_ARCHITECTURES})
  set(OFFGRID_GPUS_WHY "as asked for")
  foreach(entry IN LISTS OFFGRID_GPUS)
    if(NOT entry MATCHES "^([0-9]+)[af]?(-real|-virtual)?$" OR CMAKE_MATCH_1 LESS oldest)
      message(FATAL_ERROR "OFFGRID_CUDA_ARCHITECTURES has \"${entry}\"; expected native, or compute capabilities from "
                          "${oldest} on, such as 80-real;90")
    endif()
  endforeach()
  return()
endif()

# What CMake found when it tried the compiler, as far as offgrid and this nvcc can compile for it.
execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
set(OFFGRID_GPUS)
set(others)
foreach(entry IN LISTS CMAKE_CUDA_ARCHITECTURES_NATIVE)
  string(REGEX MATCH "[0-9]+" capability ${entry})
  if(capability LESS oldest OR NOT known MATCHES "compute_${capability}\n")
    list(APPEND others ${capability})
  else()
    list(APPEND OFFGRID_GPUS ${entry})
  endif()
endforeach()
if(OFFGRID_GPUS)
  set(OFFGRID_GPUS_WHY "of the GPU that is here")
else()
  set(OFFGRID_GPUS ${for_all_gpus})
  set(OFFGRID_GPUS_WHY "for all from 8.0 on, since no GPU is here")
endif()
if(others)
  string(APPEND OFFGRID_GPUS_WHY "; not for ${others}, which offgrid or this nvcc cannot compile for")
endif()
