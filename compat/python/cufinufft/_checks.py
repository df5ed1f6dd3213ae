"""Checks of GPU arrays, with cuFINUFFT's texts, which clients' tests match."""

import warnings
from math import prod
from typing import Any

import numpy as np

from cufinufft import _compat

# The complex dtype that a real one means.
_complex_of = {np.dtype(np.float32): np.dtype(np.complex64), np.dtype(np.float64): np.dtype(np.complex128)}

_no_plan = "Expected complex64 or complex128."
_requirement = "does not satisfy the following requirement: C"


def plan_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of a plan's data. A real one, which cuFINUFFT before 2.4 took, means the complex one and warns."""
    given = None if dtype is None else np.dtype(dtype)
    if given in (np.complex64, np.complex128):
        return given
    if given not in _complex_of:
        raise TypeError(_no_plan)
    wanted = _complex_of[given]
    warnings.warn(
        f"Real dtypes are currently deprecated. Converting to {wanted}.", DeprecationWarning, stacklevel=3
    )
    return wanted


def data_dtype(data: Any) -> np.dtype[Any]:
    """The dtype of the plan of a simple function, that of its data."""
    dtype = _compat.get_array_dtype(data)
    if dtype not in _complex_of.values():
        raise TypeError(_no_plan)
    return dtype


def checked_array(x: Any, name: str, dtype: np.dtype[Any]) -> Any:
    """``x`` in C order; a copy, with a warning, where it is not."""
    _check_dtype(x, name, dtype)
    if _compat.is_array_contiguous(x):
        return x
    if not _compat.array_can_contiguous(x):
        raise TypeError(f"Argument `{name}` {_requirement}")
    warnings.warn(f"Argument `{name}` {_requirement}. Copying array (this may reduce performance)", stacklevel=4)
    return _compat.array_contiguous(x)


def checked_output(x: Any, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    """``x``, into which the library can write as it is."""
    _check_dtype(x, name, dtype)
    if not _compat.is_array_contiguous(x):
        raise TypeError(f"Argument `{name}` {_requirement}")
    if _compat.get_array_shape(x) != shape:
        raise TypeError(f"Argument `{name}` must be of shape {shape}")
    return x


def _check_dtype(x: Any, name: str, dtype: np.dtype[Any]) -> None:
    given = _compat.get_array_dtype(x)
    if given != dtype:
        raise TypeError(
            f"Argument `{name}` does not have the correct dtype: {given} was given, but {dtype} was expected."
        )


def batch_shape(data: Any, name: str, one: tuple[int, ...], n_trans: int) -> tuple[int, ...]:
    """The leading axes of ``data``, which holds ``n_trans`` arrays of shape ``one``: () or (n_trans,).

    Data of another shape and the right size are taken in C order, as cuFINUFFT takes them.
    """
    shape = _compat.get_array_shape(data)
    if prod(shape) != n_trans * prod(one):
        raise TypeError(f"Argument `{name}` must be of shape {(n_trans, *one)}")
    return (n_trans,) if n_trans > 1 or shape == (1, *one) else ()


def vectors(x: Any, y: Any, z: Any, dim: int, dtype: np.dtype[Any]) -> list[Any]:
    """The coordinates, one array per axis, all of one length. Those that the plan has no axis for must be None."""
    given = {"x": x, "y": y, "z": z}
    for name in "zy":
        if given[name] is not None and dim <= "xyz".index(name):
            raise TypeError(f"Plan dimension is {dim}, but `{name}` was specified")
    if x is None or len(_compat.get_array_shape(x)) != 1:
        raise TypeError("Argument `x` must be a vector")
    length = _compat.get_array_shape(x)
    checked = []
    for name in "xyz"[:dim]:
        if given[name] is None or _compat.get_array_shape(given[name]) != length:
            raise TypeError(f"Argument `{name}` must be of shape {length}")
        checked.append(checked_array(given[name], name, dtype))
    return checked
