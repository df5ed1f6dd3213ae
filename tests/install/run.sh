#!/usr/bin/env bash
# run.sh BUILD: installs BUILD to a temporary prefix, moves it, and uses it by find_package, by pkg-config and from the
# command line.
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"

cmake -G Ninja -S "$here" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/consumer" -- --quiet
"$work/consumer/consumer_cpp"
echo "find_package: good"

export PKG_CONFIG_PATH; PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name offgrid.pc)")
export LD_LIBRARY_PATH; LD_LIBRARY_PATH=$(pkg-config --variable=libdir offgrid)
cc -std=c99 -Wall -Wextra -pedantic -Werror "$here/consumer.c" $(pkg-config --cflags --libs offgrid) -o "$work/consumer_c"
"$work/consumer_c"
echo "pkg-config $(pkg-config --modversion offgrid): good"
unset LD_LIBRARY_PATH

if [[ -x $work/prefix/bin/offgrid ]]; then
  "$work/prefix/bin/offgrid" --help >/dev/null
  echo "program: good"
fi
