#!/usr/bin/env bash
# The layers that CONTRIBUTING.md draws, as rules on #include lines. The include roots catch most of it when compiling; this
# also catches "../" paths, angle brackets, and OpenMP outside of its file. Prints each offence, fails if there is one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
offences=0

# rule ALLOWED WHERE..: what WHERE includes, as it is written, must match ALLOWED. Standard headers always do.
standard='HWY_TARGET_INCLUDE|<[a-z_0-9]+>|<(complex|math|stddef|stdint|stdio|stdlib|string)\.h>'
rule() {
  local allowed=$1; shift
  local files; files=$(find "$@" -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' 2>/dev/null || true)
  [[ -n $files ]] || return 0
  report "may not be included here" "$(grep -nE '^ *# *include' /dev/null $files |
    grep -vE "include *($standard|[<\"]($allowed)[^>\"]*[>\"])" || true)"
}
report() { [[ -z $2 ]] || { sed "s|\$|   <- $1|" <<<"$2"; offences=1; }; }

rule 'offgrid/' include
rule 'core/' src/core
rule 'core/|cpu/|hwy/|sys/|omp\.h|pthread\.h' src/cpu
rule 'hwy/|(immintrin|arm_neon)\.h' src/highway
rule 'core/|cuda/|cub/|nvtx3/|cu(da|fft)[a-z_]*\.h|dlfcn\.h|link\.h' src/cuda
rule 'core/|registry\.hpp|[a-z]+/engine\.hpp' src/registry.hpp src/registry.cpp
rule 'api/|core/|registry\.hpp|offgrid/' src/api
rule 'mpi/|offgrid/|core/|cpu/|mpi\.h|mpi-ext\.h' src/mpi/*.?pp src/mpi/without_cuda
rule 'mpi/|offgrid/|core/|cuda/|cub/|cuda_runtime_api\.h|dlfcn\.h' src/mpi/cuda
rule 'oracle/' oracle
rule '((accuracy|bench|demo|files|picture)/)?[a-z_0-9]+\.hpp|mtip/|offgrid/|oracle/|CLI/|sys/|[a-z_0-9]+\.h' cli
rule 'offgrid/' examples
rule 'common/|(cu)?finufft/|(cu)?finufft[a-z_]*\.h|finufft_common/|offgrid/|cu(_|da_runtime_api|Complex)[a-z_]*\.h|(complex|cuComplex)\.h|cuda_runtime_api\.h' compat/common compat/finufft compat/cufinufft compat/include
rule 'offgrid/|nanobind/|(gpu|gram|memory|no_gil|only_thread)\.hpp|cuda_runtime_api\.h' python/src

report 'OpenMP belongs in src/cpu/threads.cpp' "$(grep -rnE '# *pragma +omp|omp\.h|\bomp_[a-z]+ *\(' src oracle cli include python |
  grep -v '^src/cpu/threads.cpp:' || true)"
report 'a path that leaves its folder' "$(grep -rnE '# *include *[<"]\.\./' src oracle cli include tests examples bench || true)"
report 'the library never prints' "$(grep -rnE 'std::(cout|cerr|clog)|\bf?printf *\(' src | grep -v snprintf || true)"
exit $offences
