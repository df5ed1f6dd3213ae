#!/usr/bin/env bash
# needs.sh FILE: fails where the dynamic loader needs a part of CUDA to load FILE. What a GPU needs is loaded when it is used,
# so that the same file runs on machines without one.
set -euo pipefail
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[[ -n $needed ]] || { echo "$1 needs nothing: readelf failed?"; exit 1; }
if parts=$(grep -E '^lib(cu|nv)' <<<"$needed"); then
  echo "$(basename "$1") needs ${parts//$'\n'/, }"
  exit 1
fi
echo "$(basename "$1") needs" $needed
