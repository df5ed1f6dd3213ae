"""nufft1 and nufft2 against direct sums: dimensions, sizes, dtypes, signs, orders, batches, every kind of array."""

import hypothesis.strategies as st
import numpy as np
import offgrid
import oracle
import pytest
from hypothesis import given

TOLERANCES = {"complex64": 1e-4, "complex128": 1e-9}
REALS = {"complex64": "float32", "complex128": "float64"}

problems = st.fixed_dictionaries({
    "shape": st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple),
    "count": st.integers(1, 40),
    "lead": st.lists(st.integers(1, 3), max_size=2).map(tuple),
    "dtype": st.sampled_from(list(REALS)),
    "sign": st.sampled_from([-1, 1]),
    "mode_order": st.sampled_from(["centred", "fft"]),
    "seed": st.integers(0, 100)})


def arrays(problem):
    random = np.random.default_rng(problem["seed"])
    points = oracle.random_points(random, len(problem["shape"]), problem["count"], REALS[problem["dtype"]])
    strengths = oracle.random_complex(random, problem["lead"] + (problem["count"],), problem["dtype"])
    modes = oracle.random_complex(random, problem["lead"] + problem["shape"], problem["dtype"])
    return points, strengths, modes


@given(problems)
def test_type1_is_the_direct_sum(problem):
    points, strengths, _ = arrays(problem)
    tol = TOLERANCES[problem["dtype"]]
    found = offgrid.nufft1(points, strengths, problem["shape"], tol, sign=problem["sign"], mode_order=problem["mode_order"])
    expected = oracle.type1(points, strengths, problem["shape"], problem["sign"], problem["mode_order"])
    assert found.shape == problem["lead"] + problem["shape"] and found.dtype == problem["dtype"]
    assert oracle.error(found, expected) <= tol * scale(strengths, points, expected)


@given(problems)
def test_type2_is_the_direct_sum(problem):
    points, _, modes = arrays(problem)
    tol = TOLERANCES[problem["dtype"]]
    found = offgrid.nufft2(np.stack(points, axis=1), modes, tol, sign=problem["sign"], mode_order=problem["mode_order"])
    expected = oracle.type2(points, modes, problem["sign"], problem["mode_order"])
    assert found.shape == problem["lead"] + (problem["count"],) and found.dtype == problem["dtype"]
    assert oracle.error(found, expected) <= tol * scale(modes, points, expected)


def scale(data, points, expected):
    """Where terms cancel, the error is relative to the sum of their sizes: a batch, or a few points, may cancel."""
    terms = np.linalg.norm(data) * np.sqrt(max(expected.size, 1))
    return max(1.0, terms / (np.linalg.norm(expected) or 1))


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("dtype", list(REALS))
def test_every_kind_of_array(kind, random, dim, dtype):
    shape, tol = (6, 5, 4)[:dim], TOLERANCES[dtype]
    points = oracle.random_points(random, dim, 50, REALS[dtype])
    strengths, modes = (oracle.random_complex(random, (2, *s), dtype) for s in ((50,), shape))
    given_points = tuple(map(kind.of, points))
    found1 = kind.back(offgrid.nufft1(given_points, kind.of(strengths), shape, tol))
    found2 = kind.back(offgrid.nufft2(given_points, kind.of(modes), tol))
    assert found1.dtype == found2.dtype == dtype
    assert oracle.error(found1, oracle.type1(points, strengths, shape)) <= tol
    assert oracle.error(found2, oracle.type2(points, modes)) <= tol


def test_points_as_one_array_of_every_kind(kind, random):
    points = oracle.random_points(random, 2, 30)
    strengths = oracle.random_complex(random, 30)
    found = kind.back(offgrid.nufft1(kind.of(np.stack(points, axis=1)), kind.of(strengths), (5, 8), 1e-9))
    assert oracle.error(found, oracle.type1(points, strengths, (5, 8))) <= 1e-9


def test_the_first_coordinate_belongs_to_the_first_axis_of_shape():
    modes = offgrid.nufft2((np.array([0.3]), np.array([0.0])), np.array([[0], [1], [0], [0j]])[[0, 0, 0, 1]], 1e-9)
    assert abs(modes[0] - np.exp(0.3j)) < 1e-8  # the last of 4 along axis 0 is k = 1


@pytest.mark.parametrize("shape, count, lead", [((0, 4), 5, ()), ((4, 3), 0, ()), ((4, 3), 5, (0,)), ((0,), 0, (2, 0))])
def test_empty_sizes_give_zeros_or_nothing(kind, shape, count, lead):
    points = tuple(kind.of(np.zeros(count)) for _ in shape)
    modes = kind.back(offgrid.nufft1(points, kind.of(np.ones(lead + (count,), complex)), shape))
    strengths = kind.back(offgrid.nufft2(points, kind.of(np.ones(lead + shape, complex))))
    assert modes.shape == lead + shape and strengths.shape == lead + (count,)
    assert not modes.any() if count == 0 else True
    assert not strengths.any() if 0 in shape else True


def test_a_vector_of_points_serves_one_dimension(random):
    x, = oracle.random_points(random, 1, 10)
    strengths = oracle.random_complex(random, 10)
    assert np.array_equal(offgrid.nufft1(x, strengths, 7), offgrid.nufft1((x,), strengths, (7,)))


def test_the_adjoint_is_the_adjoint(random):
    plan = offgrid.Plan(2, (8, 9), 1e-12)
    plan.set_points(oracle.random_points(random, 2, 40))
    modes, strengths = oracle.random_complex(random, (8, 9)), oracle.random_complex(random, 40)
    left, right = np.vdot(strengths, plan.execute(modes)), np.vdot(plan.adjoint(strengths), modes)
    assert abs(left - right) <= 1e-10 * abs(left)
