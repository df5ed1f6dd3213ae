"""nufft1, nufft2 and nufft3, spread and interpolate: one call each."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, overload

import numpy.typing as npt

from offgrid import _typing
from offgrid._arrays import PRECISIONS, kind_of, name_of_device
from offgrid._cache import plan_for
from offgrid._checks import Points, refuse_loose_points, refuse_more, shape_of, uniform_name
from offgrid._error import ArgumentTypeError, ArgumentValueError
from offgrid._options import Options
from offgrid._signature import written_out

if TYPE_CHECKING:
    from typing_extensions import Unpack

CALL1, CALL2 = "offgrid.nufft1((x, y), strengths, shape)", "offgrid.nufft2((x, y), modes)"
CALL3 = "offgrid.nufft3((x, y), strengths, (s, t))"


def dimension(points: Any) -> int:
    """How many axes the points have, from a tuple of arrays or an (M, d) array."""
    if isinstance(points, (tuple, list)):
        dim = len(points)
    else:
        kind_of(points, "points")
        dim = points.shape[1] if len(points.shape) == 2 else 1
    if not 1 <= dim <= 3:
        raise ArgumentValueError(f"points has {dim} axes; expected one, two or three")
    return dim


def complex_dtype(kind: Any, array: Any, name: str) -> str:
    dtype = kind.dtype(array)
    if dtype not in PRECISIONS:
        raise ArgumentTypeError(f"{name} has the dtype {dtype}; expected complex64 or complex128")
    return dtype


def last_axes(array: Any, points: Any, name: str) -> tuple[int, ...]:
    """The shape behind the batch: as many axes as the points have."""
    dim = dimension(points)
    kind_of(array, name)
    if len(array.shape) < dim:
        raise ArgumentValueError(f"{name} has the shape {tuple(array.shape)}; expected at least {dim} axes, as points has")
    return tuple(int(n) for n in array.shape[len(array.shape) - dim:])


def leading(array: Any, tail: tuple[int, ...], name: str) -> tuple[int, ...]:
    shape = tuple(array.shape)
    lead = shape[: max(len(shape) - len(tail), 0)]
    if shape[len(lead):] != tail:
        raise ArgumentValueError(f"{name} has the shape {shape}; expected it to end in {tail}")
    return lead


def transform(type: int, points: Any, data: Any, shape: tuple[int, ...], settings: dict[str, Any], *,
              targets: Any = None, out: Any = None, adjoint: bool = False, keep_large: bool = False) -> Any:
    """One execute of a cached plan, or its adjoint; checks everything before anything is planned. shape: () for type 3."""
    for given in ("dtype", "transforms"):
        if given in settings:
            raise ArgumentTypeError(f"{given} is not an option here: the data says it")
    plain = {option: value for option, value in settings.items() if option not in ("tol", "device")}
    name = "strengths" if (type != 2) != adjoint else "values" if type == 3 else uniform_name(plain)
    kind = kind_of(data, name)
    array = kind.take(data, name)
    settings = {**settings, "dtype": complex_dtype(kind, array, name)}
    dim = len(shape) or dimension(points)
    checked = Points(points, dim)
    aims = Points(targets, dim, "targets") if type == 3 else None
    for side in (checked, aims or checked):
        if side.dtype != PRECISIONS[settings["dtype"]]:
            raise ArgumentTypeError(f"{side.name} has the dtype {side.dtype}; expected {PRECISIONS[settings['dtype']]}, as "
                                    f"{name} is {settings['dtype']}")
        side.require_like(checked)
    if kind.gpu(array) != checked.gpu:
        raise ArgumentValueError(f"{name} is on {name_of_device(kind.gpu(array))}, but points on {name_of_device(checked.gpu)}")
    other = shape if aims is None else (aims.count,)
    tails = ((checked.count,), other) if name == "strengths" else (other, (checked.count,))
    lead = leading(array, tails[0], name)
    settings["transforms"] = max(prod(lead), 1)
    if prod(lead) == 0:  # no vectors: nothing to compute
        return out if out is not None else kind.finish(kind.empty(lead + tails[1], settings["dtype"], kind.gpu(array)),
                                                       data, kind.gpu(array))
    with plan_for(type, shape or dim, checked, settings, targets=aims, keep_large=keep_large) as plan:
        return (plan.adjoint if adjoint else plan.execute)(data, out)


@overload
def nufft1(points: _typing.Points, strengths: npt.NDArray[_typing.ComplexT], shape: _typing.Shape, tol: float = 1e-6, *,
           out: npt.NDArray[_typing.ComplexT] | None = None, device: str = "auto",
           **options: Unpack[Options]) -> npt.NDArray[_typing.ComplexT]: ...
@overload
def nufft1(points: _typing.Points, strengths: _typing.ForeignT, shape: _typing.Shape, tol: float = 1e-6, *,
           out: _typing.ForeignT | None = None, device: str = "auto",
           **options: Unpack[Options]) -> _typing.ForeignT: ...
@written_out
def nufft1(points: Any, strengths: Any, shape: Any, tol: float = 1e-6, *loose: Any, out: Any = None,
           device: str = "auto", **options: Any) -> Any:
    """Type 1, points to modes: modes[k] = sum over j of strengths[j] exp(-i k.x[j]), to a relative l2 error of `tol`.

    points: an (M, d) array or a tuple of d arrays, the coordinates along the axes of `shape`, in radians; 2 pi periodic.
    strengths: (..., M), complex64 or complex128; the leading axes are a batch.
    shape: the modes, slowest axis first; k runs from -floor(n / 2) up along each axis.
    device: "auto" runs where the points lie. The other options are explained by `offgrid.options()`.
    Returns (..., *shape), the same kind of array on the same device; or `out`, an array for the result.

    >>> import numpy as np, offgrid
    >>> x = np.array([0.5, 2.0])
    >>> modes = offgrid.nufft1((x,), np.array([1, 1j]), 8, tol=1e-9)
    >>> k = np.arange(-4, 4)
    >>> bool(np.allclose(modes, np.exp(-0.5j * k) + 1j * np.exp(-2j * k), atol=1e-8))
    True
    """
    refuse_loose_points(CALL1, shape, tol, *loose)
    refuse_more("nufft1", 4, loose)
    return transform(1, points, strengths, shape_of(shape), {"tol": tol, "device": device, **options}, out=out)


@overload
def nufft2(points: _typing.Points, modes: npt.NDArray[_typing.ComplexT], tol: float = 1e-6, *,
           out: npt.NDArray[_typing.ComplexT] | None = None, device: str = "auto",
           **options: Unpack[Options]) -> npt.NDArray[_typing.ComplexT]: ...
@overload
def nufft2(points: _typing.Points, modes: _typing.ForeignT, tol: float = 1e-6, *,
           out: _typing.ForeignT | None = None, device: str = "auto",
           **options: Unpack[Options]) -> _typing.ForeignT: ...
@written_out
def nufft2(points: Any, modes: Any, tol: float = 1e-6, *loose: Any, out: Any = None, device: str = "auto",
           **options: Any) -> Any:
    """Type 2, modes to points: strengths[j] = sum over k of modes[k] exp(+i k.x[j]), to a relative l2 error of `tol`.

    points: as in nufft1. modes: (..., n1, .. nd), complex64 or complex128; the leading axes are a batch.
    device and the other options: as in nufft1. Returns (..., M), the same kind of array on the same device; or `out`.

    >>> import numpy as np, offgrid
    >>> modes = np.zeros(8, complex)
    >>> modes[4 + 3] = 1  # k = 3
    >>> x = np.array([0.1, 0.2])
    >>> bool(np.allclose(offgrid.nufft2((x,), modes, tol=1e-9), np.exp(3j * x), atol=1e-8))
    True
    """
    refuse_loose_points(CALL2, tol, *loose)
    refuse_more("nufft2", 3, loose)
    shape = last_axes(modes, points, "modes")
    return transform(2, points, modes, shape, {"tol": tol, "device": device, **options}, out=out)


@overload
def nufft3(points: _typing.Points, strengths: npt.NDArray[_typing.ComplexT], targets: _typing.Points, tol: float = 1e-6,
           *, out: npt.NDArray[_typing.ComplexT] | None = None, device: str = "auto",
           **options: Unpack[Options]) -> npt.NDArray[_typing.ComplexT]: ...
@overload
def nufft3(points: _typing.Points, strengths: _typing.ForeignT, targets: _typing.Points, tol: float = 1e-6, *,
           out: _typing.ForeignT | None = None, device: str = "auto",
           **options: Unpack[Options]) -> _typing.ForeignT: ...
@written_out
def nufft3(points: Any, strengths: Any, targets: Any, tol: float = 1e-6, *loose: Any, out: Any = None,
           device: str = "auto", **options: Any) -> Any:
    """Type 3, points to targets: values[k] = sum over j of strengths[j] exp(+i s[k].x[j]), to a relative l2 error of `tol`.

    points: an (M, d) array or a tuple of d arrays. targets: (N, d), or d arrays, of the same kind. Both may lie anywhere, in
    any units whose product is in radians; nothing is periodic. What the grids take grows with the product of their extents.
    strengths: (..., M), complex64 or complex128; the leading axes are a batch.
    device and the other options: as in nufft1. Returns (..., N), the same kind of array on the same device; or `out`.

    >>> import numpy as np, offgrid
    >>> x, s = np.array([0.5, 2.0]), np.array([-3.7, 0.0, 12.25])
    >>> values = offgrid.nufft3((x,), np.array([1, 1j]), (s,), tol=1e-9)
    >>> bool(np.allclose(values, np.exp(0.5j * s) + 1j * np.exp(2j * s), atol=1e-8))
    True
    """
    refuse_loose_points(CALL3, targets, tol, *loose)
    refuse_more("nufft3", 4, loose)
    return transform(3, points, strengths, (), {"tol": tol, "device": device, **options}, targets=targets, out=out)


@overload
def spread(points: _typing.Points, strengths: npt.NDArray[_typing.ComplexT], shape: _typing.Shape, tol: float = 1e-6, *,
           out: npt.NDArray[_typing.ComplexT] | None = None, device: str = "auto",
           **options: Unpack[Options]) -> npt.NDArray[_typing.ComplexT]: ...
@overload
def spread(points: _typing.Points, strengths: _typing.ForeignT, shape: _typing.Shape, tol: float = 1e-6, *,
           out: _typing.ForeignT | None = None, device: str = "auto",
           **options: Unpack[Options]) -> _typing.ForeignT: ...
@written_out
def spread(points: Any, strengths: Any, shape: Any, tol: float = 1e-6, *loose: Any, out: Any = None,
           device: str = "auto", **options: Any) -> Any:
    """Spreads points to the cells of a periodic grid: cells[l] = sum over j of strengths[j] phi(2 (l - g[j]) / w), with
    g = x n / (2 pi), so that cell l of n lies at x = 2 pi l / n; a product over the axes. There is no FFT.

    shape: the grid. tol and upsampling (2 by default) choose the kernel phi and its width w: `Plan(1, shape, tol,
    spread_only=True)` with the same options has its values, docs/spreading.md its formula. The rest is as in nufft1.

    >>> import numpy as np, offgrid
    >>> cells = offgrid.spread((np.array([0.0]),), np.array([2 + 0j]), 16, tol=1e-3)
    >>> bool(abs(cells[0] - 2) < 1e-2), bool(abs(cells[1] - cells[15]) < 1e-2), bool(cells[8] == 0)
    (True, True, True)
    """
    refuse_loose_points("offgrid.spread((x, y), strengths, shape)", shape, tol, *loose)
    refuse_more("spread", 4, loose)
    settings = {"tol": tol, "device": device, **options, "spread_only": True}
    return transform(1, points, strengths, shape_of(shape), settings, out=out)


@overload
def interpolate(points: _typing.Points, cells: npt.NDArray[_typing.ComplexT], tol: float = 1e-6, *,
                out: npt.NDArray[_typing.ComplexT] | None = None, device: str = "auto",
                **options: Unpack[Options]) -> npt.NDArray[_typing.ComplexT]: ...
@overload
def interpolate(points: _typing.Points, cells: _typing.ForeignT, tol: float = 1e-6, *,
                out: _typing.ForeignT | None = None, device: str = "auto",
                **options: Unpack[Options]) -> _typing.ForeignT: ...
@written_out
def interpolate(points: Any, cells: Any, tol: float = 1e-6, *loose: Any, out: Any = None, device: str = "auto",
                **options: Any) -> Any:
    """The transpose of spread: strengths[j] = sum over l of cells[l] phi(2 (l - g[j]) / w), a product over the axes.

    cells: (..., n1, .. nd), complex64 or complex128. The rest is as in spread.

    >>> import numpy as np, offgrid
    >>> cells = np.zeros(16, complex)
    >>> cells[3] = 1
    >>> found = offgrid.interpolate((np.array([3 * np.pi / 8]),), cells, tol=1e-3)
    >>> bool(abs(found[0] - 1) < 1e-2)
    True
    """
    refuse_loose_points("offgrid.interpolate((x, y), cells)", tol, *loose)
    refuse_more("interpolate", 3, loose)
    settings = {"tol": tol, "device": device, **options, "spread_only": True}
    return transform(2, points, cells, last_axes(cells, points, "cells"), settings, out=out)
