#!/usr/bin/env bash
# killed.sh MPIRUN.. PROGRAM: one of three ranks is killed while the others wait for it in a sum. The job must end soon, fail, and say
# so.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
OFFGRID_TEST_KILL=1 timeout 60 "$@" --gtest_filter='Killed.*' >"$log" 2>&1
status=$?
if ((status == 0 || status == 124)); then
  cat "$log"
  echo "the job ended with status $status, expected a failure in time"
  exit 1
fi
grep -qiE 'rank 1|killed|signal' "$log" || { cat "$log"; echo "no message names the rank that was killed"; exit 1; }
