"""Least squares: density weights, conjugate gradients on the normal equations, and the inverse transform made of them.

The loops are written with the operators that arrays of numpy, cupy, torch and jax share. On a GPU their scalars stay there:
the host waits for none of them, unless a stopping rule or a callback asks for a number in each step.
"""

from __future__ import annotations

import sys
from math import isfinite, prod, sqrt
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from offgrid import _typing
from offgrid._arrays import PRECISIONS, kind_of
from offgrid._checks import Points, columns, number, options_of, shape_of, whole
from offgrid._error import ArgumentTypeError, ArgumentValueError
from offgrid._gram import Gram
from offgrid._options import Options
from offgrid._plan import Plan
from offgrid._signature import written_out

if TYPE_CHECKING:
    from typing_extensions import Unpack

Callback = Callable[[int, float], Any]


def library_of(array: Any) -> Any:
    """The module whose functions work on the array."""
    name = type(array).__module__.partition(".")[0]
    return sys.modules[{"jaxlib": "jax.numpy", "jax": "jax.numpy"}.get(name, name)]


def inner(a: Any, b: Any) -> Any:
    """The real part of the sum of conj(a) b, a number where the arrays are."""
    return library_of(a).vdot(a.reshape(-1), b.reshape(-1)).real


def steps_of(iterations: Any) -> int:
    steps = whole(iterations, "iterations")
    if steps < 0:
        raise ArgumentValueError(f"iterations is {steps}; expected 0 or more")
    return steps


def least_of(array: Any) -> float:
    """The smallest normal number of the array's precision."""
    dtype = str(array.dtype).rpartition(".")[2]
    return float(np.finfo(np.float64 if dtype in ("complex128", "float64") else np.float32).tiny)


def in_its_unit(array: Any) -> tuple[Any, Any]:
    """The array over its unit, and that: an eighth of the largest real and the largest imaginary part together, or 1 for
    zeros. The eighth keeps the sum in range, and its reciprocal from being subnormal."""
    if 0 in array.shape:
        return array * 1, 1.0
    dtype = str(array.dtype).rpartition(".")[2]
    parts = (array.real, array.imag) if dtype.startswith("complex") else (array,)
    largest = sum(0.125 * abs(part).max() for part in parts)
    unit = largest + (largest < least_of(array))  # what is smaller has no reciprocal
    return array * (1 / unit), unit


def norm_of(array: Any, unit: float) -> float:
    """The norm in that unit."""
    scaled, own = in_its_unit(array)
    return root_of(inner(scaled, scaled)) * (float(own) / unit)


def root_of(square: Any, name: str = "residual") -> float:
    """The square root of a number that decides whether to go on."""
    if not isfinite(found := float(square)):
        raise ArgumentValueError(f"the {name} is not finite: there is NaN or infinity in what was given, or the numbers left "
                                 "the range of their dtype")
    return sqrt(found)


def at_least(value: Any, name: str, low: float) -> float:
    given = number(value, name)
    if not given >= low:
        raise ArgumentValueError(f"{name} is {value}; expected {low:g} or more")
    return given


def conjugate_gradients(operator: Callable[[Any], Any], right: Any, iterations: int = 20, *, rtol: float = 1e-6,
                        regularisation: float = 0.0, start: Any = None, callback: Callback | None = None) -> Any:
    """Solves (G + regularisation) f = right by conjugate gradients; G is Hermitian and positive, such as offgrid.gram's.

    operator: a function that gives G f, of the shape of f. right: an array of numpy, cupy, torch or jax, of any shape.
    It stops after `iterations` steps, or when the residual is at most `rtol` times the norm of `right`. start: the f to
    begin with, 0 by default. callback(step, residual): called after each step, with the relative residual; it stops where
    the callback returns something true. With rtol=0 and no callback nothing is read back from a GPU, so that all can be
    captured in a graph.

    >>> import numpy as np, offgrid
    >>> x = np.random.default_rng(1).uniform(-np.pi, np.pi, 100)
    >>> f = np.arange(16) + 0j
    >>> gram = offgrid.gram((x,), 16, tol=1e-12)
    >>> bool(np.allclose(offgrid.conjugate_gradients(gram, gram(f), 50, rtol=1e-12), f))
    True
    """
    kind_of(right, "right")
    steps, enough = steps_of(iterations), at_least(rtol, "rtol", 0)
    more = at_least(regularisation, "regularisation", 0)
    watched = enough > 0 or callback is not None

    def apply(direction: Any) -> Any:
        image = operator(direction)
        return image + more * direction if more > 0 else image

    # All is in units of the first residual, so that squares are in range whatever that is; a quotient of zeros is 0. The steps
    # have as few operations on numbers as they can: on a GPU each of these is a kernel.
    residual, unit = in_its_unit(right if start is None else right - apply(start))
    found, direction, square = residual * 0, residual * 1, inner(residual, residual)
    least = least_of(right)
    left = norm = root_of(square) if watched else 1.0
    if watched and start is not None:
        norm = norm_of(right, float(unit))
    for step in range(1, 1 if watched and left <= enough * norm else steps + 1):
        image = apply(direction)
        length = square / (inner(direction, image) + least)
        found = found + length * direction
        residual = residual - length * image
        before, square = square, inner(residual, residual)
        if watched:
            left = root_of(square)
            left = left / norm if norm > 0 else left and float("inf")
            if (callback is not None and callback(step, left)) or left <= enough:
                break
        direction = residual + (square / (before + least)) * direction
    return found * unit if start is None else start + found * unit


def complex_of(points: Points) -> str:
    """The dtype of what goes with points."""
    return next(name for name, real in PRECISIONS.items() if real == points.dtype)


def like(points: Points, name: str, array: Any, shape: tuple[int, ...], dtype: str) -> None:
    """Refuses an array that does not go with the points."""
    kind = kind_of(array, name)
    if type(kind) is not type(points.kind):
        raise ArgumentTypeError(f"{name} is a {type(array).__name__}; expected the kind of the points")
    if kind.dtype(kind.take(array, name)) != dtype:
        raise ArgumentTypeError(f"{name} has the dtype {kind.dtype(kind.take(array, name))}; expected {dtype}")
    if tuple(array.shape) != shape:
        raise ArgumentValueError(f"{name} has the shape {tuple(array.shape)}; expected {shape}")


@written_out
def inverse(values: Any, points: _typing.Points, shape: _typing.Shape, weights: Any = None, tol: float = 1e-6, *,
            coils: Any = None, regularisation: float = 0.0, start: Any = None, iterations: int = 20, rtol: float = 1e-6,
            callback: Callback | None = None, device: str = "auto", **options: Unpack[Options]) -> Any:
    """The modes f whose values at the points come nearest to `values`: least squares, by conjugate gradients.

    It minimises  sum over j of w[j] |(A f)[j] - values[j]|^2 + regularisation |f|^2,  A the transform of type 2.
    points, shape, tol, device and the options are as in Plan; values: (M,), complex. weights: (M,), real and not below 0,
    which is not checked, or None for ones; offgrid.density_weights makes steps count for more. start: the modes to begin
    with, of the shape `shape`, or None for zeros. iterations, rtol, callback: as in offgrid.conjugate_gradients.
    coils: (C, *shape), complex, the sensitivities of C receivers; values are then (C, M), and the sum is over the coils of
    |A (coil f) - values|^2 (SENSE).

    >>> import numpy as np, offgrid
    >>> x = np.random.default_rng(1).uniform(-np.pi, np.pi, 200)
    >>> f = np.exp(-0.1 * np.arange(-8, 8)**2) + 0j
    >>> found = offgrid.inverse(offgrid.nufft2((x,), f, tol=1e-12), (x,), 16, tol=1e-12, iterations=50, rtol=1e-10)
    >>> bool(np.allclose(found, f, atol=1e-7))
    True
    """
    sizes, checked = shape_of(shape), Points(points, len(shape_of(shape)))
    dtype = complex_of(checked)
    if "transforms" in options:
        raise ArgumentTypeError("transforms is no option of an inverse: it has as many vectors as coils")
    lead = () if coils is None else tuple(kind_of(coils, "coils").take(coils, "coils").shape[:1])
    vectors = prod(lead)
    like(checked, "values", values, (*lead, checked.count), dtype)
    for name, array, form, expected in (("weights", weights, (checked.count,), checked.dtype),
                                        ("coils", coils, (*lead, *sizes), dtype), ("start", start, sizes, dtype)):
        if array is not None:
            like(checked, name, array, form, expected)
    with Plan(2, sizes, dtype=dtype, tol=tol, transforms=vectors, device=device, **options) as plan:
        plan._set(checked)
        weighted = plan.adjoint(values if weights is None else values * weights)
    conjugate = None if coils is None else coils.conj()

    def combined(images: Any) -> Any:
        return images if coils is None else (conjugate * images).sum(0)

    with Gram(points, sizes, weights, tol, vectors, device, dict(options)) as gram:
        return conjugate_gradients(lambda image: combined(gram(image if coils is None else coils * image)),
                                   combined(weighted), iterations, rtol=rtol, regularisation=regularisation, start=start,
                                   callback=callback)


# What the plan of the density weights heeds; the others are checked and have no effect, as in C.
HEEDED = ("deterministic", "threads", "method", "bin1", "bin2", "bin3", "subproblem", "shared_bytes")


@written_out
def density_weights(points: _typing.Points, shape: _typing.Shape, iterations: int = 20, *, rtol: float = 1e-2,
                    callback: Callback | None = None, device: str = "auto", **options: Unpack[Options]) -> Any:
    """Weights for the density of the points, (M,), real, of the kind of the points: where points are dense, each has little.

    w <- w / |G G^T w|, with G the interpolation from a grid of twice the modes of `shape` by a kernel of 5 cells, until all
    of G G^T w is 1 (Pipe and Menon, 1999). It stops after `iterations` steps, or when w changes by at most `rtol` of its
    norm; callback(step, change) is called after each. The result is the part of the period that a point stands for: the
    sum is 1 where the points leave no gaps, and then A* W values are about the modes. Of the options only threads,
    deterministic and those of methods on a GPU matter.

    >>> import numpy as np, offgrid
    >>> dense, sparse = np.linspace(-3, 0, 300, endpoint=False), np.linspace(0, 3, 100)
    >>> w = offgrid.density_weights((np.concatenate([dense, sparse]),), 32)
    >>> bool(2.5 < w[350] / w[150] < 3.5), round(float(w.sum()), 1)  # of 6 / (2 pi)
    (True, 1.0)
    """
    sizes, checked = shape_of(shape), Points(points, len(shape_of(shape)))
    steps, enough = steps_of(iterations), at_least(rtol, "rtol", 0)
    options_of(dict(options))
    heeded: Any = {name: value for name, value in options.items() if name in HEEDED}
    width = 5
    grid = [max(2 * n, width) for n in sizes]
    with Plan(1, grid, tol=1e-2, dtype=complex_of(checked), device=device, spread_only=True, width=width, **heeded) as plan:
        plan._set(checked)
        weights = columns(points, len(sizes))[0] * 0 + 1
        for step in range(1, 1 + (steps if checked.count > 0 else 0)):
            before = weights
            weights = weights / abs(plan.adjoint(plan.execute(weights * (1 + 0j))))
            if enough == 0 and callback is None:
                continue
            change = root_of(inner(weights - before, weights - before) / inner(weights, weights), "change of the weights")
            if (callback is not None and callback(step, change)) or change <= enough:
                break
        per_cell = prod(plan.kernel_transform(axis, 0) ** 2 / plan.shape[axis] for axis in range(len(sizes)))
    return weights * per_cell
