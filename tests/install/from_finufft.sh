#!/usr/bin/env bash
# from_finufft.sh BUILD: installs BUILD to a temporary prefix, and does what docs/from-finufft.md says: its programs in C and C++,
# with its lines for CMake, against the installed drop-in. A program for the GPU's drop-in links as well.
set -euo pipefail
build=$1
page=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/docs/from-finufft.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | sed '1d;$d'; }

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
mkdir "$work/project"
cd "$work/project"
block c >mine.c
block cpp >mine.cpp
cat >gpu.c <<'C'
#include <cufinufft.h>
int main(void) { return cufinufft_destroy(0) == FINUFFT_ERR_PLAN_NOTVALID ? 0 : 1; }
C
lines=$(sed -n 's/^    \([a-z_]*(.*)\)$/\1/p' "$page")
{
  echo 'cmake_minimum_required(VERSION 3.25)'
  echo 'project(mine LANGUAGES C CXX)'
  echo 'add_executable(mine mine.cpp)'
  echo 'add_executable(mine_c mine.c)'
  echo 'add_executable(gpu gpu.c)'
  echo "$lines"
  echo 'find_package(cufinufft 2.5 CONFIG REQUIRED)'
  echo 'target_link_libraries(mine_c PRIVATE finufft::finufft m)'
  echo 'target_link_libraries(gpu PRIVATE cufinufft::cufinufft)'
} >CMakeLists.txt
grep -q 'find_package(finufft' CMakeLists.txt || { echo "docs/from-finufft.md has no lines for CMake"; exit 1; }
cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix" >log 2>&1 || { cat log; exit 1; }
cmake --build build >log 2>&1 || { cat log; exit 1; }
for program in mine mine_c gpu; do
  "build/$program" >/dev/null 2>&1 || { echo "$program fails"; exit 1; }
  echo "good: $program"
done
