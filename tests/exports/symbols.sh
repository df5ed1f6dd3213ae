#!/usr/bin/env bash
# symbols.sh LIBRARY NAMES: fails unless the symbols that LIBRARY shows are exactly NAMES. NAMES is a text of names, or a
# header, which stands for the functions that it declares with OFFGRID_API.
set -euo pipefail
library=$1
if [[ -f $2 ]]; then
  expected=$(sed -n 's/^OFFGRID_API .*[ *]\(offgrid_[a-z0-9_]*\)(.*/\1/p' "$2" | LC_ALL=C sort)
else
  expected=$(tr ' ' '\n' <<<"$2" | LC_ALL=C sort)
fi
shown=$(nm -D --defined-only --format=posix "$library" | cut -d' ' -f1 | LC_ALL=C sort)
if [[ $shown != "$expected" ]]; then
  echo "$(basename "$library") shows $(wc -l <<<"$shown") symbols, expected $(wc -l <<<"$expected"). Differences:"
  diff <(echo "$expected") <(echo "$shown") | c++filt | grep '^[<>]' | head -n 40
  exit 1
fi
echo "$(basename "$library"): $(wc -l <<<"$shown") symbols, as expected"
