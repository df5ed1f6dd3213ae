"""The program `offgrid` and the package read the same files in the same way: NPY is numpy's format."""
import pathlib
import subprocess

import numpy as np
import pytest

import offgrid

PROGRAM = pathlib.Path(offgrid.__file__).absolute().parents[2] / "cli" / "offgrid"
pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built beside the package")


def run(folder, *arguments):
    subprocess.run([PROGRAM, "run", "--device", "cpu", "--tolerance", "1e-9", "--points", folder / "points.npy",
                    "--input", folder / "input.npy", "--output", folder / "output.npy", *arguments], check=True)
    return np.load(folder / "output.npy")


@pytest.mark.parametrize("shape", [(20,), (14, 9), (6, 10, 7)])
@pytest.mark.parametrize("layout", ["columns", "rows"])
def test_program_and_package_agree_on_the_same_files(tmp_path, shape, layout):
    random = np.random.default_rng(1)
    points = random.uniform(-np.pi, np.pi, (100, len(shape)))
    strengths = random.normal(size=(2, 100)) + 1j * random.normal(size=(2, 100))
    np.save(tmp_path / "points.npy", points if layout == "columns" else np.ascontiguousarray(points.T))
    np.save(tmp_path / "input.npy", strengths)

    sizes = ",".join(map(str, shape))
    modes = run(tmp_path, "--type", "1", "--modes", sizes)
    assert modes.shape == (2, *shape)
    np.testing.assert_allclose(modes, offgrid.nufft1(tuple(points.T), strengths, shape, tol=1e-9), atol=1e-6)

    np.save(tmp_path / "input.npy", np.asfortranarray(modes))
    back = run(tmp_path, "--type", "2", "--modes", sizes)
    np.testing.assert_allclose(back, offgrid.nufft2(tuple(points.T), modes, tol=1e-9), atol=1e-4)
