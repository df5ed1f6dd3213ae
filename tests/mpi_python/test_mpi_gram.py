"""offgrid.mpi.gram: every rank has the operator of the points of all ranks."""

import numpy as np
import offgrid.mpi
import pytest
import sums
from oracle import random_complex, random_points, type1, type2


@pytest.mark.parametrize("dtype", ("complex128", "complex64"))
@pytest.mark.parametrize("shape", ((20,), (9, 8), (7, 6, 5)))
@pytest.mark.parametrize("weighting", ("none", "real", "complex"))
def test_the_operator_has_everybodys_points(comm, random, shape, weighting, dtype):
    real, tol = ("float64", 1e-8) if dtype == "complex128" else ("float32", 1e-4)
    points = random_points(random, len(shape), 200, real)
    weights = {"none": np.ones(200), "real": random.uniform(1, 3, 200), "complex": random_complex(random, 200)}[weighting]
    weights = weights.astype(dtype if weighting == "complex" else real)
    mine = sums.share_of("none_on_rank_0", comm, 200)
    gram = offgrid.mpi.gram(comm, tuple(x[mine] for x in points), shape, None if weighting == "none" else weights[mine], tol)
    f = random_complex(random, shape, dtype)
    expected = type1(points, weights * type2(points, f), shape)
    h = gram(f)
    assert h.dtype == f.dtype and sums.error(comm, h, expected) <= 2 * tol
    assert gram(f, out=f) is f and (f == h).all()
    assert gram.real == (weighting != "complex") and "convolution" in gram.describe() and "all ranks" in repr(gram)
    gram.close()
    with pytest.raises(offgrid.Error, match="closed"):
        gram(f)


def test_conjugate_gradients_need_no_communication(comm, random):
    """Each rank solves the normal equations of all points by itself."""
    points = random_points(random, 2, 900)
    mine, shape = sums.share_of("even", comm, 900), (8, 7)
    gram = offgrid.mpi.gram(comm, tuple(x[mine] for x in points), shape, tol=1e-10)
    truth = random_complex(random, shape)
    right = type1(points, type2(points, truth), shape)
    found = offgrid.conjugate_gradients(gram, right, 100, rtol=1e-9)
    assert np.abs(found - truth).max() < 1e-6


def test_ranks_agree_on_the_kind_of_weights(comm):
    x = np.zeros(3)
    if comm.size == 1:
        return
    weights = np.ones(3, complex) if comm.rank == 0 else np.ones(3)
    with pytest.raises(ValueError, match="weights are complex on rank 0, and real on rank 1; expected one kind"):
        offgrid.mpi.gram(comm, x, 4, weights)
    gram = offgrid.mpi.gram(comm, x, 4, weights if comm.rank == 0 else None)
    assert not gram.real
    with pytest.raises(ValueError, match="arguments differ"):
        offgrid.mpi.gram(comm, x.astype("float32" if comm.rank == 0 else "float64"), 4)


def test_tolerances_out_of_reach(comm):
    with pytest.warns(offgrid.AccuracyWarning):
        offgrid.mpi.gram(comm, np.zeros(3), 4, tol=1e-18)
    with pytest.raises(ValueError, match="tolerance is 1e-18, but only .* here .strict is on"):
        offgrid.mpi.gram(comm, np.zeros(3), 4, tol=1e-18, strict=True)


def test_operators_that_are_refused(comm):
    points = np.zeros(3)
    with pytest.raises(ValueError, match=r"weights has the shape \(4,\)"):
        offgrid.mpi.gram(comm, points, 4, np.ones(4))
    with pytest.raises(ValueError, match="gram = pair"):
        offgrid.mpi.gram(comm, points, 4, gram="pair")
    with pytest.raises(TypeError, match='option "device" is unknown'):
        offgrid.mpi.gram(comm, points, 4, device="cpu")
