"""Plans as linear operators of scipy."""

import unittest.mock

import numpy as np
import offgrid
import oracle
import pytest

linalg = pytest.importorskip("scipy.sparse.linalg", reason="scipy is not installed")


@pytest.mark.parametrize("type", [1, 2])
def test_products_and_adjoints(random, type):
    plan = offgrid.Plan(type, (5, 6), 1e-9)
    plan.set_points(oracle.random_points(random, 2, 40))
    A = offgrid.LinearOperator(plan)
    dense = A @ np.eye(A.shape[1])
    x, y = oracle.random_complex(random, A.shape[1]), oracle.random_complex(random, A.shape[0])
    assert A.shape == ((30, 40) if type == 1 else (40, 30)) and A.dtype == np.complex128
    assert np.allclose(A @ x, dense @ x) and np.allclose(A.H @ y, dense.conj().T @ y)
    assert np.allclose(A @ x[:, None], (dense @ x)[:, None])


def test_cg_recovers_modes(random):
    shape = (8, 7)
    plan = offgrid.Plan(2, shape, 1e-10)
    plan.set_points(oracle.random_points(random, 2, 400))
    A = offgrid.LinearOperator(plan)
    modes = oracle.random_complex(random, shape)
    found, failed = linalg.cg(A.H @ A, A.H @ plan.execute(modes), maxiter=100)
    assert not failed and oracle.error(found.reshape(shape), modes) < 1e-4


@pytest.mark.parametrize("type", [1, 2])
def test_a_plan_of_several_transforms_takes_its_vectors_in_one(random, type):
    coils, points = 3, oracle.random_points(random, 2, 40)
    one, many = (offgrid.Plan(type, (5, 6), 1e-9, transforms=n) for n in (1, coils))
    for plan in (one, many):
        plan.set_points(points)
    A, B = offgrid.LinearOperator(one), offgrid.LinearOperator(many)
    assert B.shape == (coils * A.shape[0], coils * A.shape[1])
    x, y = oracle.random_complex(random, B.shape[1]), oracle.random_complex(random, B.shape[0])
    assert np.allclose(B @ x, np.concatenate([A @ part for part in np.split(x, coils)]))
    assert np.allclose(B.H @ y, np.concatenate([A.H @ part for part in np.split(y, coils)]))
    assert np.allclose(np.vdot(y, B @ x), np.vdot(B.H @ y, x))


def test_a_gram_operator_serves_the_normal_equations(random):
    shape, points, weights = (8, 7), oracle.random_points(random, 2, 400), random.uniform(0.5, 1, 400)
    plan = offgrid.Plan(2, shape, 1e-10)
    plan.set_points(points)
    A = offgrid.LinearOperator(plan)
    G = offgrid.LinearOperator(offgrid.gram(points, shape, weights, 1e-10))
    modes = oracle.random_complex(random, shape)
    right = A.H @ (weights * plan.execute(modes))
    assert np.allclose(G @ modes.ravel(), right) and np.allclose(G.H @ modes.ravel(), right)
    found, failed = linalg.cg(G, right, maxiter=100)
    assert not failed and oracle.error(found.reshape(shape), modes) < 1e-4
    complex_weights = offgrid.LinearOperator(offgrid.gram(points, shape, weights * 1j, 1e-10))
    with pytest.raises(ValueError, match="conjugates"):
        complex_weights.H @ modes.ravel()


@pytest.mark.parametrize("shape", [(9,), (8,), (8, 7), (1, 6), (5, 4, 6)])
@pytest.mark.parametrize("order", ["centred", "fft"])
@pytest.mark.parametrize("kind", ["none", "real", "complex"])
def test_normal_is_the_gram_operator_of_the_plan(random, shape, order, kind):
    points = oracle.random_points(random, len(shape), 300)
    weights = {"none": None, "real": random.uniform(0.5, 2, 300), "complex": oracle.random_complex(random, 300)}[kind]
    for transforms, sign in ((1, 1), (3, -1)):
        plan = offgrid.Plan(2, shape, 1e-10, transforms=transforms, sign=sign, mode_order=order)
        plan.set_points(points)
        A = offgrid.LinearOperator(plan)
        G = A.normal(weights)
        x = oracle.random_complex(random, A.shape[1])
        factors = np.tile(np.ones(300) if weights is None else weights, transforms)
        assert G.shape == (A.shape[1], A.shape[1]) and G.dtype == np.complex128
        assert oracle.error(G @ x, A.H @ (factors * (A @ x))) < 1e-9
        if kind == "complex":
            with pytest.raises(ValueError, match="conjugates"):
                G.H @ x
        else:
            assert np.allclose(G.H @ x, G @ x)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-6, 1e-9, 1e-12])
def test_normal_keeps_the_tolerance(random, tolerance):
    for shape in ((64,), (20, 15), (9, 8, 7)):
        points = oracle.random_points(random, len(shape), 1500)
        weights, f = random.uniform(0.5, 2, 1500), oracle.random_complex(random, shape)
        plan, exact = offgrid.Plan(2, shape, tolerance), offgrid.Plan(2, shape, 1e-13)
        for one in (plan, exact):
            one.set_points(points)
        truth = exact.adjoint(weights * exact.execute(f))
        found = offgrid.LinearOperator(plan).normal(weights) @ f.ravel()
        assert oracle.error(found.reshape(shape), truth) < tolerance


def way_of(plan):
    """How A.normal of a plan works: a pair goes with the plan's points, a convolution does not."""
    G, x = offgrid.LinearOperator(plan).normal(), np.ones(int(np.prod(plan.shape)), complex)
    before = G @ x
    plan.set_points(np.zeros((plan.count, len(plan.shape))))
    return "convolution" if np.array_equal(G @ x, before) else "pair"


def test_normal_of_few_points_is_the_faster_pair_and_heeds_the_option_gram(random):
    for count, way in ((10, "pair"), (100, "convolution")):
        for options, expected in ((dict(), way), (dict(gram="auto"), way), (dict(gram="pair"), "pair"), (dict(gram=2), "pair"),
                                  (dict(gram="convolution"), "convolution"), (dict(gram=1), "convolution")):
            plan = offgrid.Plan(2, (12, 13), 1e-9, **options)
            plan.set_points(random.uniform(-3, 3, (count, 2)))
            assert way_of(plan) == expected, (count, options)


@pytest.mark.parametrize("way", ["convolution", "pair"])
def test_normal_of_three_points_is_within_three_tolerances(random, way):
    for tolerance in (1e-3, 1e-5, 1e-9):
        for _ in range(5):
            points, weights = oracle.random_points(random, 2, 3), random.uniform(0.1, 1, 3)
            plan, exact = offgrid.Plan(2, (12, 13), tolerance, gram=way), offgrid.Plan(2, (12, 13), 1e-14)
            for one in (plan, exact):
                one.set_points(points)
            for f in (oracle.random_complex(random, (12, 13)), np.ones((12, 13), complex)):
                truth = exact.adjoint(weights * exact.execute(f))
                found = offgrid.LinearOperator(plan).normal(weights) @ f.ravel()
                assert oracle.error(found.reshape(12, 13), truth) < 3 * tolerance


def test_normal_by_a_pair_with_weights(random):
    points, x = oracle.random_points(random, 2, 20), oracle.random_complex(random, 3 * 120)
    for weights in (None, random.uniform(0.5, 2, 20), oracle.random_complex(random, 20)):
        plan = offgrid.Plan(2, (10, 12), 1e-10, transforms=3, gram="pair", mode_order="fft", sign=-1)
        plan.set_points(points)
        A = offgrid.LinearOperator(plan)
        factors = np.tile(np.ones(20) if weights is None else weights, 3)
        assert oracle.error(A.normal(weights) @ x, A.H @ (factors * (A @ x))) < 1e-12


def test_a_pair_multiplies_by_weights_on_the_device_of_the_plan(random, monkeypatch):
    """And not on the one that is current, which may be another GPU."""
    plan, current = offgrid.Plan(2, 16, gram="pair"), []
    plan.set_points(oracle.random_points(random, 1, 20))
    device = unittest.mock.MagicMock()
    device.__enter__.side_effect = lambda: current.append("the plan's")
    device.__exit__.side_effect = lambda *_: current.clear()
    monkeypatch.setattr("offgrid._operator.arrays_of", lambda _: (np, device))

    class Weights(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            seen.append(list(current))
            return getattr(ufunc, method)(*(np.asarray(one) for one in inputs), **options)

    seen = []
    normal = offgrid._operator.normal_of(plan, None)
    normal._weights = np.ones(20).view(Weights)
    normal(np.ones((1, 16), complex))
    assert seen == [["the plan's"]]


def test_normal_in_single_precision_and_of_nothing(random):
    plan = offgrid.Plan(2, (8, 7), 1e-5, dtype=np.complex64)
    x, y = oracle.random_points(random, 2, 100, "float32")
    plan.set_points((x, y))
    A, f = offgrid.LinearOperator(plan), oracle.random_complex(random, 56).astype(np.complex64)
    assert A.normal(np.arange(100)).dtype == np.complex64  # whole numbers are real weights
    assert oracle.error(A.normal() @ f, A.H @ (A @ f)) < 1e-4
    plan.set_points((x[:0], y[:0]))
    assert not (offgrid.LinearOperator(plan).normal() @ f).any()


def test_cg_with_the_normal_operator_recovers_modes(random):
    shape, points = (8, 7), oracle.random_points(random, 2, 400)
    plan = offgrid.Plan(2, shape, 1e-10)
    plan.set_points(points)
    A, modes, weights = offgrid.LinearOperator(plan), oracle.random_complex(random, shape), random.uniform(0.5, 1, 400)
    found, failed = linalg.cg(A.normal(weights), A.H @ (weights * plan.execute(modes)), maxiter=100)
    assert not failed and oracle.error(found.reshape(shape), modes) < 1e-4


def test_what_normal_refuses(random):
    points = oracle.random_points(random, 2, 30)
    one, two = offgrid.Plan(1, (5, 6)), offgrid.Plan(2, (5, 6))
    for plan in (one, two):
        plan.set_points(points)
    with pytest.raises(ValueError, match="the plan is of type 1; expected type 2"):
        offgrid.LinearOperator(one).normal()
    A = offgrid.LinearOperator(two)
    with pytest.raises(ValueError, match=r"weights has the shape \(4,\); expected \(30,\)"):
        A.normal(np.ones(4))
    with pytest.raises(TypeError, match="expected real or complex numbers"):
        A.normal(np.array(["a"] * 30))


def test_what_is_no_plan_is_refused():
    with pytest.raises(TypeError, match="plan is a int; expected an offgrid.Plan"):
        offgrid.LinearOperator(3)
