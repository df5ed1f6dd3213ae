#!/usr/bin/env bash
# without_highway.sh: where pkg-config finds no Highway, the project configures all the same, its SIMD files compile with the
# vectors of src/highway, and the installed library names no libhwy. Few files are compiled: test_highway shows that these
# vectors are right.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { cat "$work/log" >&2; echo "$*" >&2; exit 1; }
configure() {
  PKG_CONFIG_LIBDIR=$work PKG_CONFIG_PATH='' cmake -G Ninja -S "$here/../.." -B "$work/build" -DBUILD_SHARED_LIBS=OFF \
    -DOFFGRID_CUDA=OFF -DOFFGRID_PYTHON=OFF -DOFFGRID_CLI=OFF -DOFFGRID_TESTS=OFF "$@" >"$work/log" 2>&1
}

configure || fail "it cannot be configured without Highway"
grep -q 'CPU engine  yes: .*without Highway' "$work/log" || fail "the summary does not say that Highway is missing"
! grep -q hwy "$work/build/package/offgrid.pc" || fail "offgrid.pc names libhwy"
object=src/cpu/CMakeFiles/offgrid_cpu.dir/instructions.cpp.o
cmake --build "$work/build" --target "$object" >"$work/log" 2>&1 || fail "instructions.cpp does not compile"
nm -C "$work/build/$object" >"$work/log"
grep -q 'cpu::N_AVX2::\|cpu::N_NEON::' "$work/log" || fail "it has no code for more than one instruction set"
! grep -q ' U hwy::' "$work/log" || fail "it needs libhwy"
echo "good: without Highway"

! configure -DOFFGRID_HIGHWAY=ON || fail "OFFGRID_HIGHWAY=ON is taken where Highway is missing"
grep -q 'libhwy-dev' "$work/log" || fail "the message does not name the package"
echo "good: -DOFFGRID_HIGHWAY=ON insists"
