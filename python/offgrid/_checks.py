"""Checks of what is handed in: each gives the value as the library wants it, or an error that names the argument."""

from __future__ import annotations

import difflib
import operator
from typing import Any, get_args

from offgrid import _core
from offgrid._arrays import PRECISIONS, NumpyKind, kind_of, name_of_device
from offgrid._error import ArgumentTypeError, ArgumentValueError
from offgrid._options import DEFAULTS

# Words of FINUFFT's interface, whose spelling is too far from ours to be found by likeness.
OTHER_WORDS = {"eps": "tol", "upsampfac": "upsampling", "n_trans": "transforms", "n_modes": "shape"}
PARAMETERS = ("tol", "dtype", "transforms", "device", "out", "shape", "points")


def shape_of(shape: Any) -> tuple[int, ...]:
    try:
        sizes = tuple(operator.index(n) for n in (shape if hasattr(shape, "__iter__") else (shape,)))
    except TypeError:
        raise ArgumentTypeError(f"shape is {shape!r}; expected one to three whole numbers") from None
    if not 1 <= len(sizes) <= 3:
        raise ArgumentValueError(f"shape has {len(sizes)} axes; expected one, two or three")
    for axis, n in enumerate(sizes):
        if not 0 <= n < 2**63:
            raise ArgumentValueError(f"shape[{axis}] is {n}; expected 0 or more, and less than 2^63")
    return sizes


def dim_of(shape: Any) -> int:
    """The number of dimensions, which a plan of type 3 has in place of a shape."""
    try:
        dim = operator.index(shape)
    except TypeError:
        raise ArgumentTypeError(f"shape is {shape!r}; expected 1, 2 or 3: a type 3 has no modes, and takes its number of "
                                "dimensions") from None
    if not 1 <= dim <= 3:
        raise ArgumentValueError(f"shape is {dim}; expected 1, 2 or 3, the number of dimensions of a type 3")
    return dim


def box_of(box: Any, dim: int, name: str) -> tuple[list[float], list[float]]:
    """The low and high ends of a box along each axis; a number stands for all axes."""
    try:
        low, high = box
        ends = [[number(end, name)] * dim if not hasattr(end, "__len__") else [number(value, name) for value in end]
                for end in (low, high)]
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{name} is {box!r}; expected (low, high), numbers or {dim} numbers each") from None
    for end in ends:
        if len(end) != dim:
            raise ArgumentValueError(f"{name} has an end of {len(end)} numbers; expected {dim}, one for each axis")
    return ends[0], ends[1]


def complex_name(dtype: Any) -> str:
    """complex64 or complex128, for these and for the reals of the same precision, of any library."""
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype).removeprefix("torch.")
    for complex_dtype, real in PRECISIONS.items():
        if name in (complex_dtype, real):
            return complex_dtype
    raise ArgumentTypeError(f"dtype is {dtype!r}; expected complex64 or complex128")


def whole(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"{name} is {value!r}; expected a whole number") from None


def word_of(value: Any, name: str, words: Any) -> str:
    """One of the words of a Literal."""
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name} is {value!r}; expected one of {', '.join(get_args(words))}")
    if value not in get_args(words):
        raise ArgumentValueError(f"{name} is {value!r}; expected one of {', '.join(get_args(words))}")
    return value


def number(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{name} is {value!r}; expected a number") from None
    except OverflowError:
        raise ArgumentValueError(f"{name} is too large") from None


def gpu_of(device: Any) -> int:
    """-1 for the CPU and for auto, which starts there."""
    kind, _, index = str(device).partition(":")
    if kind == "cuda" and (index.isascii() and index.isdigit() and len(index) < 5 or device == "cuda"):
        return int(index or 0)
    if device not in ("auto", "cpu"):
        raise ArgumentValueError(f"device is {device!r}; expected auto, cpu, cuda or cuda:N")
    return -1


def options_of(given: dict[str, Any]) -> dict[str, str | float]:
    """Options as the library takes them: words, or numbers."""
    for name in given:
        if name not in DEFAULTS:
            raise ArgumentTypeError(f'option "{name}" is unknown{likely(name)} offgrid.options() lists them all')
    return {name: word(value, name) if isinstance(value, str) else number(value, name) for name, value in given.items()}


def uniform_name(options: dict[str, Any]) -> str:
    """What the uniform side of a plan with these options holds."""
    return "cells" if options_of(options).get("spread_only") in (1.0, "1", "on") else "modes"


def word(value: str, name: str) -> str:
    """The library's words are plain; what cannot be handed to C is none of them."""
    if not value.isascii() or "\0" in value:
        raise ArgumentValueError(f"option {name} = {value!r}: no word of the library")
    return str(value)


def likely(name: str) -> str:
    """The question whether another keyword was meant; empty where none is alike."""
    others = [word for word in (*DEFAULTS, *PARAMETERS) if word != name]  # a keyword of other calls is not proposed for itself
    alike = [OTHER_WORDS[name]] if name in OTHER_WORDS else difflib.get_close_matches(name, others, 1)
    return f"; did you mean {alike[0]}?" if alike else ";"


def refuse_loose_points(call: str, *behind: Any) -> None:
    """For callers who come from FINUFFT, where each coordinate is an argument: complex data then stands where a size or
    a tolerance belongs, or behind all arguments."""
    for value in behind:
        if "complex" in str(getattr(value, "dtype", "")) and bool(getattr(value, "shape", ())):
            raise ArgumentTypeError(f"points come as one tuple (x, y): {call}")


def refuse_more(name: str, most: int, loose: tuple[Any, ...]) -> None:
    if loose:
        raise ArgumentTypeError(f"{name} takes at most {most} arguments without a name, {most + len(loose)} were given")


def columns(points: Any, dim: int, name: str = "points") -> tuple[Any, ...]:
    """The coordinates, one array for each axis, from a tuple of them or from an (M, d) array; unchecked."""
    if isinstance(points, (tuple, list)):
        if len(points) != dim:
            raise ArgumentValueError(f"{name} has {len(points)} arrays; expected {dim}, one for each axis")
        return tuple(points)
    kind_of(points, name)
    shape = tuple(points.shape)
    if len(shape) == 1 and dim == 1:
        return (points,)
    if len(shape) != 2 or shape[1] != dim:
        raise ArgumentValueError(f"{name} has the shape {shape}; expected (M, {dim}), or a tuple of {dim} arrays")
    return tuple(points[:, axis] for axis in range(dim))


class Points:
    """Coordinates that were checked: arrays of one kind of device, one dtype and one length."""

    __slots__ = ("name", "kind", "arrays", "count", "dtype", "gpu")

    def __init__(self, points: Any, dim: int, name: str = "points") -> None:
        self.name = name
        arrays = columns(points, dim, name)
        self.kind: NumpyKind = kind_of(arrays[0], f"{name}[0]")
        self.arrays: list[Any] = []
        for axis, value in enumerate(arrays):
            label = f"{name}[{axis}]"
            kind = kind_of(value, label)
            if type(kind) is not type(self.kind):
                raise ArgumentTypeError(f"{label} is a {type(value).__name__}, {name}[0] a {type(arrays[0]).__name__}")
            self.add(kind, kind.take(value, label), label)

    def add(self, kind: NumpyKind, array: Any, name: str) -> None:
        first = f"{self.name}[0]"
        dtype, shape, gpu = kind.dtype(array), tuple(array.shape), kind.gpu(array)
        if dtype not in PRECISIONS.values():
            raise ArgumentTypeError(f"{name} has the dtype {dtype}; expected float32 or float64")
        if len(shape) != 1:
            raise ArgumentValueError(f"{name} has the shape {shape}; expected one axis")
        if not self.arrays:
            self.count, self.dtype, self.gpu = shape[0], dtype, gpu
        if dtype != self.dtype:
            raise ArgumentTypeError(f"{name} has the dtype {dtype}, {first} {self.dtype}")
        if shape[0] != self.count:
            raise ArgumentValueError(f"{name} has {shape[0]} points, {first} {self.count}")
        if gpu != self.gpu:
            raise ArgumentValueError(f"{name} is on {name_of_device(gpu)}, {first} on {name_of_device(self.gpu)}")
        self.arrays.append(array)

    def settled(self) -> list[Any]:
        """The arrays as the library reads them: contiguous, and C's first axis first, which is Python's last.

        The sort reads the points twice. On the CPU another thread might write to them in between."""
        settle = self.kind.contiguous if self.gpu >= 0 or _core.is_only_thread() else self.kind.snapshot
        return [settle(array) for array in reversed(self.arrays)]

    def require_like(self, other: Points) -> None:
        """Points and targets of one call are of one kind, on one device."""
        if type(self.kind) is not type(other.kind):
            raise ArgumentTypeError(f"{self.name} and {other.name} are arrays of different libraries; expected one kind")
        if self.gpu != other.gpu:
            raise ArgumentValueError(f"{self.name} is on {name_of_device(self.gpu)}, {other.name} on {name_of_device(other.gpu)}")
