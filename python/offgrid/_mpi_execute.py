"""What a plan on many ranks does with arrays: checks, on which the ranks agree, and the calls of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from offgrid import _core
from offgrid._arrays import LEGACY_STREAM, NumpyKind, kind_of
from offgrid._error import ArgumentValueError, Error, Status
from offgrid._mpi_ranks import library

if TYPE_CHECKING:
    from offgrid._checks import Points
    from offgrid._mpi_plan import Plan


class Accuracy:
    """The least error of a plan, for the warning about a tolerance out of reach."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def get(self, name: str) -> float:
        return self.plan.get("expected_error" if self.plan.layout == "slabs" else "reachable_tolerance")


# The library works on CUDA's default stream. What other streams do with the arrays is waited for before, and the library's
# work after a call.
def wait_for_owner(kind: NumpyKind, gpu: int) -> None:
    if gpu >= 0:
        _core.gpu_wait(gpu, kind.stream(gpu))


def wait_for_library(gpu: int) -> None:
    if gpu >= 0:
        _core.gpu_wait(gpu, LEGACY_STREAM)


def settle(given: list[Points]) -> list[list[Any]]:
    """The arrays of points, or of points and targets, as the library reads them."""
    kept = [side.settled() for side in given]
    wait_for_owner(given[0].kind, given[0].gpu)
    return kept


class Call:
    """The arrays of one call, checked."""

    def __init__(self, plan: Plan, from_points: bool, data: Any, out: Any) -> None:
        plan._open()
        if plan._count < 0:
            raise Error(Status.WRONG_STATE, "execute: the plan has no points yet, or a rank was refused its last ones; "
                        "call set_points first")
        if plan._type == 3 and plan._targets < 0:
            raise Error(Status.WRONG_STATE, "execute: the plan has no targets yet, call set_points first")
        uniform = "values" if plan._type == 3 else "modes"
        name = "strengths" if from_points else uniform
        tails = ((plan._count,), plan._tail()) if from_points else (plan._tail(), (plan._count,))
        self.data, self.out, self.gpu = data, out, plan._gpu
        self.kind = kind = kind_of(data, name)
        array = kind.take(data, name)
        self.shape = plan._check(kind, array, name, tails[0]) + tails[1]
        self.source = kind.contiguous(array)
        self.place = None if out is None else plan._place(kind, out, self.shape)
        is_direct = self.place is not None and kind.contiguous(self.place) is self.place
        self.result = self.place if is_direct else kind.empty(self.shape, plan._dtype, self.gpu)
        if out is not None and self.overlap():
            raise ArgumentValueError(f"out shares memory with {name}")
        wait_for_owner(kind, self.gpu)

    def overlap(self) -> bool:
        kind = self.kind
        (a, a_bytes), (b, b_bytes) = (kind.memory(array) for array in (self.source, self.result))
        return a < b + b_bytes and b < a + a_bytes

    def finish(self) -> Any:
        wait_for_library(self.gpu)
        if self.place is None:
            return self.kind.finish(self.result, self.data, self.gpu)
        if self.result is not self.place:
            self.kind.copy(self.place, self.result)
        return self.out


def run(plan: Plan, name: str, from_points: bool, data: Any, out: Any) -> Any:
    with plan._lock:
        with plan._ranks.together():
            call = Call(plan, from_points, data, out)
        source, target = call.kind.memory(call.source)[0], call.kind.memory(call.result)[0]
        library.call(name, plan._handle, *((source, target) if from_points else (target, source)))
        result = call.finish()
    if not from_points or plan._result in ("everywhere", "nowhere"):
        return result
    if plan._result == "on_root":
        return result if plan._comm.rank == 0 else None
    return result.reshape(plan._transforms, *plan._tail())[plan.local_vectors]
