"""Plans as linear operators of scipy."""

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


def test_what_is_no_plan_is_refused():
    with pytest.raises(TypeError, match="plan is a int; expected an offgrid.Plan"):
        offgrid.LinearOperator(3)
