"""Checks of arrays and their shapes, with FINUFFT's texts, which clients' tests match.

In the texts, c is the array at the points, f the array of modes or, in type 3, at the targets.
"""

import warnings
from typing import Any

import numpy as np

from finufft._errors import fail

Shape = tuple[int, ...]


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the points in a plan whose data have ``dtype``."""
    return np.dtype(np.float32 if dtype == np.complex64 else np.float64)


def plan_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of a plan's data. A real one, which FINUFFT before 2.4 took, means the complex one and warns."""
    given = None if dtype is None else np.dtype(dtype)
    if given in (np.complex64, np.complex128):
        return given
    if given not in (np.float32, np.float64):
        fail("dtype(precision type) must be single or double")
    wanted = np.dtype(np.complex64 if given == np.float32 else np.complex128)
    warnings.warn(
        f"Real dtypes are deprecated. Converting {given} to complex dtype {wanted}.", DeprecationWarning, stacklevel=3
    )
    return wanted


def input_array(x: Any, name: str, dtype: np.dtype[Any]) -> np.ndarray:
    """``x`` as an array in C order; a copy, with a warning, where it is not."""
    x = np.asarray(x)
    _check_dtype(x, name, dtype)
    if x.flags.c_contiguous and x.flags.aligned:
        return x
    warnings.warn(
        f"Argument `{name}` does not satisfy the following requirement: C. Copying array (this may reduce performance)",
        stacklevel=4,
    )
    return np.array(x, order="C")


def output_array(x: Any, name: str, dtype: np.dtype[Any]) -> np.ndarray:
    """``x``, into which the library can write as it is."""
    if not isinstance(x, np.ndarray):
        raise TypeError(f"Argument `{name}` must be a numpy array")
    _check_dtype(x, name, dtype)
    if not (x.flags.c_contiguous and x.flags.aligned):
        raise TypeError(f"Argument `{name}` does not satisfy the following requirement: C")
    if not x.flags.writeable:
        raise TypeError(f"Argument `{name}` does not satisfy the following requirement: W")
    return x


def _check_dtype(x: np.ndarray, name: str, dtype: np.dtype[Any]) -> None:
    if x.dtype != dtype:
        raise TypeError(
            f"Argument `{name}` does not have the correct dtype: {x.dtype} was given, but {dtype} was expected."
        )


def coordinates(given: dict[str, Any], dtype: np.dtype[Any]) -> dict[str, np.ndarray | None]:
    """The coordinates as arrays, those too that the plan has no axis for: FINUFFT checks the dtype of every one."""
    arrays: dict[str, np.ndarray | None] = {}
    for name, values in given.items():
        arrays[name] = None if values is None else input_array(values, name, dtype)
    return arrays


def vectors(names: str, arrays: dict[str, np.ndarray | None]) -> list[np.ndarray]:
    """The arrays of these names, one per axis, all of one length."""
    checked: list[np.ndarray] = []
    for name in names:
        vector = arrays[name]
        if vector is None or vector.ndim != 1:
            fail(f"{name} must be a vector")
        if checked and vector.size != checked[0].size:
            fail(f"{name} must have same length as {names[0]}")
        checked.append(vector)
    return checked


def strengths_shape(shape: Shape, points: int, n_trans: int) -> None:
    """Checks the shape of the array at the points: (points,) or (n_trans, points)."""
    if n_trans == 1:
        if len(shape) not in (1, 2):
            fail("c.ndim must be 1 or 2 if n_trans == 1")
        if shape not in ((points,), (1, points)):
            fail("c.size must be same as x.size if n_trans == 1")
        return
    if len(shape) != 2:
        fail("c.ndim must be 2 if n_trans > 1")
    if shape != (n_trans, points):
        fail("c.shape must be (n_trans, x.size) if n_trans > 1")


def targets_shape(shape: Shape, targets: int, n_trans: int) -> None:
    """Checks the shape of the array at the targets of type 3: (targets,) or (n_trans, targets)."""
    if n_trans == 1:
        if len(shape) not in (1, 2):
            fail("f.ndim must be 1 or 2 for type 3 if n_trans == 1")
        if shape not in ((targets,), (1, targets)):
            fail("f.size of must be nk if n_trans == 1")
        return
    if len(shape) != 2:
        fail("f.ndim must be 2 for type 3 if n_trans > 1")
    if shape != (n_trans, targets):
        fail("f.shape must be (n_trans, nk) if n_trans > 1")


def modes_shape(shape: Shape, n_modes: Shape, n_trans: int) -> None:
    """Checks the shape of an array of modes: n_modes or (n_trans, *n_modes)."""
    dim = len(n_modes)
    if n_trans == 1:
        if len(shape) not in (dim, dim + 1):
            fail(
                "f.ndim must be same as the problem dimension or the problem dimension + 1 for type 1 or 2 "
                "if n_trans == 1"
            )
        if len(shape) == dim + 1 and shape[0] != 1:
            fail("f.shape[0] must be 1 for type 1 or 2 if n_trans == 1 and len(f.shape) == dim+1")
    else:
        if len(shape) != dim + 1:
            fail("f.ndim must be same as the problem dimension + 1 for type 1 or 2 if n_trans > 1")
        if shape[0] != n_trans:
            fail("f.shape[0] must be n_trans for type 1 or 2 if n_trans > 1")
    if shape[len(shape) - dim :] != n_modes:
        fail("f.shape is not consistent with n_modes")


def transforms_of(strengths: np.ndarray, points: np.ndarray) -> int:
    """How many transforms the simple functions are asked for: vectors of strengths per vector of points."""
    if points.size == 0:
        return strengths.shape[0] if strengths.ndim == 2 else 1
    if strengths.size % points.size != 0:
        fail("c.size must be divisible by x.size")
    return max(1, strengths.size // points.size)


def split_modes_shape(shape: Shape, dim: int) -> tuple[int, Shape]:
    """n_trans and n_modes from the shape of an array of modes."""
    if len(shape) not in (dim, dim + 1):
        fail(
            "type 1 output dimension or type 2 input dimension must be either dim (n_trans==1) or dim+1 (n_trans>=1)"
        )
    return (shape[0] if len(shape) == dim + 1 else 1), shape[len(shape) - dim :]


def modes_wanted(n_modes: Any, out: np.ndarray | None, dim: int, n_trans: int) -> Shape:
    """n_modes of a simple function of type 1, from its argument, from the shape of ``out``, or from both."""
    if n_modes is None and out is None:
        fail("type 1 input must supply n_modes or output vector, or both")
    asked = None if n_modes is None else _modes_argument(n_modes, dim)
    if out is None:
        assert asked is not None
        return asked
    out_trans, out_modes = split_modes_shape(np.shape(out), dim)
    if out_trans != n_trans:
        fail("input n_trans and output n_trans do not match")
    if asked is not None and asked != out_modes:
        fail("input n_modes and output n_modes do not match")
    return out_modes


def _modes_argument(n_modes: Any, dim: int) -> Shape:
    if isinstance(n_modes, (int, np.integer)):
        return (int(n_modes),) * dim
    if not isinstance(n_modes, tuple):
        fail("input n_modes must be a tuple or an integer")
    if len(n_modes) != dim:
        fail("input n_modes dimension does not match problem dimension")
    if not all(isinstance(n, (int, np.integer)) for n in n_modes):
        fail("all elements of input n_modes must be integer")
    return tuple(int(n) for n in n_modes)
