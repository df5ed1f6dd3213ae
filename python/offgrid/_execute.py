"""What a plan does with data: checks of the arrays and the calls of the extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from offgrid import _core
from offgrid._arrays import KINDS, kind_of
from offgrid._error import ArgumentValueError, Error, Status

if TYPE_CHECKING:
    from offgrid._checks import Points
    from offgrid._plan import Plan


def set_axes(core: _core.Plan, given: list[Points]) -> None:
    """Points, targets, or both."""
    kind, gpu = given[0].kind, given[0].gpu
    kept = [side.settled() for side in given]
    stream = kind.stream(gpu)
    axes = [[kind.memory(array) for array in arrays] for arrays in kept]
    call = {"points": core.set_points, "targets": core.set_targets}[given[0].name]
    (core.set_points_and_targets if len(given) == 2 else call)(*axes, (gpu, stream))
    if gpu >= 0 and not kind.writable:  # borrowed: its owner does not know of our stream
        _core.gpu_wait(gpu, stream)


def run(plan: Plan, call: Any, from_points: bool, data: Any, out: Any) -> Any:
    count, gpu = plan._count, plan._gpu
    if count < 0:
        raise Error(Status.WRONG_STATE, "execute: the plan has no points yet, call set_points first")
    if plan._type == 3 and plan._targets < 0:
        raise Error(Status.WRONG_STATE, "execute: the plan has no targets yet, call set_points or set_targets first")
    name = "strengths" if from_points else plan._uniform
    kind = KINDS.get(type(data)) or kind_of(data, name)
    tails = ((count,), plan._tail()) if from_points else (plan._tail(), (count,))
    array = kind.take(data, name)
    shape = plan._check(kind, array, name, tails[0]) + tails[1]
    array = kind.contiguous(array)
    if out is None:
        result = kind.empty(shape, plan._dtype, gpu)
        source, target = kind.memory(array), kind.memory(result)
        call(*((source, target) if from_points else (target, source)), (gpu, kind.stream(gpu)))
        return kind.finish(result, data, gpu)
    place = plan._place(kind, out, shape)
    result = place if kind.contiguous(place) is place else kind.empty(shape, plan._dtype, gpu)
    source, target = kind.memory(array), kind.memory(result)
    if source[0] < target[0] + target[1] and target[0] < source[0] + source[1]:
        raise ArgumentValueError(f"out shares memory with {name}")
    call(*((source, target) if from_points else (target, source)), (gpu, kind.stream(gpu)))
    if result is not place:
        kind.copy(place, result)
    return out


def add(plan: Plan, data: Any) -> None:
    """Adds the points that a plan of type 3 has to its sum."""
    if plan._count < 0:
        raise Error(Status.WRONG_STATE, "add: the plan has no points yet, call set_points first")
    kind, gpu = kind_of(data, "strengths"), plan._gpu
    array = kind.take(data, "strengths")
    plan._batch = plan._check(kind, array, "strengths", (plan._count,))
    array = kind.contiguous(array)
    stream = kind.stream(gpu)
    plan._core.add(kind.memory(array), (gpu, stream))
    if gpu >= 0 and not kind.writable:
        _core.gpu_wait(gpu, stream)
    plan._sum_like = (kind, None if kind.writable else data)


def finish(plan: Plan, out: Any) -> Any:
    """The values of the sum, an array of the kind of the strengths that were added last."""
    if plan._sum_like is None:
        raise Error(Status.WRONG_STATE, "finish: no sum was begun, call add first")
    if plan._targets < 0:
        raise Error(Status.WRONG_STATE, "finish: the plan has no targets yet, call set_targets first")
    kind, like = plan._sum_like
    gpu, shape = plan._gpu, (*plan._batch, plan._targets)
    place = None if out is None else plan._place(kind, out, shape)
    is_direct = place is not None and kind.contiguous(place) is place
    result = place if is_direct else kind.empty(shape, plan._dtype, gpu)
    plan._core.finish(kind.memory(result), (gpu, kind.stream(gpu)))
    plan._sum_like = None
    if place is None:
        return kind.finish(result, like, gpu)
    if not is_direct:
        kind.copy(place, result)
    return out
