"""Package cufinufft on a GPU, with arrays of cupy and torch, against direct sums. Skipped where either is missing."""

import numpy as np
import pytest
import sums

import cufinufft

cupy = pytest.importorskip("cupy", reason="cupy is not installed")


def has_gpu():
    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


pytestmark = pytest.mark.skipif(not has_gpu(), reason="there is no GPU")


def on_cupy(array):
    return cupy.asarray(array)


def on_torch(array):
    return pytest.importorskip("torch").as_tensor(array, device="cuda")


def on_host(array):
    return array.get() if hasattr(array, "get") else array.cpu().numpy()


@pytest.fixture(params=[on_cupy, on_torch], ids=["cupy", "torch"])
def to_gpu(request):
    return request.param


@pytest.mark.parametrize("transforms", [None, 3])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_simple_functions(data, to_gpu, dim, transforms):
    lead = () if transforms is None else (transforms,)
    points, targets, n_modes = data.points[:dim], data.targets[:dim], data.n_modes[:dim]
    there, targets_there = [to_gpu(x) for x in points], [to_gpu(s) for s in targets]
    c, f = data.complex(*lead, points[0].size), data.complex(*lead, *n_modes)
    one, two, three = (getattr(cufinufft, f"nufft{dim}d{t}") for t in (1, 2, 3))
    got = on_host(one(*there, to_gpu(c), n_modes, eps=data.tolerance))
    assert got.shape == lead + n_modes
    assert sums.error(got, sums.type1(points, c, n_modes)) < data.tolerance
    got = on_host(two(*there, to_gpu(f), eps=data.tolerance))
    assert got.shape == lead + points[0].shape
    assert sums.error(got, sums.type2(points, f.reshape(-1, *n_modes))) < data.tolerance
    got = on_host(three(*there, to_gpu(c), *targets_there, eps=data.tolerance))
    assert sums.error(got, sums.type3(points, c, targets)) < data.tolerance


@pytest.mark.parametrize("method", [0, 1, 2])
def test_points_again_and_again(data, method):
    plan = cufinufft.Plan(1, (12,), 2, data.tolerance, dtype=data.dtype, gpu_method=method)
    for scale in (1, 10):
        x, c = (scale * data.points[0]).astype(data.real), data.complex(2, 200)
        plan.setpts(cupy.asarray(x))
        assert sums.error(plan.execute(cupy.asarray(c)).get(), sums.type1([x], c, (12,))) < data.tolerance


def test_stream(data):
    stream = cupy.cuda.Stream(non_blocking=True)
    x, c = data.points[0], data.complex(200)
    with stream:
        plan = cufinufft.Plan(1, (12,), eps=data.tolerance, dtype=data.dtype, gpu_stream=stream.ptr)
        plan.setpts(cupy.asarray(x))
        f = plan.execute(cupy.asarray(c))
    stream.synchronize()
    assert sums.error(f.get(), sums.type1([x], c, (12,))) < data.tolerance


def test_class_of_versions_1():
    random = np.random.default_rng(1)
    z, y, x = random.uniform(-3, 3, (3, 200)).astype("f4")
    plan = cufinufft.cufinufft(1, (6, 5, 4), 1, 1e-12, isign=-1, dtype=np.float32)
    plan.set_pts(cupy.asarray(z), cupy.asarray(y), cupy.asarray(x))
    c, f = cupy.asarray(np.exp(1j * x).astype("c8")), cupy.zeros((6, 5, 4), "c8")
    plan.execute(c, f)
    assert sums.error(f.get(), sums.type1([z, y, x], c.get(), (6, 5, 4), -1)) < 1e-5


def test_spread_and_interpolate_only():
    """What MRI-NUFFT does for density weights: two plans without the FFT; the weights even out the density."""
    random = np.random.default_rng(1)
    points = [cupy.asarray(random.normal(scale=0.7, size=5000).astype("f4").clip(-3, 3)) for _ in "xy"]
    options = dict(upsampfac=1.25, gpu_spreadinterponly=1, gpu_kerevalmeth=0)
    to_cells = cufinufft.Plan(1, (32, 32), eps=1e-3, isign=-1, **options)
    to_points = cufinufft.Plan(2, (32, 32), eps=1e-3, isign=1, **options)
    for plan in (to_cells, to_points):
        plan.setpts(*points)
    weights = cupy.ones(5000, "c8")
    for _ in range(10):
        weights /= cupy.abs(to_points.execute(to_cells.execute(weights)))
    evened = cupy.abs(to_points.execute(to_cells.execute(weights)))
    assert float(evened.std() / evened.mean()) < 0.05


def test_private_setpts():
    x, y = (cupy.linspace(-3, 3, 50, dtype="f4") for _ in "xy")
    plan = cufinufft.Plan(1, (8, 7))
    plan.setpts(x, y)
    c = cupy.ones(50, "c8")
    wanted = plan.execute(c)
    pointers = [cufinufft._compat.get_array_ptr(a) for a in (y, x)]
    assert plan._setpts(plan._plan, 50, *pointers, None, 0, None, None, None) == 0
    assert sums.error(plan.execute(c).get(), wanted.get()) < 1e-6
