"""Where one rank is refused something, all ranks raise the same error, which names the rank; the plan can be used after it."""

import doctest
import importlib
import inspect
import pathlib
import re

import numpy as np
import offgrid.mpi
import pytest
from mpi4py import MPI


def last(comm):
    return comm.rank == comm.size - 1


def said(comm, words):
    return words if comm.size == 1 else f"rank {comm.size - 1}: {words}"


@pytest.fixture(params=("replicated", "slabs"))
def plan(request, comm):
    made = offgrid.mpi.Plan(comm, 1, (10, 12), layout=request.param)
    made.set_points(np.zeros((4, 2)))
    return made


def test_points_that_are_not_numbers(comm, plan):
    points = np.zeros((5, 2))
    if last(comm):
        points[2, 0] = np.nan
    with pytest.raises(ValueError, match=said(comm, "points")):
        plan.set_points(points)
    plan.set_points(np.zeros((5, 2)))
    assert plan.execute(np.ones(5, complex)).shape == plan.local_shape


@pytest.mark.parametrize("kind", (1, 3))
def test_points_that_one_rank_refuses_are_gone_on_all(comm, kind):
    """The other ranks had taken their 500 points, and an execute with 5 strengths read past them."""
    plan = offgrid.mpi.Plan(comm, kind, 2 if kind == 3 else (10, 12))
    good, bad = np.zeros((5, 2)), np.zeros((500, 2))
    if last(comm):
        bad[300, 1] = np.nan
    targets = (np.zeros((120, 2)),) if kind == 3 else ()
    plan.set_points(good, *targets)
    with pytest.raises(ValueError, match=said(comm, "")):
        plan.set_points(bad, *targets)
    assert plan.count is None
    for count in (5, 500):
        with pytest.raises(offgrid.Error, match="call set_points first") as caught:
            plan.execute(np.ones(count, complex))
        assert caught.value.status is offgrid.Status.WRONG_STATE
    if kind == 3:
        with pytest.raises(offgrid.Error, match="set_points_and_targets first"):
            plan.set_points(good)
    plan.set_points(good, *targets)
    assert np.allclose(plan.execute(np.ones(5, complex)), 5 * comm.size)


def test_dtypes_and_shapes(comm, plan):
    points = np.zeros((5, 2), "float32" if last(comm) else "float64")
    with pytest.raises(TypeError, match=said(comm, r"points has the dtype float32; expected float64")):
        plan.set_points(points)
    with pytest.raises(ValueError, match=said(comm, r"points has 3 arrays")):
        plan.set_points((np.zeros(4),) * (3 if last(comm) else 2))
    with pytest.raises(TypeError, match=said(comm, r"strengths has the dtype complex64")):
        plan.execute(np.ones(4, "complex64" if last(comm) else "complex128"))
    with pytest.raises(ValueError, match=said(comm, r"strengths has the shape \(5,\); expected \(4,\)")):
        plan.execute(np.ones(5 if last(comm) else 4, complex))
    with pytest.raises(ValueError, match=said(comm, r"modes has the shape \(3, 3\)")):
        plan.adjoint(np.ones((3, 3) if last(comm) else plan.local_shape, complex))
    with pytest.raises(TypeError, match=said(comm, "strengths is a list; expected an array")):
        plan.execute([1, 2, 3, 4] if last(comm) else np.ones(4, complex))
    assert plan.execute(np.ones(4, complex)).shape == plan.local_shape


def test_results_in_place_are_refused(comm):
    plan = offgrid.mpi.Plan(comm, 1, 4)
    plan.set_points(np.zeros(4))
    data = np.ones(4, complex)
    with pytest.raises(ValueError, match=said(comm, "out shares memory with strengths")):
        plan.execute(data, out=data if last(comm) else np.empty(4, complex))
    with pytest.raises(ValueError, match=said(comm, "out has the shape")):
        plan.execute(data, out=np.empty(5 if last(comm) else 4, complex))


def test_problems_of_one_rank_that_are_none_of_offgrids(comm, plan):
    class Odd:
        dtype = np.dtype(complex)

        def __array__(self, *_, **__):
            raise MemoryError("no room")

        @property
        def __dlpack__(self):
            raise MemoryError("no room")

    with pytest.raises(offgrid.Error, match=said(comm, "no room")) as caught:
        plan.execute(Odd() if last(comm) else np.ones(4, complex))
    assert caught.value.status is offgrid.Status.OUT_OF_MEMORY


@pytest.mark.parametrize("arguments, words", [
    ({"type": 4}, "type"), ({"shape": (8, -1)}, r"shape\[1\] is -1"), ({"tol": -1}, "tolerance is -1"),
    ({"layout": "pencils"}, "expected one of replicated, slabs"), ({"result": "here"}, "expected one of everywhere"),
    ({"result": "nowhere"}, "only a type 3"), ({"device": "tpu"}, "device is 'tpu'"),
    ({"layout": "slabs", "shape": 8}, "1D"), ({"layout": "slabs", "result": "on_root"}, "slabs"),
    ({"layout": "slabs", "type": 3, "shape": 2}, "type is 3"), ({"mode_order": "middle"}, "mode_order"),
])
def test_plans_that_are_refused(comm, arguments, words):
    with pytest.raises(ValueError, match=words):
        offgrid.mpi.Plan(comm, **{"type": 1, "shape": (8, 8), **arguments})


def test_wrong_types_are_type_errors_everywhere(comm):
    with pytest.raises(TypeError, match='option "sgn" is unknown'):
        offgrid.mpi.Plan(comm, 1, (8, 8), sgn=1)
    with pytest.raises(TypeError, match=said(comm, "tol is 'x'")):
        offgrid.mpi.Plan(comm, 1, (8, 8), tol="x" if last(comm) else 1e-3)
    with pytest.raises(TypeError, match="comm is a int"):
        offgrid.mpi.Plan(1, 1, (8, 8))
    with pytest.raises(ValueError, match="COMM_NULL"):
        offgrid.mpi.Plan(MPI.COMM_NULL, 1, (8, 8))


@pytest.mark.parametrize("layout", ("replicated", "slabs"))
@pytest.mark.parametrize("arguments, words", [
    ({"shape": (8, 10)}, "modes = 8 x 10 here, and modes = 8 x 9 on rank 0"),
    ({"dtype": "complex64"}, "precision = f32 here, and precision = f64 on rank 0"),
    ({"transforms": 2}, "transforms = 2 here"), ({"tol": 1e-7}, "tolerance = 1e-07 here"),
    ({"mode_order": "fft"}, "mode_order = fft here, and mode_order = centred"), ({"type": 2}, "type = 2 here"),
])
def test_arguments_that_differ_between_the_ranks(comm, arguments, words, layout):
    given = {"type": 1, "shape": (8, 9), "layout": layout}
    if comm.size > 1:
        with pytest.raises(ValueError, match=said(comm, "the arguments differ between the ranks: .*" + words)):
            offgrid.mpi.Plan(comm, **{**given, **(arguments if last(comm) else {})})


def test_results_and_targets_that_differ_between_the_ranks(comm):
    if comm.size == 1:
        return
    with pytest.raises(ValueError, match=said(comm, ".*result = on_root here, and result = everywhere on rank 0")):
        offgrid.mpi.Plan(comm, 1, 8, result="on_root" if last(comm) else "everywhere")
    with pytest.raises(ValueError, match=said(comm, "result is 'on_root', but modes of slabs stay where they are")):
        offgrid.mpi.Plan(comm, 1, (8, 9), layout="slabs", result="on_root" if last(comm) else "everywhere")
    plan = offgrid.mpi.Plan(comm, 3, 1)
    plan.set_points(np.zeros(5), np.zeros(4 if last(comm) else 3))
    with pytest.raises(offgrid.Error, match=f"rank {comm.size - 1} has 4 targets, and rank 0 has 3") as caught:
        plan.execute(np.ones(5, complex))
    assert caught.value.status is offgrid.Status.WRONG_STATE


def test_states(comm):
    plan = offgrid.mpi.Plan(comm, 1, 8)
    with pytest.raises(offgrid.Error, match="no points yet"):
        plan.execute(np.ones(4, complex))
    with pytest.raises(TypeError, match="one tuple"):
        plan.set_points(np.zeros(3), np.zeros(3))
    if last(comm):
        plan.close()
    with pytest.raises(offgrid.Error, match=said(comm, "the plan was closed")) as caught:
        plan.set_points(np.zeros(3))
    assert caught.value.status is offgrid.Status.WRONG_STATE
    with pytest.raises(offgrid.Error, match="not made"):
        offgrid.mpi.Plan.__new__(offgrid.mpi.Plan).describe()
    with pytest.raises(ValueError, match="pints"):
        offgrid.mpi.Plan(comm, 1, 8).get("pints")


@pytest.mark.parametrize("layout", ("replicated", "slabs"))
def test_tolerances_out_of_reach(comm, layout):
    with pytest.warns(offgrid.AccuracyWarning):
        offgrid.mpi.Plan(comm, 1, (8, 8), tol=1e-18, layout=layout).set_points(np.zeros((3, 2)))


@pytest.mark.parametrize("module", ("mpi", "_mpi_plan", "_mpi_gram"))
def test_docstrings_run(module):
    failed, run = doctest.testmod(importlib.import_module("offgrid." + module))
    assert run and not failed


def test_the_programs_of_the_page_on_many_ranks(comm):
    page = pathlib.Path(__file__).parents[2] / "docs/scaling.md"
    programs = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert programs
    for program in programs:
        names = {"__name__": "__main__"}
        exec(compile(program, "scaling.md", "exec"), names)
        assert abs(names["modes"][32, 32, 32] - 1000 * comm.size) < 1e-3


def test_signatures_name_the_options():
    for function in (offgrid.mpi.Plan.__init__, offgrid.mpi.gram):
        assert {"comm", "tol", "mode_order", "threads"} <= set(inspect.signature(function).parameters)
