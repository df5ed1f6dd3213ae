"""Arrays of other libraries, on the CPU and on the GPU that a rank has: results are of their kind. What is not installed, or finds
no GPU, is skipped; on all ranks alike, since they run on one machine."""

import kinds
import numpy as np
import offgrid.mpi
import oracle
import pytest
import sums


@pytest.fixture(params=list(kinds.KINDS))
def kind(request, comm):
    try:
        made = kinds.KINDS[request.param]()
        if request.param in kinds.ON_GPU:
            kinds.need_gpu_engine()
            if offgrid.mpi.use_device(comm) < 0:
                raise kinds.Absent("liboffgrid_mpi was built without CUDA")
    except kinds.Absent as reason:
        pytest.skip(str(reason))
    return made


def case(comm, random, kind, dtype="complex128"):
    """The points of all ranks, this rank's indices, and its points as arrays of the kind."""
    points = oracle.random_points(random, 2, 400, "float64" if dtype == "complex128" else "float32")
    mine = sums.share_of("even", comm, 400)
    return points, mine, tuple(kind.of(x[mine]) for x in points)


@pytest.mark.parametrize("dtype, tol", (("complex128", 1e-9), ("complex64", 1e-4)))
def test_both_directions(comm, random, kind, dtype, tol):
    points, mine, here = case(comm, random, kind, dtype)
    strengths = oracle.random_complex(random, (3, 400), dtype)
    modes = oracle.random_complex(random, (3, 16, 12), dtype)
    plan = offgrid.mpi.Plan(comm, 1, (16, 12), tol, dtype=dtype, transforms=3)
    plan.set_points(here)
    for _ in range(2):
        found = kind.back(plan.execute(kind.of(strengths[:, mine])))
        assert sums.error(comm, found, oracle.type1(points, strengths, (16, 12))) <= tol
        found = kind.back(plan.adjoint(kind.of(modes)))
        assert sums.error(comm, found, oracle.type2(points, modes)[:, mine]) <= tol


def test_scattered_sums_and_type_3(comm, random, kind):
    points, mine, here = case(comm, random, kind)
    strengths = oracle.random_complex(random, (5, 400))
    plan = offgrid.mpi.Plan(comm, 1, (16, 12), 1e-9, transforms=5, result="scattered")
    plan.set_points(here)
    found = kind.back(plan.execute(kind.of(strengths[:, mine])))
    assert sums.error(comm, found, oracle.type1(points, strengths, (16, 12))[plan.local_vectors]) <= 1e-9

    targets = tuple(random.uniform(-20, 10, 50) for _ in range(2))
    plan = offgrid.mpi.Plan(comm, 3, 2, 1e-9)
    plan.set_points(here, tuple(map(kind.of, targets)))
    found = kind.back(plan.execute(kind.of(strengths[0, mine])))
    assert sums.error(comm, found, oracle.type3(points, strengths[0], targets)) <= 1e-9


def test_a_rank_without_points(comm, random, kind):
    """On a GPU the device must be named: no array says where the rank is to work."""
    points = oracle.random_points(random, 1, 100)
    strengths, mine = oracle.random_complex(random, 100), sums.share_of("all_on_last", comm, 100)
    device = f"cuda:{offgrid.mpi.use_device(comm)}" if kind.name in kinds.ON_GPU else "auto"
    plan = offgrid.mpi.Plan(comm, 1, 32, 1e-9, device=device)
    plan.set_points(kind.of(points[0][mine]))
    assert sums.error(comm, kind.back(plan.execute(kind.of(strengths[mine]))), oracle.type1(points, strengths, (32,))) <= 1e-9


def test_arrays_of_the_wrong_device_are_named(comm, random, kind):
    if kind.name not in kinds.ON_GPU:
        pytest.skip("needs a GPU")
    points, mine, here = case(comm, random, kind)
    plan = offgrid.mpi.Plan(comm, 1, (16, 12))
    plan.set_points(here)
    with pytest.raises(ValueError, match="strengths is on the CPU, but the plan's points are on GPU"):
        plan.execute(np.ones(len(mine), complex))
    with pytest.raises(ValueError, match="but the plan's device is cpu"):
        offgrid.mpi.Plan(comm, 1, (16, 12), device="cpu").set_points(here)
    with pytest.raises(ValueError, match="takes arrays of the CPU"):
        offgrid.mpi.gram(comm, here, (16, 12))
