#!/usr/bin/env bash
# compat.sh LIBFINUFFT LIBCUFINUFFT: the drop-ins show the functions of the peers, 48 and a constant, and 45, and nothing else.
set -euo pipefail
symbols=$(dirname "${BASH_SOURCE[0]}")/symbols.sh
cpu=$(echo finufft{,f}_{default_opts,makeplan,setpts,execute,execute_adjoint,destroy} finufft{,f}{1,2,3}d{1,2,3}{,many} FINUFFT_FFT_DEFAULT)
gpu=$(echo cufinufft_default_opts cufinufft{,f}_{makeplan,setpts,execute,destroy} cufinufft{,f}{1,2,3}d{1,2,3}{,many})
[[ $(wc -w <<<"$cpu") == 49 && $(wc -w <<<"$gpu") == 45 ]]
"$symbols" "$1" "$cpu"
"$symbols" "$2" "$gpu"
