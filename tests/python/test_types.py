"""The types, by mypy --strict and by pyright: right programs are accepted as they stand, and of the wrong ones exactly the
lines that are marked are refused. The package itself passes mypy --strict."""

import functools
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import offgrid
import pytest

PROGRAMS = pathlib.Path(__file__).parent / "types"
PACKAGE = pathlib.Path(offgrid.__file__).parents[1]
LIBRARIES = [name for name in ("numpy", "mpi4py", "torch", "jax") if importlib.util.find_spec(name)]
QUICK = [name for name in LIBRARIES if name in ("numpy", "mpi4py")]


def need(module):
    pytest.importorskip(module, reason=f"{module} is not installed")


def run(*command, **settings):
    return subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "MYPYPATH": str(PACKAGE), "PYTHONPATH": str(PACKAGE)}, **settings)


def programs(*libraries):
    return [PROGRAMS / f"{kind}_{library}.py" for library in libraries for kind in ("right", "wrong")]


@functools.cache
def mypy():
    """{(file, line): message} of the programs with numpy and mpi4py and of the package; torch would take it minutes. The
    package hands arrays of all libraries on as Any."""
    need("mypy")
    done = run("-m", "mypy", "--strict", "--no-warn-return-any", "--no-error-summary", "--cache-dir", os.devnull, *programs(*QUICK))
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(r"^(?:.*/)?(\w+\.pyi?):(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    return {(name, int(line)): message for name, line, message in found}


@functools.cache
def pyright():
    """The same for the programs with all libraries."""
    need("pyright")
    with tempfile.TemporaryDirectory() as folder:
        for program in programs(*LIBRARIES):
            shutil.copy(program, folder)
        pathlib.Path(folder, "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(PACKAGE)]}))
        try:
            done = run("-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", folder)
            told = json.loads(done.stdout)
        except (json.JSONDecodeError, subprocess.TimeoutExpired):
            pytest.skip("pyright does not run: it needs Node.js, which pip installs with pyright[nodejs]")
    return {(pathlib.Path(each["file"]).name, each["range"]["start"]["line"] + 1): each["message"]
            for each in told["generalDiagnostics"] if each["severity"] == "error"}


CASES = pytest.mark.parametrize("checker, library", [*((mypy, library) for library in QUICK), *((pyright, library) for library in LIBRARIES)],
                                ids=[*(f"mypy-{library}" for library in QUICK), *(f"pyright-{library}" for library in LIBRARIES)])


@CASES
def test_right_programs_are_accepted(checker, library):
    assert {place: words for place, words in checker().items() if place[0] == f"right_{library}.py"} == {}


@CASES
def test_wrong_lines_are_refused_and_no_others(checker, library):
    name = f"wrong_{library}.py"
    marked = {number for number, line in enumerate((PROGRAMS / name).read_text().splitlines(), 1) if line.endswith("# wrong")}
    assert marked and {line for file, line in checker() if file == name} == marked


def test_the_package_passes_mypy_strict():
    """But for the stub of the extension, which nanobind writes."""
    ours = {place: words for place, words in mypy().items() if not place[0].endswith(("_numpy.py", "_mpi4py.py", ".pyi"))}
    assert ours == {}


def test_the_right_program_runs():
    need("typing_extensions")
    need("scipy")
    done = run(PROGRAMS / "right_numpy.py")
    assert done.returncode == 0, done.stderr
