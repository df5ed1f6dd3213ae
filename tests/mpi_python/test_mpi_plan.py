"""Plans of offgrid.mpi against direct sums over the points of all ranks."""

import numpy as np
import offgrid.mpi
import oracle
import pytest
import sums
from oracle import random_complex, random_points

TOLERANCE = {"complex128": 1e-9, "complex64": 1e-4}
REAL = {"complex128": "float64", "complex64": "float32"}


def expect_accurate(comm, random, kind, shape, *, layout="replicated", dtype="complex128", share="even", lead=(), **options):
    """A transform and its adjoint."""
    tol, count, transforms = TOLERANCE[dtype], 300, int(np.prod(lead))
    points = random_points(random, len(shape), count, REAL[dtype])
    strengths = random_complex(random, (*lead, count), dtype)
    modes = random_complex(random, (*lead, *shape), dtype)
    mine = sums.share_of(share, comm, count)
    plan = offgrid.mpi.Plan(comm, kind, shape, tol, dtype=dtype, transforms=transforms, layout=layout, **options)
    plan.set_points(tuple(x[mine] for x in points))
    sign = options.get("sign", -1 if kind == 1 else 1)
    local = (..., *plan.local_modes)
    for call, to_modes, s in ((plan.execute, kind == 1, sign), (plan.adjoint, kind == 2, -sign)):
        if to_modes:
            found, expected = call(strengths[..., mine]), oracle.type1(points, strengths, shape, s)[local]
        else:
            found, expected = call(modes[local]), oracle.type2(points, modes, s)[..., mine]
        assert str(found.dtype) == dtype
        assert sums.error(comm, found, expected) <= tol


@pytest.mark.parametrize("share", sums.SHARES)
@pytest.mark.parametrize("kind", (1, 2))
@pytest.mark.parametrize("shape", ((50,), (14, 9), (8, 7, 6)))
def test_replicated_modes(comm, random, shape, kind, share):
    for dtype in TOLERANCE:
        expect_accurate(comm, random, kind, shape, dtype=dtype, share=share)


@pytest.mark.parametrize("share", sums.SHARES)
@pytest.mark.parametrize("kind", (1, 2))
@pytest.mark.parametrize("shape", ((24, 20), (13, 17), (10, 12, 14), (6, 2, 3)))
def test_slabs(comm, random, shape, kind, share):
    for dtype in TOLERANCE:
        expect_accurate(comm, random, kind, shape, layout="slabs", dtype=dtype, share=share)


@pytest.mark.parametrize("layout", ("replicated", "slabs"))
def test_batches_and_signs(comm, random, layout):
    expect_accurate(comm, random, 1, (12, 9, 10), layout=layout, lead=(2, 3), sign=1)
    expect_accurate(comm, random, 2, (12, 9), layout=layout, lead=(3,), sign=-1, upsampling=2)


def test_slabs_share_out_the_modes(comm):
    plan = offgrid.mpi.Plan(comm, 1, (10, 12, 14), layout="slabs")
    covered = np.zeros((10, 12, 14))
    covered[plan.local_modes] += 1
    assert (comm.allreduce(covered) == 1).all()
    assert plan.local_shape == covered[plan.local_modes].shape
    assert plan.local_modes[0] == slice(0, 10) and plan.local_modes[2] == slice(0, 14)


def test_the_sum_goes_where_it_is_asked_for(comm, random):
    shape, count = (12, 10), 200
    points, strengths = random_points(random, 2, count), random_complex(random, (5, count))
    expected, mine = oracle.type1(points, strengths, shape), sums.share_of("even", comm, count)
    for result in ("everywhere", "on_root", "scattered"):
        plan = offgrid.mpi.Plan(comm, 1, shape, 1e-9, transforms=5, result=result)
        plan.set_points(tuple(x[mine] for x in points))
        out = np.empty((5, *shape), complex)
        for found in (plan.execute(strengths[:, mine]), plan.execute(strengths[:, mine], out=out)):
            if result == "on_root" and comm.rank > 0:
                assert found is None
                continue
            part = plan.local_vectors
            assert found.shape == (part.stop - part.start, *shape)
            assert np.abs(found - expected[part]).max(initial=0) < 1e-6
        if result == "everywhere":
            assert found is out
        total = comm.allreduce(plan.local_vectors.stop - plan.local_vectors.start)
        assert total == (5 if result == "scattered" else 5 * comm.size)
        assert plan.result == result


def test_type_3_by_sources_and_by_targets(comm, random):
    sources = tuple(random.uniform(-5, 7, 150) for _ in range(2))
    targets = tuple(random.uniform(-20, 10, 140) for _ in range(2))
    strengths, values = random_complex(random, 150), random_complex(random, 140)
    expected, back = oracle.type3(sources, strengths, targets), oracle.type3(targets, values, sources, -1)
    my_sources, my_targets = sums.share_of("none_on_rank_0", comm, 150), sums.share_of("even", comm, 140)

    plan = offgrid.mpi.Plan(comm, 3, 2, 1e-8)
    plan.set_points(tuple(x[my_sources] for x in sources), targets)
    assert sums.error(comm, plan.execute(strengths[my_sources]), expected) <= 1e-8
    assert sums.error(comm, plan.adjoint(values), back[my_sources]) <= 1e-8

    plan = offgrid.mpi.Plan(comm, 3, 2, 1e-8, result="nowhere")
    plan.set_points(sources, tuple(s[my_targets] for s in targets))
    assert (plan.count, plan.targets) == (150, len(my_targets))
    assert sums.error(comm, plan.execute(strengths), expected[my_targets]) <= 1e-8
    assert sums.error(comm, plan.adjoint(values[my_targets]), back) <= 1e-8


def test_out_may_be_strided_and_points_may_be_set_again(comm, random):
    plan = offgrid.mpi.Plan(comm, 1, (10, 12), 1e-9)
    for count in (40, 0, 7):
        points, strengths = random_points(random, 2, count * comm.size), random_complex(random, count * comm.size)
        mine = sums.share_of("even", comm, count * comm.size)
        plan.set_points(np.stack([x[mine] for x in points], axis=1))
        out = np.full((12, 10), 7j).T
        assert plan.execute(strengths[mine], out=out) is out
        assert sums.error(comm, out, oracle.type1(points, strengths, (10, 12))) <= 1e-9


def test_part_of_the_ranks(comm, random):
    """Communicators that were split off; when one is freed, its plans' library handle is, too."""
    part = comm.Split(comm.rank % 2)
    expect_accurate(part, random, 1, (14, 9), layout="slabs")
    expect_accurate(part, random, 2, (14, 9))
    part.Free()
    single = comm.Split(comm.rank)
    expect_accurate(single, random, 1, (14, 9))
    single.Free()


def test_what_a_plan_says(comm):
    plan = offgrid.mpi.Plan(comm, 1, (32, 48), tol=1e-9, layout="slabs", sign=1)
    assert "slabs" in plan.describe()
    plan.set_points(np.zeros((5, 2)))
    assert comm.allreduce(plan.get("points")) == 5 * comm.size
    assert plan.get("grid1") > plan.get("grid2") >= 32 and plan.get("expected_error") <= 1e-9
    plan.execute(np.ones(5, complex))
    assert plan.get("seconds_fft") > 0
    assert (plan.comm, plan.type, plan.shape, plan.dim, plan.tol) == (comm, 1, (32, 48), 2, 1e-9)
    assert (plan.dtype, plan.transforms, plan.device, plan.layout) == ("complex128", 1, "auto", "slabs")
    assert dict(plan.options) == {"sign": 1} and "layout='slabs'" in repr(plan)
    with pytest.raises(AttributeError):
        plan.tol = 1
    with pytest.raises(AttributeError):
        plan.toll
    with pytest.raises(TypeError, match="pickled"):
        __import__("pickle").dumps(plan)


def test_a_device_for_each_rank(comm):
    assert offgrid.mpi.use_device(comm) >= -1
