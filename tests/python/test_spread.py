"""Spread only and interpolate only: against sums of the kernel that the plan names, in numpy."""

import numpy as np
import offgrid
import oracle
import pytest


def weights(plan, points):
    """The kernel between cells and points, (n, M) for each axis, with its images."""
    width = plan.get("width")
    found = []
    for n, x in zip(plan.shape, points):
        distance = np.arange(n)[:, None] - x.astype(float) * n / (2 * np.pi)
        distance -= n * np.round(distance / n)
        images = [distance + n * i for i in (-1, 0, 1)]
        found.append(sum(np.where(np.abs(d) < width / 2, plan.kernel(d), 0) for d in images))
    return found


def summed(plan, points, strengths):
    letters = "abc"[: len(points)]
    return np.einsum(",".join(["...j"] + [f"{a}j" for a in letters]) + "->..." + letters, strengths, *weights(plan, points))


def read(plan, points, cells):
    letters = "abc"[: len(points)]
    return np.einsum(",".join(["..." + letters] + [f"{a}j" for a in letters]) + "->...j", cells, *weights(plan, points))


@pytest.mark.parametrize("shape", [(40,), (21, 30), (17, 12, 13)])
@pytest.mark.parametrize("dtype,real,tol", [("complex64", "float32", 1e-4), ("complex128", "float64", 1e-9)])
def test_sums_of_the_kernel(random, shape, dtype, real, tol):
    tol = tol if min(shape) > 12 else 1e-4
    points = oracle.random_points(random, len(shape), 50, real)
    plan = offgrid.Plan(1, shape, tol, dtype=dtype, spread_only=True)
    strengths, cells = oracle.random_complex(random, (2, 50), dtype), oracle.random_complex(random, (2, *shape), dtype)
    found = offgrid.spread(points, strengths, shape, tol=tol)
    assert found.dtype == dtype and oracle.error(found, summed(plan, points, strengths)) < tol
    found = offgrid.interpolate(points, cells, tol=tol)
    assert found.dtype == dtype and oracle.error(found, read(plan, points, cells)) < tol


@pytest.mark.parametrize("upsampling", [1.05, 1.5, 2.5, 4.0, 1000.0])
def test_upsampling_is_a_parameter_of_the_kernel(random, upsampling):
    points, strengths = oracle.random_points(random, 1, 50), oracle.random_complex(random, 50)
    plan = offgrid.Plan(1, 32, 1e-2, spread_only=True, upsampling=upsampling)
    found = offgrid.spread(points, strengths, 32, 1e-2, upsampling=upsampling)
    assert oracle.error(found, summed(plan, points, strengths)) < 1e-2
    assert plan.get("upsampling") == upsampling and plan.get("grid1") == 32


def test_sign_and_order_have_no_effect(random):
    points, strengths = oracle.random_points(random, 2, 50), oracle.random_complex(random, 50)
    plain = offgrid.spread(points, strengths, (20, 18))
    assert np.array_equal(plain, offgrid.spread(points, strengths, (20, 18), sign=1, mode_order="fft"))


def test_the_adjoint_is_the_transpose(random):
    points, x = oracle.random_points(random, 2, 50), oracle.random_complex(random, 50)
    y = oracle.random_complex(random, (20, 18))
    with offgrid.Plan(1, (20, 18), spread_only=True) as plan:
        plan.set_points(points)
        assert np.sum(plan.execute(x) * y) == pytest.approx(np.sum(x * plan.adjoint(y)), rel=1e-12)
        assert np.allclose(plan.adjoint(y), offgrid.interpolate(points, y))


def test_the_transform_of_the_kernel_has_the_axes_of_shape():
    plan = offgrid.Plan(1, (20, 40), spread_only=True)
    k = np.arange(-5, 6)
    assert np.allclose(plan.kernel_transform(1, 2 * k), plan.kernel_transform(0, k), rtol=1e-13)
    z = np.linspace(-1, 1, 20001)
    w = plan.get("width")
    values = plan.kernel(z * w / 2) * np.cos(np.pi * w * 3 * z / 20)
    expected = w / 2 * np.sum((values[1:] + values[:-1]) / 2) * (z[1] - z[0])
    assert plan.kernel_transform(0, 3) == pytest.approx(expected, rel=1e-6)
    assert isinstance(plan.kernel(0.5), float) and plan.kernel(np.zeros((2, 3))).shape == (2, 3)
    assert plan.kernel(np.zeros(0)).shape == (0,)


def test_what_is_refused(random):
    plan = offgrid.Plan(1, (20, 40), spread_only=True)
    with pytest.raises(offgrid.Error, match="spread_only"):
        offgrid.Plan(1, 20).kernel(0)
    with pytest.raises(ValueError, match="an axis has 5 cells, expected at least"):
        offgrid.spread((np.zeros(1),), np.zeros(1, complex), 5)
    with pytest.raises(ValueError, match="axis is 2"):
        plan.kernel_transform(2, 0)
    with pytest.raises(ValueError, match="k is 1000"):
        plan.kernel_transform(0, 1000)
    with pytest.raises(TypeError, match="distance"):
        plan.kernel("far")
    with pytest.raises(ValueError, match="cells has the shape"):
        offgrid.interpolate(oracle.random_points(random, 2, 5), np.zeros(20, complex))
    with pytest.raises(ValueError, match="spread_only"):
        offgrid.nufft1((np.zeros(1),), np.zeros(1, complex), 20, upsampling=3)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_functions_with_gradients_refuse_it(library):
    arrays = pytest.importorskip(library)
    module = pytest.importorskip(f"offgrid.{library}")
    make = arrays.zeros if library == "torch" else arrays.numpy.zeros
    with pytest.raises(ValueError, match="spread_only"):
        module.nufft1((make(3),), make(3), 16, spread_only=True)
