"""A plan's life: states, reuse, pickling, and a state machine that mixes them."""

import pickle

import hypothesis.strategies as st
import numpy as np
import offgrid
import oracle
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule


def wrong_state(call, *arguments):
    with pytest.raises(offgrid.Error) as caught:
        call(*arguments)
    assert caught.value.status is offgrid.Status.WRONG_STATE


def test_execute_needs_points():
    plan = offgrid.Plan(1, 8)
    wrong_state(plan.execute, np.ones(3, complex))
    wrong_state(plan.adjoint, np.ones(8, complex))
    wrong_state(offgrid.LinearOperator, plan)


def test_a_closed_plan_is_refused(random):
    with offgrid.Plan(1, 8) as plan:
        plan.set_points(oracle.random_points(random, 1, 3))
    for call in (lambda: plan.execute(np.ones(3, complex)), lambda: plan.set_points(np.zeros(3)), plan.describe,
                 plan.workspace_bytes):
        wrong_state(call)
    plan.close()


def test_a_pickled_plan_is_its_specification(random):
    plan = offgrid.Plan(2, (6, 7), 1e-4, dtype=np.complex64, transforms=3, sign=-1, mode_order="fft")
    plan.set_points(oracle.random_points(random, 2, 4, "float32"))
    copy = pickle.loads(pickle.dumps(plan))
    assert copy.specification == plan.specification and copy.count is None
    assert repr(copy) == repr(plan) and "mode_order='fft'" in repr(plan)


def test_numbers_and_words():
    plan = offgrid.Plan(1, (32, 40), 1e-7, points_hint=1000)
    assert plan.workspace_bytes() >= 32 * 40 * 16
    assert plan.get("expected_error") <= 1e-7 and plan.get("grid1") >= plan.get("grid2")  # C's order: 40 first
    assert "32" in plan.describe() and "40" in plan.describe()
    assert (plan.shape, plan.type, plan.tol, plan.dtype, plan.transforms) == ((32, 40), 1, 1e-7, "complex128", 1)


@pytest.mark.parametrize("dtype", ["float32", "complex64", np.float32, np.dtype("complex64"), np.complex64])
def test_names_of_the_single_precision(dtype):
    assert offgrid.Plan(1, 8, dtype=dtype).dtype == "complex64"


def test_transforms_are_the_product_of_the_leading_axes(random):
    plan = offgrid.Plan(1, 8, transforms=6)
    plan.set_points(oracle.random_points(random, 1, 5))
    data = oracle.random_complex(random, (6, 5))
    assert np.array_equal(plan.execute(data.reshape(2, 3, 5)).reshape(6, 8), plan.execute(data))
    with pytest.raises(ValueError, match="leading axes for 6 transforms"):
        plan.execute(data[:5])


class Plans(RuleBasedStateMachine):
    """Two plans of different precision and type; points of any number set, refused and replaced, executed in any order."""

    @initialize()
    def make(self):
        self.random = np.random.default_rng(0)
        self.plans = [offgrid.Plan(1, (5, 6), 1e-9), offgrid.Plan(2, (4,), 1e-4, dtype="complex64", transforms=2)]
        self.points = [None, None]
        self.closed = [False, False]

    which = st.integers(0, 1)

    def real(self, i):
        return "float32" if self.plans[i].dtype == "complex64" else "float64"

    @rule(i=which, count=st.integers(0, 30))
    def set_points(self, i, count):
        points = oracle.random_points(self.random, len(self.plans[i].shape), count, self.real(i))
        if self.closed[i]:
            return wrong_state(self.plans[i].set_points, points)
        self.plans[i].set_points(points)
        self.points[i] = points

    @rule(i=which)
    def refuse_points(self, i):
        bad = tuple(np.full(3, np.inf, self.real(i)) for _ in self.plans[i].shape)
        with pytest.raises(offgrid.Error):
            self.plans[i].set_points(bad)

    @rule(i=which, adjoint=st.booleans())
    def execute(self, i, adjoint):
        plan, points = self.plans[i], self.points[i]
        to_modes = (plan.type == 1) != adjoint
        count = 3 if points is None else points[0].size
        lead = (2,) if plan.transforms == 2 else ()
        data = oracle.random_complex(self.random, lead + ((count,) if to_modes else plan.shape), plan.dtype)
        call = plan.adjoint if adjoint else plan.execute
        if points is None or self.closed[i]:
            return wrong_state(call, data)
        sign = (-1 if plan.type == 1 else 1) * (-1 if adjoint else 1)
        expected = oracle.type1(points, data, plan.shape, sign) if to_modes else oracle.type2(points, data, sign)
        bound = plan.tol * np.linalg.norm(data) * np.sqrt(max(expected.size, 1))
        assert np.linalg.norm(call(data) - expected) <= bound

    @rule(i=which)
    def wrong_shape(self, i):
        if self.points[i] is not None and not self.closed[i]:
            with pytest.raises(ValueError):
                self.plans[i].execute(np.ones((9, 9, 9), self.plans[i].dtype))

    @precondition(lambda self: not all(self.closed))
    @rule(i=which)
    def pickle(self, i):
        assert pickle.loads(pickle.dumps(self.plans[i])).specification == self.plans[i].specification

    @rule(i=which)
    def close(self, i):
        self.plans[i].close()
        self.closed[i] = True


TestPlans = Plans.TestCase
