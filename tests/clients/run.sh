#!/usr/bin/env bash
# run.sh FOLDER DROP_IN [cpu|gpu] [PYTHON]: runs programs that were written for FINUFFT and cuFINUFFT, unchanged, on the drop-in,
# and prints a table. FOLDER is what fetch.sh made; no network is needed. DROP_IN is the folder that holds the packages finufft
# and cufinufft: BUILD/compat/python of a build tree, or where pip put them. PYTHON has numpy and scipy, and torch for
# pytorch-finufft; for gpu also cupy. Logs stay in FOLDER/logs. Fails where a test fails that known_failures.txt does not list, or
# where nothing was run.
set -euo pipefail
known=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/known_failures.txt
folder=$(cd "$1" && pwd)
drop_in=$(cd "$2" && pwd)
on=${3:-cpu}
python=$(command -v "${4:-python3}")
[[ $python == /* ]] || python=$PWD/$python
sdists=$folder/sdists
logs=$folder/logs/$on
mkdir -p "$logs"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONPATH=$drop_in:$folder/packages PYTHONDONTWRITEBYTECODE=1 OMP_WAIT_POLICY=passive MPLBACKEND=Agg
status=0

has() { "$python" -c "import $1" 2>/dev/null; }
row() { printf '%-18s %-8s %-26s %8s  %s\n' "$@"; }

# is_known CLIENT FAILURE: whether known_failures.txt lists it; FAILURE is the line of pytest's summary without its first word.
is_known() {
  local side client start
  while read -r side client start; do
    [[ $side == "$on" && $client == "$1" && $2 == "$start"* ]] && return 0
  done <"$known"
  return 1
}

# The failures that pytest's summary lists; further up a captured log may have lines that look like these.
failures_in() { sed -n '/short test summary info/,$p' "$1" | grep -E '^(FAILED|ERROR) '; }

# judge CLIENT LOG: how many of the failures are known, and which ones are not; those make the run fail.
judge() {
  local failure expected=0
  while read -r _ failure; do
    if is_known "$1" "$failure"; then
      expected=$((expected + 1))
    else
      echo "  not known to fail: $failure"
      status=1
    fi
  done < <(failures_in "$2" | sort -u)
  ((expected == 0)) || echo "  $expected known to fail (known_failures.txt)"
}

# client NAME VERSION WHAT FOLDER ARGUMENTS..: pytest in a copy of FOLDER, in which nothing hides the drop-in.
client() {
  local name=$1 version=$2 what=$3 tests=$4 from=$SECONDS result code=0
  local log=$logs/$name-${what// /_}.log
  shift 4
  cp -r "$tests" "$work/$name"
  (cd "$work/$name" && COLUMNS=1000 "$python" -m pytest -q -rfE -p no:cacheprovider "$@") >"$log" 2>&1 || code=$?
  result=$(sed -En '/^(=+ )?[0-9]+ .* in [0-9.]+s/{s/^=+ //;s/ in [0-9.]+s.*//;p}' "$log" | tail -n 1)
  row "$name" "$version" "$what" $((SECONDS - from))s "${result:-nothing ran, see $log}"
  [[ $result == *passed* ]] || status=1
  judge "$name" "$log"
  # 1: tests failed, which the summary lists. Over 1 pytest has not come to its end.
  ((code == 0)) || { ((code == 1)) && [[ -n $(failures_in "$log") ]]; } || status=1
  rm -rf "${work:?}/$name"
}

examples() {
  local from=$SECONDS passed=0 failed=0
  for program in "$sdists"/finufft-2.3.1/python/finufft/examples/*.py; do
    if "$python" "$program" >"$logs/example-$(basename "$program").log" 2>&1; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      status=1
    fi
  done
  row finufft 2.3.1 examples $((SECONDS - from))s "$passed passed, $failed failed"
}

pytorch() {
  if ! has torch; then
    row pytorch-finufft 0.1.0 "$1" 0s "skipped: $python has no torch"
    return
  fi
  client pytorch-finufft 0.1.0 "$1" "$sdists/pytorch_finufft-0.1.0/tests" -k "$2"
}

# With the peer's own package in DROP_IN the table says how the peer does.
"$python" -c "import finufft; print('finufft', finufft.__version__, 'over offgrid', getattr(finufft, 'offgrid_version', None))"
row client version what time tests
if [[ $on == cpu ]]; then
  examples
  client finufft 2.3.1 'python tests' "$sdists/finufft-2.3.1/python/finufft/test"
  client nifty-ls 1.1.0 'all tests' "$sdists/nifty_ls-1.1.0/tests" --benchmark-skip
  client mri-nufft 1.5.1 'operators and density' "$sdists/mri_nufft-1.5.1/tests" --backend finufft \
    -k 'finufft and not cufinufft or test_density.py' operators/test_interfaces.py operators/test_batch.py operators/test_update.py \
    operators/test_density_for_op.py operators/test_orc.py operators/test_subspace.py test_density.py
  pytorch 'all tests' 'not cuda'
else
  has cupy || { echo "$python has no cupy"; exit 2; }
  # Other plugins of PYTHON may not fit the pytest in FOLDER.
  export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTEST_PLUGINS=pytest_cases.plugin,pytest_benchmark.plugin
  frameworks=(--framework cupy)
  has torch && frameworks+=(--framework torch)
  cp -r "$sdists/finufft-2.3.1/python/cufinufft/examples" "$work/examples"  # test_examples.py runs them from here
  client cufinufft 2.3.1 'python tests, examples' "$sdists/finufft-2.3.1/python/cufinufft/tests" "${frameworks[@]}"
  client nifty-ls 1.1.0 'cufinufft' "$sdists/nifty_ls-1.1.0/tests" --benchmark-skip -k cufinufft
  client mri-nufft 1.5.1 'operators and density' "$sdists/mri_nufft-1.5.1/tests" --backend cufinufft -k 'cufinufft or test_density.py' \
    operators/test_interfaces.py operators/test_batch.py operators/test_update.py operators/test_density_for_op.py \
    operators/test_stacked_gpu.py test_density.py
  pytorch 'cuda' cuda
fi
exit $status
