"""The examples of the package, in small: each says by its exit status whether what it shows is so, and draws a picture."""

import pathlib
import subprocess
import sys

import kinds
import offgrid
import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
PACKAGE = pathlib.Path(offgrid.__file__).parents[1]


def run(folder, name, *flags):
    if not EXAMPLES.exists():
        pytest.skip("the examples are not here")
    found = subprocess.run([sys.executable, EXAMPLES / f"{name}.py", *flags, "--output", "picture.png"], cwd=folder,
                           capture_output=True, text=True, env={"PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"})
    assert found.returncode == 0, found.stdout + found.stderr
    head = (folder / "picture.png").read_bytes()[:24]
    assert head.startswith(b"\x89PNG") and int.from_bytes(head[16:20], "big") > 60
    return found.stdout


def test_the_program_of_the_readme():
    if not EXAMPLES.exists():
        pytest.skip("the examples are not here")
    subprocess.run([sys.executable, EXAMPLES / "readme_python.py"], check=True, env={"PYTHONPATH": str(PACKAGE)})


def test_mri(tmp_path):
    pytest.importorskip("scipy", reason="scipy is not installed")
    assert "conjugate gradients" in run(tmp_path, "mri", "--pixels", "64", "--steps", "20")


@pytest.mark.parametrize("library", ["numpy", "torch", "cupy"])
def test_sense(tmp_path, library):
    pytest.importorskip("scipy", reason="scipy is not installed")
    try:
        if library != "numpy":
            kinds.KINDS[{"torch": "torch-cuda"}.get(library, library)]()
            kinds.need_gpu_engine()
    except kinds.Absent as reason:
        pytest.skip(str(reason))
    assert f"ms on {library}" in run(tmp_path, "sense", "--pixels", "64", "--repeats", "2", "--library", library)


def test_density_slices(tmp_path):
    run(tmp_path, "density_slices", "--particles", "20000", "--modes", "32", "--pixels", "50")


def test_radio(tmp_path):
    assert "without w" in run(tmp_path, "radio", "--sources", "60", "--times", "12", "--pixels", "80")


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_sampling_points(tmp_path, library):
    try:
        kinds.need(library)
    except kinds.Absent as reason:
        pytest.skip(str(reason))
    pytest.importorskip("scipy", reason="scipy is not installed")
    assert library in run(tmp_path, "sampling_points", "--pixels", "24", "--points", "400", "--steps", "20",
                          "--library", library)


@pytest.mark.parametrize("name, missing", [("mri", "scipy"), ("mri", "numpy"), ("density_slices", "offgrid"),
                                           ("sampling_points", "scipy"), ("sampling_points", "torch or jax")])
def test_an_example_says_what_is_missing(tmp_path, name, missing):
    if not EXAMPLES.exists():
        pytest.skip("the examples are not here")
    hidden = ["torch", "jax"] if " or " in missing else [missing]
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nfor name in {hidden}: sys.modules[name] = None\n")
    if missing == "torch or jax":
        pytest.importorskip("scipy", reason="scipy is not installed")
    found = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], cwd=tmp_path, capture_output=True, text=True,
                           env={"PYTHONPATH": f"{tmp_path}:{PACKAGE}", "PYTHONDONTWRITEBYTECODE": "1"})
    assert found.returncode == 1 and f"this example needs {missing}: pip install" in found.stderr
    assert "Traceback" not in found.stderr
