"""A tolerance out of reach: one AccuracyWarning at the caller's line, an error with strict, silence where it is reached."""

import warnings

import numpy as np
import offgrid
import pytest

X, C = np.linspace(-3, 3, 50), np.ones(50, complex)


def caught_in(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(warning.category is offgrid.AccuracyWarning for warning in caught)
    return caught


def test_a_plan_out_of_reach_warns_at_the_callers_line():
    def make():
        offgrid.Plan(1, (64, 64), tol=1e-18)
    found, = caught_in(make)
    assert found.filename == __file__ and found.lineno == make.__code__.co_firstlineno + 1
    assert "tolerance 1e-18 cannot be reached here" in str(found.message)


def test_a_loop_over_one_problem_warns_once():
    def loop():
        for _ in range(5):
            offgrid.nufft1(X, C, 64, tol=1e-17)
    offgrid.clear_cache()
    found, = caught_in(loop)
    assert found.filename == __file__


def test_what_is_named_as_reachable_is_reached():
    plan = None
    with pytest.warns(offgrid.AccuracyWarning):
        plan = offgrid.Plan(1, (64, 64), tol=1e-9, dtype="complex64")
    assert not caught_in(lambda: offgrid.Plan(1, (64, 64), tol=1.01 * plan.get("reachable_tolerance"), dtype="complex64"))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("shape", [16, 1000, (64, 64), (512, 512), (32, 32, 32), 0, (0, 4)])
def test_the_default_tolerance_is_silent(dtype, shape):
    assert not caught_in(lambda: offgrid.Plan(1, shape, dtype=dtype))


def test_strict_raises():
    with pytest.raises(ValueError, match="only .* can be reached"):
        offgrid.Plan(1, (64, 64), tol=1e-18, strict=True)


def test_warnings_as_errors_leave_nothing_behind():
    offgrid.clear_cache()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(offgrid.AccuracyWarning):
                offgrid.nufft1(X, C, 64, tol=1e-17)


def test_points_far_away():
    """Coordinates are folded exactly up to 1e9, and refused beyond."""
    assert np.allclose(offgrid.nufft1(X + 2 * np.pi * 10**6, C, 64), offgrid.nufft1(X, C, 64), atol=1e-6)
    offgrid.nufft1(np.full(50, 1e9), C, 64)
    with pytest.raises(ValueError, match="larger than 1e9"):
        offgrid.nufft1(np.full(50, 1.1e9), C, 64)
