"""What a call makes of memory: the result and nothing of its size beside it, and nothing with out=. How long a call
takes is measured by bench/python_overhead.py."""

import tracemalloc

import numpy as np
import offgrid
import pytest

MODES = 1 << 14
RESULT = 16 * MODES  # bytes


def peak_of(call):
    """Bytes that Python and numpy hold at most during a call, over those before it."""
    call()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("type", [1, 2])
def test_a_call_makes_its_result_and_no_copies(type, random):
    plan = offgrid.Plan(type, MODES)
    plan.set_points(random.uniform(-3, 3, MODES))
    data, out = random.normal(size=MODES) + 1j, np.zeros(MODES, complex)
    for call in (plan.execute, plan.adjoint):
        assert RESULT <= peak_of(lambda call=call: call(data)) < 1.5 * RESULT
        assert peak_of(lambda call=call: call(data, out)) < 0.1 * RESULT
