"""Package finufft: every simple function and every plan against direct sums, within the tolerance."""

import numpy as np
import pytest
import sums

import finufft


@pytest.mark.parametrize("transforms", [None, 3])
@pytest.mark.parametrize("dim", [1, 2, 3])
class TestSimple:
    def stack(self, data, transforms, *shape):
        return data.complex(*shape) if transforms is None else data.complex(transforms, *shape)

    def test_type_1(self, data, dim, transforms):
        points, n_modes = data.points[:dim], data.n_modes[:dim]
        c = self.stack(data, transforms, points[0].size)
        f = getattr(finufft, f"nufft{dim}d1")(*points, c, n_modes, eps=data.tolerance)
        assert f.dtype == data.dtype and f.shape == c.shape[:-1] + n_modes
        assert sums.error(f, sums.type1(points, c, n_modes)) < data.tolerance

    def test_type_2(self, data, dim, transforms):
        points, n_modes = data.points[:dim], data.n_modes[:dim]
        f = self.stack(data, transforms, *n_modes)
        c = getattr(finufft, f"nufft{dim}d2")(*points, f, eps=data.tolerance)
        assert c.dtype == data.dtype and c.shape == f.shape[: f.ndim - dim] + points[0].shape
        assert sums.error(c, sums.type2(points, f.reshape(-1, *n_modes))) < data.tolerance

    def test_type_3(self, data, dim, transforms):
        points, targets = data.points[:dim], data.targets[:dim]
        c = self.stack(data, transforms, points[0].size)
        f = getattr(finufft, f"nufft{dim}d3")(*points, c, *targets, eps=data.tolerance)
        assert f.dtype == data.dtype and f.shape == c.shape[:-1] + targets[0].shape
        assert sums.error(f, sums.type3(points, c, targets)) < data.tolerance


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_adjoints(data, dim):
    """<A c, g> = <c, A* g>, where A* is execute_adjoint, for all types."""
    points, targets, n_modes = data.points[:dim], data.targets[:dim], data.n_modes[:dim]
    for nufft_type, other in ((1, n_modes), (2, n_modes), (3, targets[0].shape)):
        plan = finufft.Plan(nufft_type, dim if nufft_type == 3 else n_modes, 2, data.tolerance, dtype=data.dtype)
        plan.setpts(*points, **(dict(zip("stu", targets)) if nufft_type == 3 else {}))
        a = data.complex(2, *(other if nufft_type == 2 else points[0].shape))
        b = data.complex(2, *(points[0].shape if nufft_type == 2 else other))
        forward, backward = plan.execute(a), plan.execute_adjoint(b)
        scale = np.linalg.norm(forward) * np.linalg.norm(b)
        assert abs(np.vdot(b, forward) - np.vdot(backward, a)) < 4 * data.tolerance * scale


def test_signs_and_orders(double):
    x, c = double.points[0], double.complex(200)
    for sign, order in ((1, 0), (-1, 0), (1, 1), (-1, 1)):
        f = finufft.nufft1d1(x, c, 12, eps=1e-10, isign=sign, modeord=order)
        assert sums.error(f, sums.type1([x], c, (12,), sign, order)) < 1e-10


def test_default_signs(double):
    """isign None is +1 for types 1 and 3, -1 for type 2."""
    (x,), (s,) = double.points[:1], double.targets[:1]
    c, f = double.complex(200), double.complex(12)
    wanted = {1: sums.type1([x], c, (12,), 1), 2: sums.type2([x], f[None], -1), 3: sums.type3([x], c, [s], 1)}
    for nufft_type, value in wanted.items():
        plan = finufft.Plan(nufft_type, 1 if nufft_type == 3 else (12,), eps=1e-10)
        plan.setpts(x, s=s if nufft_type == 3 else None)
        assert sums.error(plan.execute(f if nufft_type == 2 else c), value) < 1e-10


def test_points_again_and_again_and_far_outside(double):
    """What nifty-ls does: one plan, new points per call, points outside [-pi, pi)."""
    plan = finufft.Plan(1, (12,), eps=1e-10, nthreads=1, upsampfac=1.25, fftw=64, debug=0)
    for scale in (1, 10, 100):
        x, c = scale * double.points[0], double.complex(200)
        plan.setpts(x)
        assert sums.error(plan.execute(c), sums.type1([x], c, (12,))) < 1e-10


def test_out_is_written_and_returned(double):
    x, y = double.points[:2]
    plan = finufft.Plan(2, (12, 9), 1, 1e-9, -1, dtype=np.complex128)  # by position, as ASPIRE does
    plan.setpts(x=x, y=y)
    f, out = double.complex(12, 9), np.zeros(200, complex)
    assert plan.execute(f, out=out) is out
    assert sums.error(out, sums.type2([x, y], f[None])) < 1e-9
    modes = np.zeros((12, 9), complex)
    assert finufft.nufft2d1(x, y, double.complex(200), out=modes) is modes
    assert np.abs(modes).max() > 0


def test_no_points_and_no_modes(double):
    none = np.zeros(0)
    assert not finufft.nufft1d1(none, none + 0j, 8).any()
    assert not finufft.nufft1d3(none, none + 0j, double.targets[0]).any()
    assert finufft.nufft1d1(double.points[0], double.complex(200), 0).shape == (0,)


def test_leading_axis_of_one(double):
    x, c = double.points[0], double.complex(1, 200)
    assert finufft.nufft1d1(x, c, 8).shape == (1, 8)
    assert finufft.nufft1d2(x, double.complex(1, 8)).shape == (1, 200)


def test_threads_share_a_plan(double):
    from concurrent.futures import ThreadPoolExecutor

    plan = finufft.Plan(1, (12, 9), eps=1e-9)
    plan.setpts(*double.points[:2])
    inputs = [double.complex(200) for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(plan.execute, inputs))
    for c, f in zip(inputs, results):
        assert sums.error(f, sums.type1(double.points[:2], c, (12, 9))) < 1e-9
