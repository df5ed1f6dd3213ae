"""The program `offgrid` and the package read the same files in the same way: NPY is numpy's format."""
import pathlib
import subprocess

import numpy as np
import pytest

import offgrid

PROGRAM = pathlib.Path(offgrid.__file__).absolute().parents[2] / "cli" / "offgrid"
pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built beside the package")


def solve(folder, command, *arguments):
    """What `offgrid inverse` and `offgrid weights` do through the C interface."""
    subprocess.run([PROGRAM, command, "--device", "cpu", "--points", folder / "points.npy",
                    "--output", folder / "output.npy", *arguments], check=True)
    return np.load(folder / "output.npy")


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


def save(folder, dtype, **given):
    real = np.zeros(0, dtype).real.dtype
    for name, array in given.items():
        np.save(folder / f"{name}.npy", array.astype(dtype if np.iscomplexobj(array) else real))


@pytest.mark.parametrize("dtype, close", [("complex64", 3e-5), ("complex128", 1e-11)])
@pytest.mark.parametrize("shape", [(20,), (14, 9)])
def test_density_weights_and_inverse_are_the_same_in_c_and_in_python(tmp_path, dtype, close, shape):
    """To rounding: Python's loops are written with the operators of arrays, those of C are the library's own."""
    random = np.random.default_rng(1)
    sizes, count = ",".join(map(str, shape)), 8 * int(np.prod(shape))
    coils = random.normal(size=(2, *shape)) + 1j * random.normal(size=(2, *shape))
    many = random.normal(size=(2, count)) + 1j * random.normal(size=(2, count))
    points = random.uniform(-np.pi, np.pi, (count, len(shape)))
    save(tmp_path, dtype, points=points, values=many[0], many=many, coils=coils)
    points, values, many, coils = (np.load(tmp_path / f"{name}.npy") for name in ("points", "values", "many", "coils"))

    weights = offgrid.density_weights(points, shape, 5, rtol=0)
    found = solve(tmp_path, "weights", "--modes", sizes, "--iterations", "5", "--rtol", "0")
    assert found.dtype == weights.dtype and np.linalg.norm(found - weights) < close * np.linalg.norm(weights)

    np.save(tmp_path / "weights.npy", weights)
    tol = 1e-5 if dtype == "complex64" else 1e-9
    common = "--modes", sizes, "--iterations", "4", "--rtol", "0", "--regularisation", "0.01", "--tolerance", str(tol)
    given = dict(weights=weights, tol=tol, iterations=4, rtol=0, regularisation=0.01)
    files = "--weights", tmp_path / "weights.npy"
    one = solve(tmp_path, "inverse", *common, *files, "--values", tmp_path / "values.npy")
    expected = offgrid.inverse(values, points, shape, **given)
    assert one.dtype == expected.dtype and np.linalg.norm(one - expected) < close * np.linalg.norm(expected)
    files += "--coils", tmp_path / "coils.npy"
    sense = solve(tmp_path, "inverse", *common, *files, "--values", tmp_path / "many.npy")
    expected = offgrid.inverse(many, points, shape, coils=coils, **given)
    assert np.linalg.norm(sense - expected) < close * np.linalg.norm(expected)
