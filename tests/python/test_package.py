"""The package itself: doctests, types, version, what it imports."""

import doctest
import importlib
import pathlib
import pydoc
import subprocess
import sys

import offgrid
import pytest

MODULES = ["", "._error", "._plan", "._cache", "._transforms", "._operator", "._gram", "._solve", ".torch", ".jax"]
ERRORS = ["AccuracyWarning", "ArgumentTypeError", "ArgumentValueError", "Error", "Status"]
FOLDER = pathlib.Path(offgrid.__file__).parent


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_run(module):
    if module in (".torch", ".jax"):
        pytest.importorskip(module[1:], reason=f"{module[1:]} is not installed")
    failed, run = doctest.testmod(importlib.import_module("offgrid" + module))
    assert run and not failed


def test_everything_public_has_an_example():
    public = [getattr(offgrid, name) for name in offgrid.__all__ + ERRORS]
    public += [value for name, value in vars(offgrid.Plan).items() if not name.startswith("_") and value.__doc__]
    for value in public:
        assert ">>> " in (value.__doc__ or ""), value


def test_types_travel_with_the_package():
    assert (FOLDER / "py.typed").exists()
    stub = (FOLDER / "_core.pyi").read_text()
    assert all(f"def {name}" in stub for name in ("set_points", "execute", "adjoint", "describe"))


def test_the_version_is_the_headers():
    header = pathlib.Path(__file__).parents[2] / "include/offgrid/version.h"
    assert f'define OFFGRID_VERSION "{offgrid.__version__}"' in header.read_text()


def test_importing_offgrid_imports_no_other_library_and_prints_nothing():
    program = "import sys, offgrid; sys.exit(any(name in sys.modules for name in ('torch', 'jax', 'cupy', 'scipy')))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, env={"PYTHONPATH": str(FOLDER.parent)})
    assert (found.returncode, found.stdout, found.stderr) == (0, b"", b"")


def test_help_shows_what_users_need():
    text = pydoc.plain(pydoc.render_doc(offgrid))
    assert len(text.splitlines()) < 560 and "inherited from" not in text
    for words in ("nufft1(", "nufft2(", "nufft3(", "spread(", "interpolate(", "class Plan", "LinearOperator(", "clear_cache",
                  "mode_order", "threads", *ERRORS):
        assert words in text, words
