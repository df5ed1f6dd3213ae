#!/usr/bin/env bash
# fetch.sh FOLDER [PYTHON]: downloads by pip what run.sh runs into FOLDER. packages/ gets the clients and what their tests import,
# without numpy, scipy and torch, which PYTHON has, and without finufft and cufinufft, which the drop-in is; sdists/ gets the
# tests themselves. The tests and examples of FINUFFT are those of 2.3.1, the last version whose sdist holds them.
set -euo pipefail
folder=$1
python=${2:-python3}
clients=(nifty-ls==1.1.0 mri-nufft==1.5.1 pytorch-finufft==0.1.0)
tests=('pytest<8' iniconfig pluggy packaging pytest-cases decopatch makefun pytest-benchmark py-cpuinfo)
imports=(tqdm typing_extensions astropy astropy-iers-data pyerfa pyyaml
  matplotlib contourpy cycler fonttools kiwisolver pillow pyparsing 'python-dateutil<3' six)

mkdir -p "$folder"
"$python" -m pip install -q --no-deps --no-compile --upgrade --target "$folder/packages" \
  "${clients[@]}" "${tests[@]}" "${imports[@]}"
"$python" -m pip download -q --no-deps --no-binary nifty-ls,mri-nufft,pytorch-finufft,finufft \
  -d "$folder/sdists" "${clients[@]}" finufft==2.3.1
for archive in "$folder"/sdists/*.tar.gz; do tar -xzf "$archive" -C "$folder/sdists"; done
