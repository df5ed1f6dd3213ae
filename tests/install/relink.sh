# Sourced by tests that build the project otherwise without compiling it: other trees take the objects of the tree $build, and
# only link them. The caller has set $here, this folder, $build, and $work, an empty folder.
fail() { echo "$*" >&2; exit 1; }
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "failed: $*"; }; }
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

# configure_with_objects NAME SETTING..: the project in $work/NAME, libraries alone, with the objects of $build.
configure_with_objects() {
  local tree=$work/$1 object
  shift
  quietly cmake -G Ninja -S "$here/../.." -B "$tree" \
    -DOFFGRID_CUDA="$(cached OFFGRID_CUDA)" -DCMAKE_CUDA_COMPILER="$(cached CMAKE_CUDA_COMPILER)" \
    -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" \
    -DCMAKE_BUILD_TYPE="$(cached CMAKE_BUILD_TYPE)" \
    -DOFFGRID_PYTHON=OFF -DOFFGRID_CLI=OFF -DOFFGRID_MPI=OFF "$@"
  (cd "$build" && find . \( -path './src/*' -o -path './compat/*' \) -name '*.o') | while read -r object; do
    mkdir -p "$tree/$(dirname "$object")"
    ln -s "$(realpath "$build/$object")" "$tree/$object"
  done
}

# link_anew NAME TARGET..: all commands that make these but those that compile.
link_anew() {
  local name=$1
  shift
  (cd "$work/$name" && ninja -t commands "$@" | grep -v -- ' -c ' >link.sh && quietly bash -e link.sh)
}
