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


def test_one_vector_a_call_only(random):
    plan = offgrid.Plan(2, 8, transforms=2)
    plan.set_points(np.zeros(3))
    with pytest.raises(ValueError, match="plan has 2 transforms"):
        offgrid.LinearOperator(plan)
