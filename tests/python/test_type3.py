"""Type 3, points to targets: against direct sums for boxes of every size and place, plans from boxes, points in chunks, and
what wrong input gets."""

import pickle

import hypothesis.strategies as st
import numpy as np
import offgrid
import oracle
import pytest
from hypothesis import given

LIMITS = {"complex64": (1e-4, 30.0), "complex128": (1e-10, 1000.0)}  # tolerance, and the largest product of the boxes
REALS = {"complex64": "float32", "complex128": "float64"}


def cloud(random, dim, count, half, centre=0.0, dtype="float64"):
    return tuple((centre + random.uniform(-half, half, count)).astype(dtype) for _ in range(dim))


def problem(random, dim=2, count=40, targets=30, lead=(), dtype="complex128"):
    """Points and targets off their centres, strengths, values."""
    return (cloud(random, dim, count, 2.5, 0.5, REALS[dtype]), oracle.random_complex(random, (*lead, count), dtype),
            cloud(random, dim, targets, 6, -2, REALS[dtype]), oracle.random_complex(random, (*lead, targets), dtype))


def error(found, expected, data):
    """Over the norm of the output, or of what random data of that size would give, where that is larger: terms of a few
    sums may cancel."""
    usual = np.sqrt(expected.size / max(expected.shape[-1], 1)) if data.size == 0 else np.linalg.norm(data)
    usual *= np.sqrt(max(expected.shape[-1], 1))
    return np.linalg.norm(found - expected) / max(np.linalg.norm(expected), usual, 1e-300)


def wrong_state(words, call, *arguments):
    with pytest.raises(offgrid.Error, match=words) as caught:
        call(*arguments)
    assert caught.value.status is offgrid.Status.WRONG_STATE


# --- against direct sums ----------------------------------------------------------------------------------------------
@given(st.data())
def test_any_boxes_places_counts_tolerances_signs_and_batches(data):
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    dim, sign = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([-1, 1]))
    dtype = data.draw(st.sampled_from(sorted(LIMITS)))
    least, largest = LIMITS[dtype]
    tol = 10.0 ** data.draw(st.floats(np.log10(least), -1))
    half = 10.0 ** data.draw(st.floats(-4, 4))
    product = min(10.0 ** data.draw(st.floats(-2, 3)), largest, {1: 1000, 2: 100, 3: 12}[dim])
    places = data.draw(st.tuples(st.floats(-3, 3), st.floats(-3, 3)))
    counts = data.draw(st.tuples(st.integers(0, 50), st.integers(0, 50)))
    lead = data.draw(st.sampled_from([(), (1,), (3,), (2, 2)]))
    points = cloud(random, dim, counts[0], half, places[0] * half, REALS[dtype])
    targets = cloud(random, dim, counts[1], product / half, places[1] * product / half, REALS[dtype])
    strengths = oracle.random_complex(random, (*lead, counts[0]), dtype)
    values = oracle.random_complex(random, (*lead, counts[1]), dtype)
    plan = offgrid.Plan(3, dim, tol, dtype=dtype, transforms=max(int(np.prod(lead)), 1), sign=sign)
    plan.set_points(points, targets)
    forward, back = plan.execute(strengths), plan.adjoint(values)
    assert forward.shape == (*lead, counts[1]) and back.shape == strengths.shape
    assert error(forward, oracle.type3(points, strengths, targets, sign), strengths) <= tol
    assert error(back, oracle.type3(targets, values, points, -sign), values) <= tol


@pytest.mark.parametrize("dtype, tol", [("complex128", 1e-11), ("complex64", 1e-5)])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_one_call_for_every_kind_of_array(kind, random, dim, dtype, tol):
    points, strengths, targets, _ = problem(random, dim, lead=(2,), dtype=dtype)
    x, s = tuple(map(kind.of, points)), tuple(map(kind.of, targets))
    found = offgrid.nufft3(x, kind.of(strengths), s, tol=tol)
    assert kind.back(found).dtype == dtype
    assert oracle.error(kind.back(found), oracle.type3(points, strengths, targets)) < tol


def test_matrices_of_points_and_of_targets(random):
    points, strengths, targets, _ = problem(random)
    x, s = np.stack(points, 1), np.stack(targets, 1)
    assert np.array_equal(offgrid.nufft3(x, strengths, s), offgrid.nufft3(points, strengths, targets))


def test_at_integers_it_is_a_type_1(random):
    points, strengths, _, _ = problem(random)
    k = np.meshgrid(np.arange(-3, 3), np.arange(-2, 3), indexing="ij")
    found = offgrid.nufft3(points, strengths, tuple(axis.ravel().astype(float) for axis in k), 1e-10, sign=-1)
    assert oracle.error(found.reshape(6, 5), offgrid.nufft1(points, strengths, (6, 5), 1e-10)) < 2e-10


def test_out(random):
    points, strengths, targets, values = problem(random)
    place = np.empty(30, complex)
    assert offgrid.nufft3(points, strengths, targets, out=place) is place
    assert np.array_equal(place, offgrid.nufft3(points, strengths, targets))
    with pytest.raises(ValueError, match=r"out has the shape \(30,\); expected \(40,\)"):
        plan = offgrid.Plan(3, 2)
        plan.set_points(points, targets)
        plan.adjoint(values, out=place)


def test_the_adjoint_of_a_linear_operator(random):
    pytest.importorskip("scipy", reason="scipy is not installed")
    points, strengths, targets, values = problem(random, lead=(2,))
    plan = offgrid.Plan(3, 2, 1e-10, transforms=2)
    wrong_state("no points", offgrid.LinearOperator, plan)
    plan.set_points(points, targets)
    operator = offgrid.LinearOperator(plan)
    assert operator.shape == (60, 80)
    assert np.isclose(np.vdot(values, operator @ strengths.ravel()), np.vdot(operator.H @ values.ravel(), strengths))


# --- boxes and chunks -------------------------------------------------------------------------------------------------
def boxed(dim=2, **settings):
    plan = offgrid.Plan(3, dim, 1e-9, **settings)
    plan.set_boxes(points=(-2, 3), targets=([-8] * dim, np.full(dim, 4.0)))
    return plan


def test_boxes_tell_memory_and_then_points_and_targets_come_apart(random):
    plan = offgrid.Plan(3, 2, 1e-9)
    assert plan.get("memory_bytes") == 0
    with pytest.raises(offgrid.Error, match="the grid is chosen when"):
        plan.get("grid1")
    plan = boxed()
    assert plan.get("memory_bytes") > 0 and plan.get("expected_error") <= 1e-9
    grid = plan.get("grid1")
    for _ in range(3):
        points, strengths, targets, values = problem(random, count=random.integers(1, 60))
        plan.set_targets(targets)
        plan.set_points(points)
        assert (plan.count, plan.targets) == (points[0].size, 30)
        assert error(plan.execute(strengths), oracle.type3(points, strengths, targets), strengths) < 1e-9
        assert error(plan.adjoint(values), oracle.type3(targets, values, points, -1), values) < 1e-9
        assert plan.get("grid1") == grid


def test_the_axes_of_boxes_have_the_order_of_points(random):
    plan = offgrid.Plan(3, 2, 1e-9)
    plan.set_boxes(points=((0, 100), (1, 101)), targets=((-9, -1), (9, 1)))
    points = random.uniform(0, 1, 20), random.uniform(100, 101, 20)
    targets, strengths = (random.uniform(-9, 9, 15), random.uniform(-1, 1, 15)), oracle.random_complex(random, 20)
    plan.set_points(points)
    plan.set_targets(targets)
    assert oracle.error(plan.execute(strengths), oracle.type3(points, strengths, targets)) < 1e-9
    with pytest.raises(ValueError, match="points: some lie outside of the box"):
        plan.set_points(points[::-1])
    with pytest.raises(ValueError, match="targets: some lie outside of the box"):
        plan.set_targets(targets[::-1])
    assert oracle.error(plan.execute(strengths), oracle.type3(points, strengths, targets)) < 1e-9


def test_boxes_that_no_memory_holds_are_refused_with_their_bytes():
    plan = offgrid.Plan(3, 3, 1e-9)
    with pytest.raises(offgrid.Error, match="iB") as caught:
        plan.set_boxes((-1e4, 1e4), (-1e3, 1e3))
    assert caught.value.status is offgrid.Status.OUT_OF_MEMORY


@pytest.mark.parametrize("lead", [(), (3,), (1, 2)])
def test_points_in_chunks_add_up(kind, random, lead):
    plan = boxed(transforms=max(int(np.prod(lead)), 1), sign=-1)
    targets = problem(random)[2]
    total = np.zeros((*lead, 30), complex)
    for round in range(2):  # after finish a new sum begins
        total[...] = 0
        for count in (25, 0, 1, 40):
            points, strengths, _, _ = problem(random, count=count, lead=lead)
            plan.set_points(tuple(map(kind.of, points)))
            plan.add(kind.of(strengths))
            total += oracle.type3(points, strengths, targets, -1)
        plan.set_targets(tuple(map(kind.of, targets)))
        assert oracle.error(kind.back(plan.finish()), total) < 1e-9


def test_finish_into_an_array_that_is_there(random):
    points, strengths, targets, _ = problem(random)
    plan = boxed()
    plan.set_targets(targets)
    plan.set_points(points)
    for place in (np.empty(30, complex), np.empty((30, 2), complex)[:, 0]):
        plan.add(strengths)
        assert plan.finish(out=place) is place
        assert oracle.error(place, oracle.type3(points, strengths, targets)) < 1e-9
    plan.add(strengths)
    with pytest.raises(ValueError, match=r"out has the shape \(29,\); expected \(30,\)"):
        plan.finish(out=np.empty(29, complex))
    assert oracle.error(plan.finish(), oracle.type3(points, strengths, targets)) < 1e-9


def test_new_boxes_forget_points_and_sums(random):
    points, strengths, targets, _ = problem(random)
    plan = boxed()
    plan.set_points(points)
    plan.set_targets(targets)
    plan.add(strengths)
    plan.set_boxes((-2, 3), (-8, 4))
    assert plan.count is None and plan.targets is None
    wrong_state("no sum was begun", plan.finish)
    wrong_state("no points yet", plan.execute, strengths)


# --- states and errors ------------------------------------------------------------------------------------------------
def test_what_is_missing_is_said(random):
    points, strengths, targets, values = problem(random)
    plan = offgrid.Plan(3, 2)
    wrong_state("no points yet", plan.execute, strengths)
    wrong_state("no points yet", plan.add, strengths)
    wrong_state("no sum was begun", plan.finish)
    wrong_state("set both in one call, or give the boxes", plan.set_points, points)
    wrong_state("set both in one call, or give the boxes", plan.set_targets, targets)
    plan = boxed()
    plan.set_points(points)
    wrong_state("no targets yet", plan.execute, strengths)
    wrong_state("no targets yet", plan.adjoint, values)
    plan.add(strengths)
    wrong_state("no targets yet", plan.finish)


def test_refused_points_and_targets_leave_the_earlier_ones(random):
    points, strengths, targets, _ = problem(random)
    plan = offgrid.Plan(3, 2, 1e-9)
    plan.set_points(points, targets)
    bad = np.full(4, np.nan)
    for given_points, given_targets in (((bad, bad), targets), (points, (bad, bad))):
        with pytest.raises(ValueError):
            plan.set_points(given_points, given_targets)
    assert oracle.error(plan.execute(strengths), oracle.type3(points, strengths, targets)) < 1e-9


def test_points_after_none_do_not_meet_earlier_targets(random):
    points, strengths, targets, _ = problem(random)
    few = tuple(s[:7] for s in targets)
    plan = offgrid.Plan(3, 2)
    plan.set_points(points, targets)
    plan.set_points((np.zeros(0),) * 2, few)
    assert np.array_equal(plan.execute(np.zeros(0, complex)), np.zeros(7))
    plan.set_points(points)
    wrong_state("no targets yet", plan.execute, strengths)


X, C, S = np.zeros(5), np.ones(5, complex), np.ones(3)


@pytest.mark.parametrize("kind, words, points, strengths, targets", [
    (TypeError, "targets is a NoneType", (X,), C, None),
    (TypeError, r"targets\[0\] has the dtype int64; expected float32 or float64", (X,), C, (np.zeros(3, int),)),
    (TypeError, "targets has the dtype float32; expected float64, as strengths is complex128", (X,), C, S.astype("f4")),
    (TypeError, "strengths has the dtype float64", (X,), X, S),
    (ValueError, "targets has 1 arrays; expected 2", (X, X), C, (S,)),
    (ValueError, r"targets has the shape \(3, 2\); expected \(M, 1\)", (X,), C, np.zeros((3, 2))),
    (ValueError, r"targets\[1\] has 2 points, targets\[0\] 3", (X, X), C, (S, S[1:])),
    (ValueError, r"strengths has the shape \(4,\); expected it to end in \(5,\)", (X,), C[1:], S),
    (TypeError, r"points come as one tuple \(x, y\): offgrid.nufft3\(\(x, y\), strengths, \(s, t\)\)", X, X, C),
])
def test_arguments_of_nufft3(kind, words, points, strengths, targets):
    with pytest.raises(kind, match=words):
        offgrid.nufft3(points, strengths, targets)


@pytest.mark.parametrize("kind, words, shape", [
    (TypeError, r"shape is \(4, 4\); expected 1, 2 or 3: a type 3 has no modes", (4, 4)),
    (ValueError, "shape is 4; expected 1, 2 or 3", 4), (ValueError, "shape is 0", 0)])
def test_the_shape_of_a_type_3_is_its_number_of_dimensions(kind, words, shape):
    with pytest.raises(kind, match=words):
        offgrid.Plan(3, shape)


@pytest.mark.parametrize("kind, words, points, targets", [
    (ValueError, "axis 0 runs from 1 to -1, expected low <= high", (1, -1), (0, 1)),
    (TypeError, r"targets is 3; expected \(low, high\)", (0, 1), 3),
    (TypeError, "points is", ("a", "b"), (0, 1)),
    (ValueError, "points has an end of 3 numbers; expected 1", ((1, 2, 3), (2, 3, 4)), (0, 1))])
def test_wrong_boxes(kind, words, points, targets):
    with pytest.raises(kind, match=words):
        offgrid.Plan(3, 1).set_boxes(points, targets)


def test_wrong_calls_of_a_plan(random):
    plan = offgrid.Plan(3, 1)
    for words, call in [(r"plan.set_points\(\(x, y\), \(s, t\)\)", lambda: plan.set_points(X, S, S)),
                        (r"plan.set_points\(\(x, y\)\)", lambda: offgrid.Plan(1, 4).set_points(X, S)),
                        ("points has the dtype float32; expected float64", lambda: plan.set_points(X.astype("f4"), S)),
                        ("targets has the dtype float32; expected float64", lambda: plan.set_points(X, S.astype("f4")))]:
        with pytest.raises(TypeError, match=words):
            call()
    for call in (lambda: offgrid.Plan(1, 4).set_targets(S), lambda: offgrid.Plan(2, 4).set_boxes((0, 1), (0, 1))):
        wrong_state("only a plan of type 3 has targets", call)
    plan.set_points(X, S)
    with pytest.raises(ValueError, match=r"values has the shape \(5,\); expected \(3,\)"):
        plan.adjoint(C)
    with pytest.raises(ValueError, match="spread_only is on, expected off for type 3"):
        offgrid.nufft3(X, C, S, spread_only=True)


def test_a_type_3_says_what_it_is(random):
    plan = offgrid.Plan(3, 2, 1e-4, dtype="complex64", transforms=3, sign=-1)
    assert (plan.type, plan.shape, plan.dim, plan.count, plan.targets) == (3, (), 2, None, None)
    assert repr(plan).startswith("offgrid.Plan(type=3, shape=2, tol=0.0001")
    assert pickle.loads(pickle.dumps(plan)).specification == plan.specification
    points, _, targets, _ = problem(random, dtype="complex64")
    plan.set_points(points, targets)
    assert plan.get("points") == 40 and plan.get("targets") == 30 and "type 3" in plan.describe()


def test_a_tolerance_out_of_reach_warns_when_points_or_boxes_are_set(random):
    plan = offgrid.Plan(3, 1, 1e-17)
    with pytest.warns(offgrid.AccuracyWarning, match="tolerance 1e-17 cannot be reached here"):
        plan.set_points(X, S)
    with pytest.warns(offgrid.AccuracyWarning):
        plan.set_boxes((-1, 1), (-1, 1))
    with pytest.raises(ValueError, match="only .* can be reached"):
        offgrid.Plan(3, 1, 1e-17, strict=True).set_points(X, S)


def test_on_a_gpu_the_plan_moves_with_its_boxes(gpu_kind, random):
    points, strengths, targets, _ = problem(random)
    plan = boxed()
    plan.set_points(points)
    plan.set_targets(targets)
    plan.set_points(tuple(map(gpu_kind.of, points)))  # moves, and has no targets there
    wrong_state("no targets yet", plan.execute, gpu_kind.of(strengths))
    plan.set_targets(tuple(map(gpu_kind.of, targets)))
    found = plan.execute(gpu_kind.of(strengths))
    assert oracle.error(gpu_kind.back(found), oracle.type3(points, strengths, targets)) < 1e-9
    plan.add(gpu_kind.of(strengths))
    wrong_state("a sum was begun on GPU 0; finish it first", plan.set_points, points)
    with pytest.raises((TypeError, ValueError), match="points"):
        offgrid.nufft3(tuple(map(gpu_kind.of, points)), gpu_kind.of(strengths), targets)
