# cmake -DCMAKE_CUDA_COMPILER=<nvcc> -P check_gpus.cmake: fails unless gpus.cmake takes the GPUs that it should.
cmake_minimum_required(VERSION 3.25)

# expect(<asked> <native> <wanted>): the lists are separated by spaces.
function(expect asked native wanted)
  string(REPLACE " " ";" OFFGRID_CUDA_ARCHITECTURES "${asked}")
  string(REPLACE " " ";" CMAKE_CUDA_ARCHITECTURES_NATIVE "${native}")
  include(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/gpus.cmake)
  string(REPLACE ";" " " found "${OFFGRID_GPUS}")
  if(NOT found STREQUAL wanted)
    message(FATAL_ERROR "asked for \"${asked}\" beside \"${native}\" gives \"${found}\", expected \"${wanted}\"")
  endif()
endfunction()

expect("native" "90-real" "90-real")
expect("native" "80-real 86-real" "80-real 86-real")
expect("native" "" "80-virtual 90")                   # no GPU: code for all of them
expect("native" "75-real" "80-virtual 90")            # older than offgrid knows
expect("native" "75-real 89-real" "89-real")
expect("native" "999-real" "80-virtual 90")           # newer than nvcc knows: the driver compiles PTX for it
expect("100-real" "90-real" "100-real")
