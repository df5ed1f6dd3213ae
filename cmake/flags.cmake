# The compiler's settings, the same for every target.
# No -ffast-math anywhere: the folds use double-double arithmetic, and a NaN must stay one. Contraction is off for the
# same reason, so that an a*b+c is fused where the code says MulAdd and nowhere else.
add_library(offgrid_flags INTERFACE)
target_compile_features(offgrid_flags INTERFACE cxx_std_20 c_std_99)
target_compile_options(offgrid_flags INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off -fno-math-errno -fno-trapping-math>
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>  # GCC bug 105651
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-error=array-bounds>  # comes and goes with the optimiser, often wrongly
  $<$<COMPILE_LANGUAGE:CUDA>:--Wno-deprecated-gpu-targets -Xcompiler=-Wall,-Wextra>)

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

if(OFFGRID_SANITIZE STREQUAL "address")
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(OFFGRID_SANITIZE STREQUAL "thread")
  set(sanitizers -fsanitize=thread -fno-omit-frame-pointer)
  # libomp opens Archer, which tells TSan of OpenMP's barriers, through TSan's dlopen: it looks where the program would.
  cmake_path(GET OpenMP_omp_LIBRARY PARENT_PATH archer_folder)
  list(APPEND CMAKE_BUILD_RPATH ${archer_folder})
elseif(OFFGRID_SANITIZE)
  message(FATAL_ERROR "OFFGRID_SANITIZE is \"${OFFGRID_SANITIZE}\"; expected address, thread or nothing")
endif()
if(OFFGRID_SANITIZE)
  add_compile_options(${sanitizers} -g $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)  # wrong with sanitizers
  add_link_options(${sanitizers})
endif()
if(OFFGRID_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
