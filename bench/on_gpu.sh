#!/usr/bin/env bash
# on_gpu.sh FOLDER [STAGE..]: what continuous integration cannot show, since it has no GPU: builds afresh, runs every test and
# the measurements behind the documentation, and ends in a table of the stages. Logs and tables go to FOLDER.
#   bench/on_gpu.sh build/on_gpu                     all stages, in this order
#   bench/on_gpu.sh build/on_gpu build tests         some of them
# BASELINE and BASELINE_TYPE3 name CSV files of another library's times, which bench and type3 print ratios to. CLIENTS is a
# folder that tests/clients/fetch.sh has made.
# The packages that ./dev installs must be there, and for the Python parts cupy, torch or jax.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

declare -A about=(
  [build]="the release preset with the benchmarks, from nothing"
  [tests]="the whole of ctest"
  [sanitizers]="compute-sanitizer: memcheck of the plans' tests, racecheck of sums"
  [accuracy]="offgrid accuracy --quick"
  [bench]="fresh plans without hints, 114 cells"
  [adjoint]="the same cells by plans of the other type"
  [type3]="type 3, cell by cell; needs BASELINE_TYPE3 and cupy"
  [gram]="Gram operators against the pair of transforms; needs cupy"
  [mtip]="five seeds, and the paper's size"
  [ranks]="the paper's Table II on ranks that share the GPU"
  [dropin]="what the drop-in costs over the library's own interface, 114 cells"
  [clients]="programs written for cuFINUFFT, unchanged, on the drop-in; needs CLIENTS"
)
order=(build tests sanitizers accuracy bench adjoint type3 gram mtip ranks dropin clients)
if (($# == 0)); then
  sed -n '2,/^set /{/^#/s/^# \?//p}' "${BASH_SOURCE[0]}"
  for stage in "${order[@]}"; do printf '  %-12s %s\n' "$stage" "${about[$stage]}"; done
  exit 2
fi

mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
(($# > 0)) || set -- "${order[@]}"
tree=build/release
program=$tree/cli/offgrid
python=$(command -v python3)
export PYTHONPATH=$PWD/$tree/python
export XLA_PYTHON_CLIENT_PREALLOCATE=false  # jax would take most of the GPU from the others

build() {
  rm -rf "$tree"
  cmake --preset release -DOFFGRID_BENCH=ON -DPython_EXECUTABLE="$python"
  cmake --build "$tree" --parallel "$(nproc)"
}
tests() { ctest --preset release -j 8 --no-tests=error; }
sanitizers() {
  local plans='*ShortAxes*cuda*:*Cells*cuda*:*Type3*cuda*:*Gram*cuda*:*Inverse*cuda*:*Density*cuda*:*Algebra*cuda*'
  compute-sanitizer --tool memcheck --error-exitcode 9 "$tree/tests/test_cuda" --gtest_brief=1 \
    --gtest_filter='*owners*:GpuGramTest.of_lines_of_every_length'
  compute-sanitizer --tool memcheck --error-exitcode 9 "$tree/tests/test_plan" --gtest_brief=1 --gtest_filter="$plans"
  compute-sanitizer --tool racecheck --error-exitcode 9 "$tree/tests/test_plan" --gtest_brief=1 \
    --gtest_filter='*Density*cuda*:*Algebra*cuda*'
  compute-sanitizer --tool racecheck --error-exitcode 9 "$tree/tests/test_cuda" --gtest_brief=1 \
    --gtest_filter='GpuGramTest.can_be_captured:MethodsTest.results_that_owners_add_up*'
}
accuracy() { "$program" accuracy --quick --device cuda; }
cells() { "$program" bench --device cuda --repeats 3 --samples 16 "$@"; }
bench() { cells --csv "$folder/bench.csv" ${BASELINE:+--baseline "$BASELINE"}; }
adjoint() { cells --adjoint --csv "$folder/adjoint.csv"; }
type3() {
  "$python" bench/type3_time.py --library "$tree/src/api/liboffgrid.so" --baseline "$BASELINE_TYPE3" --csv "$folder/type3.csv"
}
gram() {
  "$python" bench/gram_time.py --library cupy
  "$python" bench/gram_time.py --library cupy --tol 1e-9 --dtype complex128
}
mtip() {
  for seed in 1 2 3 4 5; do "$program" mtip --device cuda --seed "$seed" --output "$folder/gauss-$seed"; done
  "$program" mtip --device cuda --size 81 --pixels 128 --images 2500 --output "$folder/m81"
}
dropin() { "$tree/bench/bench_compat_overhead" --device gpu --max-points 1e9 --seconds 3; }
clients() { tests/clients/run.sh "$CLIENTS" "$tree/compat/python" gpu "$python"; }
ranks() { RANKS="1 2" bench/table2_ranks.sh "$program" "$folder" --device cuda; }

status=0
results=()
for stage in "$@"; do
  [[ -n ${about[$stage]:-} ]] || { echo "there is no stage \"$stage\"; there are ${order[*]}" >&2; exit 2; }
  echo "== $stage: ${about[$stage]}"
  from=$SECONDS
  set +e  # a command that fails ends its stage and not the run
  (set -e; "$stage") >"$folder/$stage.log" 2>&1
  result=$?
  set -e
  tail -n 25 "$folder/$stage.log"
  ((result == 0)) || status=1
  how=passed
  ((result == 0)) || how="failed with $result, see $stage.log"
  results+=("$(printf '%-12s %5ds  %s' "$stage" $((SECONDS - from)) "$how")")
done
printf '%s\n' "${results[@]}" | tee "$folder/stages.txt"
exit $status
