"""A call from Python costs at most 15 microseconds more than from C; bench/python_overhead.py says how it is measured."""

import importlib.util
import pathlib

import pytest
from conftest import made

BENCH = pathlib.Path(__file__).parents[2] / "bench" / "python_overhead.py"


@pytest.mark.parametrize("name", ["numpy", "torch", "cupy", "torch cuda"])
def test_the_cost_of_a_call(name):
    if not BENCH.exists():
        pytest.skip("the benchmark is not here")
    spec = importlib.util.spec_from_file_location("python_overhead", BENCH)
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    made(name.replace(" ", "-"))  # or skipped
    times = bench.measure(bench.KINDS[name], rounds=30, loops=50)
    assert times["Python"] - times["C"] <= bench.LIMIT
