#!/usr/bin/env bash
# from_finufft.sh BUILD: installs BUILD to a temporary prefix, and does what docs/from-finufft.md says: its programs in C and C++,
# with its lines for CMake, against the installed drop-in. Programs for the GPU's drop-in link in projects that find the package
# finufft alone, as IPPL does, or cufinufft alone. The one that transforms needs CUDA's headers, and to run it a GPU.
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
page=$here/../../docs/from-finufft.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | sed '1d;$d'; }
# project NAME: begins the project, a folder with a CMakeLists.txt, and goes there.
project() {
  mkdir "$work/$1"
  cd "$work/$1"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' "project($1 LANGUAGES C CXX)" >CMakeLists.txt
}
compiles() {
  cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix" >log 2>&1 || { cat log >&2; fail "cmake fails"; }
  cmake --build build >log 2>&1 || { cat log >&2; fail "it does not compile"; }
}
# runs PROGRAM: 77 of a program means that there is no GPU.
runs() {
  local status=0
  "build/$1" >log 2>&1 || status=$?
  case $status in
    0) echo "good: $1" ;;
    77) echo "linked, and not run without a GPU: $1" ;;
    *) cat log >&2; fail "$1 fails with $status" ;;
  esac
}

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"

project page
block c >mine.c
block cpp >mine.cpp
{
  echo 'add_executable(mine mine.cpp)'
  echo 'add_executable(mine_c mine.c)'
  sed -n 's/^    \([a-z_]*(.*)\)$/\1/p' "$page"
  echo 'target_link_libraries(mine_c PRIVATE finufft::finufft m)'
} >>CMakeLists.txt
grep -q 'find_package(finufft' CMakeLists.txt || fail "docs/from-finufft.md has no lines for CMake"
compiles
runs mine
runs mine_c

project finufft_alone
cat >>CMakeLists.txt <<'CMAKE'
find_package(finufft CONFIG REQUIRED)
if(NOT TARGET cufinufft::cufinufft)
  message(FATAL_ERROR "the package finufft has no target cufinufft::cufinufft")
endif()
file(WRITE ${CMAKE_BINARY_DIR}/both.c [[
#include <cufinufft.h>
#include <finufft.h>
int main(void) { return cufinufft_destroy(0) == FINUFFT_ERR_PLAN_NOTVALID && finufft_destroy(0) == 1 ? 0 : 1; }
]])
add_executable(both ${CMAKE_BINARY_DIR}/both.c)
target_link_libraries(both PRIVATE finufft::finufft cufinufft::cufinufft)
CMAKE
compiles
runs both

project cufinufft_alone
cat >>CMakeLists.txt <<'CMAKE'
find_package(cufinufft 2.5 CONFIG REQUIRED)
find_package(CUDAToolkit QUIET)
file(WRITE ${CMAKE_BINARY_DIR}/null.c [[
#include <cufinufft.h>
int main(void) { return cufinufft_destroy(0) == FINUFFT_ERR_PLAN_NOTVALID ? 0 : 1; }
]])
add_executable(null ${CMAKE_BINARY_DIR}/null.c)
target_link_libraries(null PRIVATE cufinufft::cufinufft)
if(CUDAToolkit_FOUND)
  add_executable(on_gpu on_gpu.c)
  target_link_libraries(on_gpu PRIVATE cufinufft::cufinufft CUDA::cudart m)
endif()
CMAKE
cp "$here/on_gpu.c" .
compiles
runs null
if [[ -x build/on_gpu ]]; then
  runs on_gpu
else
  echo "not compiled without CUDA's headers: on_gpu"
fi
