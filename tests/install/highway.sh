#!/usr/bin/env bash
# highway.sh BUILD: Highway under a prefix of its own, as conda, spack or a home directory has it. All that includes its
# headers must be told where they are, and an installed library must find libhwy there, shared or static. The objects are
# those of BUILD, and are only linked anew.
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$here/relink.sh"

highway=$work/highway
mkdir -p "$highway/include" "$highway/lib/pkgconfig"
cp -r "$(pkg-config --variable=includedir libhwy)/hwy" "$highway/include"
cp -P "$(pkg-config --variable=libdir libhwy)"/libhwy.* "$highway/lib"
sed "s|^prefix=.*|prefix=$highway|; s|^libdir=.*|libdir=$highway/lib|; s|^includedir=.*|includedir=$highway/include|" \
  "$(pkg-config --variable=pcfiledir libhwy)/libhwy.pc" >"$highway/lib/pkgconfig/libhwy.pc"

# configure NAME SETTING..: a tree with this Highway.
configure() {
  local name=$1
  shift
  PKG_CONFIG_PATH=$highway/lib/pkgconfig configure_with_objects "$name" -DOFFGRID_COMPAT=OFF "$@"
}

# link_and_install NAME: the library of this tree, into $work/NAME_prefix.
link_and_install() {
  link_anew "$1" offgrid
  quietly cmake --install "$work/$1" --prefix "$work/$1_prefix"
}

# use NAME: the library in $work/NAME_prefix by find_package and pkg-config, where nothing tells them of Highway.
use() {
  local prefix=$work/$1_prefix
  quietly cmake -G Ninja -S "$here" -B "$work/$1_consumer" -DCMAKE_PREFIX_PATH="$prefix"
  quietly cmake --build "$work/$1_consumer"
  "$work/$1_consumer/consumer_cpp" || fail "$1: the program made by find_package fails"
  local PKG_CONFIG_PATH; PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name offgrid.pc)")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046
  quietly cc -std=c99 "$here/consumer.c" $(pkg-config --cflags --libs offgrid) -o "$work/$1_consumer_c"
  LD_LIBRARY_PATH=$(pkg-config --variable=libdir offgrid):$highway/lib "$work/$1_consumer_c" || fail "$1: pkg-config"
}

uses_copy() {
  [[ -e $highway/lib/libhwy.so ]] || return 0  # an archive is inside
  local found; found=$(ldd "$1" | grep libhwy) || true
  [[ $found == *"$highway/lib"* ]] || fail "$1 takes libhwy from elsewhere: $found"
}

configure static -DBUILD_SHARED_LIBS=OFF -DOFFGRID_TESTS=ON
while read -r source; do
  grep -q -- "$highway/include .*$source" "$work/static/compile_commands.json" || fail "$source is not told where Highway is"
done < <(cd "$here/../.." && grep -l '#include [<"]hwy/' src/*/*.cpp tests/*/*.cpp | grep -v '^tests/highway/')  # has src/highway
link_and_install static
use static
uses_copy "$work/static_consumer/consumer_cpp"
echo "static: good"

configure shared -DBUILD_SHARED_LIBS=ON -DOFFGRID_TESTS=OFF
link_and_install shared
uses_copy "$(find "$work/shared_prefix" -name 'liboffgrid.so')"
! grep -rl hwy "$work/shared_prefix" --include='offgridTargets*.cmake' --include=offgrid.pc || fail "shared: a user needs Highway"
use shared
echo "shared: good"
