#!/usr/bin/env bash
# wheel.sh BUILD PYTHON: what `pip install ./compat/python` puts beside other packages, in a folder that stands alone: the
# packages finufft and cufinufft with the libraries in them, which find each other and need nothing of BUILD. PYTHON has
# numpy. The objects are those of BUILD, and are only linked anew.
set -euo pipefail
build=$1 python=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$here/relink.sh"

configure_with_objects wheel -DSKBUILD=ON -DOFFGRID_COMPAT=ON -DOFFGRID_TESTS=OFF -DBUILD_SHARED_LIBS=ON
link_anew wheel offgrid finufft cufinufft
site=$work/site
quietly cmake --install "$work/wheel" --prefix "$site" --component compat_python
for name in finufft cufinufft; do cp -rn "$here/../../compat/python/$name" "$site"; done  # wheel.packages of pyproject.toml
rm -rf "$work/wheel"

cd "$work"
env -i PATH="$PATH" HOME="$work" PYTHONPATH="$site" PYTHONDONTWRITEBYTECODE=1 "$python" - "$site" <<'TEXT'
import sys
from importlib.metadata import version

import cufinufft
import finufft
import numpy as np

for package in (finufft, cufinufft):
    assert package.__file__.startswith(sys.argv[1]), package.__file__
    assert version(package.__name__) == package.__version__ + "+offgrid", version(package.__name__)
x = np.linspace(-3, 3, 100)
modes = finufft.nufft1d1(x, np.exp(1j * x), 20, eps=1e-9)
truth = [np.sum(np.exp(1j * x * (1 + k))) for k in range(-10, 10)]
assert np.linalg.norm(modes - truth) <= 1e-9 * np.linalg.norm(truth)
try:
    cufinufft.Plan(1, (20,), 1, 1e-9, 1, "complex128")
except RuntimeError as error:  # where there is no GPU it says so
    print("cufinufft:", error)
print("wheel: good")
TEXT
