#!/usr/bin/env bash
# readme.sh BUILD [PYTHON]: installs BUILD to a temporary prefix and does what README.md says, with its programs and its
# command lines as they stand there, in an environment that has nothing but the search paths. PYTHON: one that has numpy, for
# the Python program with the package of the build tree.
set -euo pipefail
build=$1 python=${2:-}
readme=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/README.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }

# block LANGUAGE: the program of README in this language.
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$readme" | sed '1d;$d'; }
# lines HEADING: the indented lines below this heading, a line that ends in a backslash joined with the next.
lines() { sed -n "/^## $1\$/,/^## [^#]/p" "$readme" | sed -n 's/^    //p' | sed -e ':a' -e '/\\$/N; s/\\\n//; ta'; }

cmake --install "$build" --prefix "$work/prefix" >/dev/null
lib=$(dirname "$(dirname "$(find "$work/prefix" -name offgrid.pc)")")
mkdir "$work/project"
cd "$work/project"
clean() {
  env -i PATH="$work/prefix/bin:$PATH" HOME="$work" PKG_CONFIG_PATH="$lib/pkgconfig" \
    LD_LIBRARY_PATH="$lib" "$@"
}
# run COMMAND: a line of README.
run() {
  clean bash -c "$1" </dev/null >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "README.md says, and it fails: $1"; }
  echo "good: $1"
}
# run_a_while COMMAND [VARIABLE=VALUE..]: a line that measures for minutes; it is stopped after some seconds, and until then it
# must not fail.
run_a_while() {
  local line=$1 status=0; shift
  clean "$@" timeout 5 bash -c "$line" </dev/null >"$work/log" 2>&1 || status=$?
  [[ $status == 0 || $status == 124 ]] || { cat "$work/log" >&2; fail "README.md says, and it fails: $line"; }
  echo "good: $line"
}
# run_on_ranks COMMAND: a line for mpirun, where that is found and the program was built with MPI. OpenMPI is told that it may
# start more ranks than there are cores, as root in a container, and where there is no ssh.
run_on_ranks() {
  if ! command -v mpirun >/dev/null || [[ -z $(find "$work/prefix" -name 'liboffgrid_mpi*') ]]; then
    echo "skipped, there is no MPI: $1"
    return
  fi
  run_a_while "$1" OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe \
    OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_plm_rsh_agent=sh OMPI_MCA_btl_vader_single_copy_mechanism=none
}

block c >mine.c
block cpp >mine.cpp
compilations=$(lines "In your project" | grep -E '^(cc|c\+\+) ') || fail "README.md has no line that compiles"
while read -r line; do
  rm -f a.out
  run "$line"
  clean ./a.out >/dev/null || fail "the program of this line fails: $line"
done <<<"$compilations"
[[ $(wc -l <<<"$compilations") == 2 ]] || fail "README.md: expected one line for C and one for C++, found $compilations"

# Older standards are refused in one line that says what to do.
! clean c++ -std=c++17 -fsyntax-only mine.cpp $(clean pkg-config --cflags offgrid) 2>"$work/log" || fail "C++17 compiles"
[[ $(grep -m1 'error' "$work/log") == *"offgrid.hpp needs C++20: compile with -std=c++20"* ]] || { cat "$work/log"; fail "C++17"; }
echo "good: C++17 is refused in words"

{
  echo 'cmake_minimum_required(VERSION 3.25)'
  echo 'project(mine LANGUAGES CXX)'
  echo 'add_executable(mine mine.cpp)'
  lines "In your project" | grep -E '^[a-z_]+\(.*\)$'
} >CMakeLists.txt
grep -q find_package CMakeLists.txt || fail "README.md has no lines for CMake"
run "cmake -S . -B build -DCMAKE_PREFIX_PATH='$work/prefix' && cmake --build build && build/mine"

# npy FILE TYPE SHAPE BYTES: an array of zeros.
npy() {
  local header; header=$(printf "%-117s" "{'descr': '$2', 'fortran_order': False, 'shape': $3, }")
  { printf '\x93NUMPY\x01\x00\x76\x00%s\n' "$header"; head -c "$4" /dev/zero; } >"$1"
}
if [[ -x $work/prefix/bin/offgrid ]]; then
  npy points.npy '<f8' '(1000, 2)' 16000
  npy strengths.npy '<c16' '(1000,)' 16000
  commands=$(lines "From the command line" | grep -E '^(offgrid|mpirun) ') || fail "README.md has no command lines of the program"
  while read -r line; do
    line=${line%%#*}
    case $line in
      mpirun*) run_on_ranks "$line" ;;
      *' bench '* | *' accuracy '*) run_a_while "$line" ;;
      *) run "$line" ;;
    esac
  done <<<"$commands"
  [[ -s modes.npy && -s offgrid-demo.png ]] || fail "the program left no modes.npy or offgrid-demo.png"
fi

if [[ -n $python ]]; then
  block python >mine.py
  run "PYTHONPATH='$build/python' PYTHONDONTWRITEBYTECODE=1 '$python' mine.py"
fi

for file in LICENSE README.md CHANGELOG.md docs/index.md docs/options.md docs/adr/0001-own-fft.md examples/readme_c.c \
  examples/readme_cpp.cpp examples/readme_python.py examples/mri.py; do
  [[ -s $work/prefix/share/doc/offgrid/$file ]] || fail "share/doc/offgrid/$file is not installed"
done
echo "good: licence, documentation and examples are installed"
