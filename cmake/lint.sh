#!/usr/bin/env bash
# lint.sh [all]: format, layers and clang-tidy. The SIMD files of src/cpu are compiled once for each instruction set, which
# takes clang-tidy minutes; they are checked with `all`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
status=0
ours() { git ls-files -co --exclude-standard -- "$@" | sort -u; }

echo "offgrid: format"
ours '*.h' '*.c' '*.hpp' '*.cpp' '*.cu' '*.cuh' | xargs clang-format --dry-run -Werror || status=1
echo "offgrid: layers"
cmake/check_layers.sh || status=1

echo "offgrid: clang-tidy"
cmake --preset release -DOFFGRID_TESTS=ON -DOFFGRID_CLI=ON >/dev/null
folders=(src/core src/api src/registry.cpp oracle cli examples)
[[ ${1:-} != all ]] || folders+=(src/cpu)
ours "${folders[@]}" | grep -E '\.(cpp|c)$' | xargs -n 4 -P "$(nproc)" clang-tidy -p build/release --quiet \
  --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option 2>&1 |
  { grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header-filter' || true; } || status=1
exit $status
