#!/usr/bin/env bash
# table2_ranks.sh PROGRAM FOLDER [WORDS..]: the paper's Table II on 1, 2, 4 and 8 ranks of this machine, one thread for each rank:
# `mpirun -n RANKS PROGRAM bench --mpi WORDS --csv FOLDER/mpi_RANKS.csv`. `bench/paper.py draw --out FOLDER` makes a table of them.
#   bench/table2_ranks.sh build/release/cli/offgrid build/paper --points-divisor 10
#   RANKS="1 2" bench/table2_ranks.sh build/release/cli/offgrid build/paper --device cuda
set -euo pipefail
program=$1 folder=$2
shift 2
mkdir -p "$folder"
flags=()
if mpirun --version | grep -qE 'Open MPI|OpenRTE'; then  # more ranks than cores, and root in a container
  flags=(--oversubscribe --allow-run-as-root --bind-to none)
fi
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
for ranks in ${RANKS:-1 2 4 8}; do
  mpirun "${flags[@]}" -n "$ranks" "$program" bench --mpi "$@" --csv "$folder/mpi_$ranks.csv"
done
