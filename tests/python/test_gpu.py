"""What only a GPU can show: the array's device picks the engine, its stream the stream; wrong mixes are named."""

import gc

import kinds
import numpy as np
import offgrid
import oracle
import pytest
from conftest import made


def arrays(kind, random, count=1000, dim=2):
    points = oracle.random_points(random, dim, count)
    strengths = oracle.random_complex(random, count)
    return points, strengths, tuple(map(kind.of, points)), kind.of(strengths)


def test_the_device_of_the_points_picks_the_engine(gpu_kind, random):
    points, strengths, on_gpu, data = arrays(gpu_kind, random)
    plan = offgrid.Plan(1, (16, 16))
    plan.set_points(on_gpu)
    assert oracle.error(gpu_kind.back(plan.execute(data)), oracle.type1(points, strengths, (16, 16))) < 1e-6
    plan.set_points(points)  # and back to the CPU
    assert oracle.error(plan.execute(strengths), oracle.type1(points, strengths, (16, 16))) < 1e-6


def test_arrays_of_the_wrong_device_are_named(gpu_kind, random):
    points, strengths, on_gpu, data = arrays(gpu_kind, random)
    for given_points, given_data in ((points, data), (on_gpu, strengths)):
        with pytest.raises(ValueError, match="strengths is on .*, but points on"):
            offgrid.nufft1(given_points, given_data, (8, 8))
    with pytest.raises((TypeError, ValueError), match=r"points\[1\] is"):
        offgrid.nufft1((on_gpu[0], points[1]), data, (8, 8))
    with pytest.raises(ValueError, match="points is on GPU 0, but the plan's device is cpu"):
        offgrid.Plan(1, (8, 8), device="cpu").set_points(on_gpu)
    with pytest.raises(ValueError, match="points is on the CPU, but the plan's device is cuda"):
        offgrid.Plan(1, (8, 8), device="cuda").set_points(points)


def test_non_contiguous_input(gpu_kind, random):
    points, strengths, _, _ = arrays(gpu_kind, random)
    wide = gpu_kind.of(np.repeat(strengths, 2))[::2]
    matrix = gpu_kind.of(np.stack(points, axis=1))
    found = gpu_kind.back(offgrid.nufft1(matrix, wide, (16, 16)))
    assert oracle.error(found, oracle.type1(points, strengths, (16, 16))) < 1e-6


def test_temporaries_live_as_long_as_the_gpu_needs_them(gpu_kind, random):
    """Strided input and arrays that are dropped at once, while the memory pool hands their memory out again."""
    points, strengths, on_gpu, _ = arrays(gpu_kind, random, count=200_000)
    plan = offgrid.Plan(1, (64, 64), dtype="complex128")
    plan.set_points(on_gpu)
    doubled = gpu_kind.of(np.repeat(strengths, 2))
    expected = gpu_kind.back(plan.execute(gpu_kind.of(strengths)))
    results = []
    for _ in range(10):
        results.append(plan.execute(doubled[::2]))
        gpu_kind.of(np.full(200_000, np.nan + 0j))  # takes the freed memory, if it is free too early
    gc.collect()
    for result in results:
        assert oracle.error(gpu_kind.back(result), expected) < 1e-12


def delayed_ones(kind, count, stream):
    """An array that holds ones only when the work already on the stream is done: the copy comes late."""
    if kind.name == "cupy":
        with stream:
            data = kind.cupy.zeros(count, "complex128")
            busy = kind.cupy.ones(1 << 27)
            spin(lambda: kind.cupy.sqrt(busy, out=busy))
            data += 1
        return data
    torch = kind.torch
    with torch.cuda.stream(stream):
        data = torch.zeros(count, dtype=torch.complex128, device="cuda")
        spin(torch.ones(1 << 27, device="cuda").sqrt_)
        data += 1
    return data


def spin(work):
    for _ in range(100):
        work()


@pytest.mark.parametrize("name", ["cupy", "torch-cuda"])
def test_the_current_stream_is_the_stream(name, random):
    kind = made(name)
    _, _, on_gpu, _ = arrays(kind, random, count=5000)
    plan = offgrid.Plan(1, (16, 16))
    plan.set_points(on_gpu)
    if name == "cupy":
        stream = kind.cupy.cuda.Stream(non_blocking=True)
        current = stream
    else:
        stream = kind.torch.cuda.Stream()
        current = kind.torch.cuda.stream(stream)
        stream.wait_stream(kind.torch.cuda.current_stream())
    kind.back(on_gpu[0])  # the points are there
    data = delayed_ones(kind, 5000, stream)
    with current:  # on any other stream the data would still be zeros
        result = plan.execute(data)
    stream.synchronize()
    assert abs(kind.back(result)[8, 8] - 5000) < 1e-2


def test_a_stream_that_changes_between_calls():
    kind = made("cupy")
    random = np.random.default_rng(2)
    points, strengths, on_gpu, data = arrays(kind, random, count=5000)
    plan = offgrid.Plan(1, (16, 16))
    kind.cupy.cuda.Device().synchronize()
    results = []
    for _ in range(5):
        with kind.cupy.cuda.Stream(non_blocking=True):
            plan.set_points(on_gpu)
        with kind.cupy.cuda.Stream(non_blocking=True):
            results.append(plan.execute(data))
    kind.cupy.cuda.Device().synchronize()
    for result in results:
        assert oracle.error(kind.back(result), oracle.type1(points, strengths, (16, 16))) < 1e-6


def test_tensors_that_were_written_to_are_new_points(random):
    kind = made("torch-cuda")
    points, strengths, on_gpu, data = arrays(kind, random, dim=1)
    x = on_gpu[0]
    import offgrid.torch as ot
    ot.nufft1((x,), data, 16)
    x += 0.5
    assert oracle.error(kind.back(ot.nufft1((x,), data, 16)), oracle.type1((points[0] + 0.5,), strengths, (16,))) < 1e-6
    x.data += 0.5  # which leaves the version as it was
    assert oracle.error(kind.back(ot.nufft1((x,), data, 16)), oracle.type1((points[0] + 1,), strengths, (16,))) < 1e-6


def test_anything_with_dlpack_on_a_gpu(random):
    kind = made("cupy")
    points, strengths, on_gpu, data = arrays(kind, random)
    found = offgrid.nufft1(tuple(map(kinds.OnlyDlpack, on_gpu)), kinds.OnlyDlpack(data), (16, 16))
    assert oracle.error(kind.back(kind.cupy.from_dlpack(found)), oracle.type1(points, strengths, (16, 16))) < 1e-6


def test_cupyx_solver(random):
    kind = made("cupy")
    linalg = pytest.importorskip("cupyx.scipy.sparse.linalg")
    _, _, on_gpu, _ = arrays(kind, random)
    plan = offgrid.Plan(2, (8, 8), 1e-10)
    plan.set_points(on_gpu)
    A = offgrid.LinearOperator(plan)
    modes = kind.of(oracle.random_complex(random, (8, 8)))
    normal = linalg.LinearOperator((64, 64), matvec=lambda v: A.rmatvec(A.matvec(v)), dtype=A.dtype)
    found, failed = linalg.cg(normal, A.rmatvec(plan.execute(modes)), maxiter=100)
    assert not failed and oracle.error(kind.back(found.reshape(8, 8)), kind.back(modes)) < 1e-4
