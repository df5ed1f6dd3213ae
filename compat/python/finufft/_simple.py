"""The nine simple functions, nufft{1,2,3}d{1,2,3}: a plan, its points and one execute in a call.

The digits are the number of dimensions and the type. The precision is that of x.
"""

from typing import Any

import numpy as np

from finufft import _checks
from finufft._errors import fail
from finufft._plan import Plan


def _data_dtype(x: np.ndarray) -> np.dtype[Any]:
    if x.dtype == np.float64:
        return np.dtype(np.complex128)
    if x.dtype != np.float32:
        fail("x dtype should be float64 for double precision or float32 for single precision")
    return np.dtype(np.complex64)


def _points_to_modes(
    points: tuple[Any, ...], c: Any, n_modes: Any, out: Any, eps: float, isign: int, kwargs: dict[str, Any]
) -> np.ndarray:
    """Type 1, f[k] = sum over j of c[j] exp(isign i k.x[j])."""
    x, c = np.asarray(points[0]), np.asarray(c)
    dtype = _data_dtype(x)
    n_trans = _checks.transforms_of(c, x)
    n_modes = _checks.modes_wanted(n_modes, out, len(points), n_trans)
    plan = Plan(1, n_modes, n_trans, eps, isign, dtype=dtype, **kwargs)
    plan.setpts(*points)
    return plan.execute(c, out)


def _modes_to_points(
    points: tuple[Any, ...], f: Any, out: Any, eps: float, isign: int, kwargs: dict[str, Any]
) -> np.ndarray:
    """Type 2, c[j] = sum over k of f[k] exp(isign i k.x[j])."""
    f = np.asarray(f)
    dtype = _data_dtype(np.asarray(points[0]))
    n_trans, n_modes = _checks.split_modes_shape(f.shape, len(points))
    plan = Plan(2, n_modes, n_trans, eps, isign, dtype=dtype, **kwargs)
    plan.setpts(*points)
    return plan.execute(f, out)


def _points_to_targets(
    points: tuple[Any, ...],
    c: Any,
    targets: tuple[Any, ...],
    out: Any,
    eps: float,
    isign: int,
    kwargs: dict[str, Any],
) -> np.ndarray:
    """Type 3, f[k] = sum over j of c[j] exp(isign i s[k].x[j])."""
    x, c = np.asarray(points[0]), np.asarray(c)
    n_trans = _checks.transforms_of(c, x)
    plan = Plan(3, len(points), n_trans, eps, isign, dtype=_data_dtype(x), **kwargs)
    plan.setpts(*points, **dict(zip("stu", targets)))
    return plan.execute(c, out)


def nufft1d1(
    x: Any, c: Any, n_modes: Any = None, out: Any = None, eps: float = 1e-6, isign: int = 1, **kwargs: Any
) -> np.ndarray:
    return _points_to_modes((x,), c, n_modes, out, eps, isign, kwargs)


def nufft1d2(x: Any, f: Any, out: Any = None, eps: float = 1e-6, isign: int = -1, **kwargs: Any) -> np.ndarray:
    return _modes_to_points((x,), f, out, eps, isign, kwargs)


def nufft1d3(x: Any, c: Any, s: Any, out: Any = None, eps: float = 1e-6, isign: int = 1, **kwargs: Any) -> np.ndarray:
    return _points_to_targets((x,), c, (s,), out, eps, isign, kwargs)


def nufft2d1(
    x: Any, y: Any, c: Any, n_modes: Any = None, out: Any = None, eps: float = 1e-6, isign: int = 1, **kwargs: Any
) -> np.ndarray:
    return _points_to_modes((x, y), c, n_modes, out, eps, isign, kwargs)


def nufft2d2(x: Any, y: Any, f: Any, out: Any = None, eps: float = 1e-6, isign: int = -1, **kwargs: Any) -> np.ndarray:
    return _modes_to_points((x, y), f, out, eps, isign, kwargs)


def nufft2d3(
    x: Any, y: Any, c: Any, s: Any, t: Any, out: Any = None, eps: float = 1e-6, isign: int = 1, **kwargs: Any
) -> np.ndarray:
    return _points_to_targets((x, y), c, (s, t), out, eps, isign, kwargs)


def nufft3d1(
    x: Any,
    y: Any,
    z: Any,
    c: Any,
    n_modes: Any = None,
    out: Any = None,
    eps: float = 1e-6,
    isign: int = 1,
    **kwargs: Any,
) -> np.ndarray:
    return _points_to_modes((x, y, z), c, n_modes, out, eps, isign, kwargs)


def nufft3d2(
    x: Any, y: Any, z: Any, f: Any, out: Any = None, eps: float = 1e-6, isign: int = -1, **kwargs: Any
) -> np.ndarray:
    return _modes_to_points((x, y, z), f, out, eps, isign, kwargs)


def nufft3d3(
    x: Any,
    y: Any,
    z: Any,
    c: Any,
    s: Any,
    t: Any,
    u: Any,
    out: Any = None,
    eps: float = 1e-6,
    isign: int = 1,
    **kwargs: Any,
) -> np.ndarray:
    return _points_to_targets((x, y, z), c, (s, t, u), out, eps, isign, kwargs)


_DOCS = {
    1: """{dim}D nonuniform FFT of type 1, points to modes: f[k] = sum over j of c[j] exp(isign i k.x[j]).

    Args:
        {points}: the points, one array of {dtype} per dimension, anywhere; they are 2 pi periodic.
        c: complex strengths, one per point; shape (M,) or (n_trans, M).
        n_modes: the numbers of modes, a tuple in the order of the result's axes, or one integer for all axes. It may
            be left out where ``out`` is given.
        out: an array for the result, which has the shape n_modes or (n_trans, *n_modes).
        eps: the tolerance, relative.
        isign: the sign in the exponential, + where it is 0 or more.
        **kwargs: options, as of Plan. Modes run from -N/2 up, or with modeord=1 in the order of numpy.fft.
    """,
    2: """{dim}D nonuniform FFT of type 2, modes to points: c[j] = sum over k of f[k] exp(isign i k.x[j]).

    Args:
        {points}: the points, one array of {dtype} per dimension, anywhere; they are 2 pi periodic.
        f: complex modes; one array of {dim} dimensions, or n_trans of them stacked along the first axis.
        out: an array for the result, which has the shape (M,) or (n_trans, M).
        eps: the tolerance, relative.
        isign: the sign in the exponential, + where it is 0 or more.
        **kwargs: options, as of Plan. Modes run from -N/2 up, or with modeord=1 in the order of numpy.fft.
    """,
    3: """{dim}D nonuniform FFT of type 3, points to targets: f[k] = sum over j of c[j] exp(isign i s[k].x[j]).

    Args:
        {points}: the points, one array of {dtype} per dimension.
        c: complex strengths, one per point; shape (M,) or (n_trans, M).
        {targets}: the targets, one array per dimension.
        out: an array for the result, which has the shape (N,) or (n_trans, N) for N targets.
        eps: the tolerance, relative.
        isign: the sign in the exponential, + where it is 0 or more.
        **kwargs: options, as of Plan.
    """,
}

for _dim in (1, 2, 3):
    for _type in (1, 2, 3):
        globals()[f"nufft{_dim}d{_type}"].__doc__ = _DOCS[_type].format(
            dim=_dim, dtype="float32 or float64", points=", ".join("xyz"[:_dim]), targets=", ".join("stu"[:_dim])
        )
