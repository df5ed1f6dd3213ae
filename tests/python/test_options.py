"""The options in Python: the generated module is the library's table, signatures name them all, and words have both
spellings."""

import inspect
import pathlib
import re
import subprocess
import sys
from typing import get_args

import numpy as np
import offgrid
import oracle
import pytest
from offgrid import _options

ROOT = pathlib.Path(__file__).parents[2]
NAMES = [name for name in re.findall(r"^(\w+) \(", offgrid.options(), re.MULTILINE) if name not in ("transforms", "device")]


def functions():
    yield from (offgrid.nufft1, offgrid.nufft2, offgrid.nufft3, offgrid.Plan)
    for library in ("torch", "jax"):
        try:
            module = __import__(f"offgrid.{library}", fromlist=["nufft1"])
        except ImportError:
            continue
        yield from (module.nufft1, module.nufft2, module.nufft3)


def test_the_generated_module_is_the_librarys_table():
    printed = subprocess.run([sys.executable, ROOT / "docs/options_python.py"], capture_output=True, text=True, check=True,
                             env={"PYTHONPATH": str(pathlib.Path(offgrid.__file__).parents[1])}).stdout
    assert printed == (ROOT / "python/offgrid/_options.py").read_text(), "out of date; write it anew with: ./dev docs"


def test_every_option_is_in_every_signature():
    for function in functions():
        parameters = inspect.signature(function).parameters
        assert [name for name in NAMES + ["device"] if name not in parameters] == [], function
        assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters.values())


def test_the_defaults_in_the_signatures_are_the_librarys():
    for settings in ({"shape": (40, 30)}, {"shape": (500,), "dtype": "complex64", "tol": 1e-4}):
        plain, spelled = offgrid.Plan(2, **settings), offgrid.Plan(2, **settings, **_options.DEFAULTS)
        assert plain.describe() == spelled.describe()


@pytest.mark.parametrize("word", ["centred", "centered"])
def test_both_spellings_of_centred(random, word):
    points, data = oracle.random_points(random, 1, 9), oracle.random_complex(random, 9)
    assert np.array_equal(offgrid.nufft1(points, data, 8, mode_order=word), offgrid.nufft1(points, data, 8))
    assert not np.array_equal(offgrid.nufft1(points, data, 8, mode_order=word), offgrid.nufft1(points, data, 8, mode_order="fft"))


def test_every_number_of_a_plan_has_a_name():
    plan, type3 = offgrid.Plan(1, (8, 8), points_hint=100), offgrid.Plan(3, 1)
    for each, lacking in ((plan, {"targets"}), (type3, set())):
        with pytest.raises(ValueError) as caught:
            each.get("colour")
        listed = str(caught.value).partition("there are: ")[2].split(", ")
        assert listed == [name for name in get_args(_options.Number) if name not in lacking] and len(listed) > 8
    listed = [name for name in get_args(_options.Number) if name != "targets"]
    assert all(np.isfinite(plan.get(name)) for name in listed)
    with pytest.raises(TypeError, match="expected one of upsampling"):
        plan.get(3)


def test_describe_has_the_order_of_shape():
    plan = offgrid.Plan(1, (32, 40, 500), points_hint=1000)
    words = plan.describe()
    grid = [int(plan.get(name)) for name in ("grid3", "grid2", "grid1")]
    assert "32 x 40 x 500 modes" in words
    assert "grid         " + " x ".join(map(str, grid)) in words and grid[2] > grid[1] > grid[0]
