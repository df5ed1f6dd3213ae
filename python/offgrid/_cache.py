"""Plans that are kept between calls, by problem and by points.

A plan is taken out of the cache while it is used, so that threads never share one. Points count as the same by their
values; arrays of jax on a GPU, which cannot change, by themselves. Where to compare would cost more than to set them
again (cupy), the points are set again, and only the plan is kept.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Any, Iterator

from offgrid import _core
from offgrid._arrays import NumpyKind
from offgrid._checks import Points, number, options_of
from offgrid._plan import Plan

KEPT_PLANS = 8
SMALL_BYTES = 256 << 20  # plain transforms leave no larger plan behind

_lock = threading.Lock()
_entries: list[tuple[Any, Plan, Any]] = []  # (problem, plan, remembered points), least recently used first


def clear_cache() -> None:
    """Frees the plans that nufft1, nufft2, nufft3, offgrid.torch and offgrid.jax keep for later calls, and idle memory of GPUs.

    >>> import offgrid
    >>> offgrid.clear_cache()
    """
    with _lock:
        _entries.clear()
    _core.release_memory()


def _take(problem: Any, kind: NumpyKind, arrays: list[Any]) -> tuple[Plan | None, Any]:
    """A plan for the problem, best one with these points already; it leaves the cache."""
    with _lock:
        fitting = [entry for entry in reversed(_entries) if entry[0] == problem]
    found = [entry for entry in fitting if entry[2] is not None and entry[2].same(kind, arrays)]
    with _lock:
        for entry in found + fitting:
            place = next((i for i, kept in enumerate(_entries) if kept is entry), None)
            if place is not None:  # not taken by another thread meanwhile
                del _entries[place]
                return entry[1], entry[2] if any(entry is same for same in found) else None
    return None, None


def _keep(problem: Any, plan: Plan, remembered: Any) -> None:
    with _lock:
        _entries.append((problem, plan, remembered))
        del _entries[:-KEPT_PLANS]


def problem_of(settings: dict[str, Any]) -> tuple[Any, ...]:
    """The settings as something that can be compared: numbers and words only."""
    options = {name: value for name, value in settings.items() if name not in ("tol", "dtype", "transforms", "device")}
    return (number(settings["tol"], "tol"), settings["dtype"], settings["transforms"], str(settings["device"]),
            tuple(sorted(options_of(options).items())))


@contextmanager
def plan_for(type: int, shape: tuple[int, ...] | int, points: Points, settings: dict[str, Any], *,
             targets: Points | None = None, keep_large: bool) -> Iterator[Plan]:
    """A plan for the problem with its points set, and for type 3 its targets. settings: the other arguments of Plan."""
    where = "cpu" if points.gpu < 0 else f"cuda:{points.gpu}"
    settings = dict(settings)
    if settings["device"] == "auto":
        settings["device"] = where
    problem = (type, shape, points.gpu, problem_of(settings))
    arrays = points.arrays + ([] if targets is None else targets.arrays)
    plan, remembered = _take(problem, points.kind, arrays)
    if plan is None:
        plan = Plan(type, shape, **settings)
    if remembered is None:
        plan._set(points, targets)
        remembered = points.kind.remember(arrays) if keep_large or _is_small(plan) else None
    yield plan
    if keep_large or _is_small(plan):
        _keep(problem, plan, remembered)


def _is_small(plan: Plan) -> bool:
    return plan.get("memory_bytes") <= SMALL_BYTES
