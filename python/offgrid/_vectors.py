"""The vectors that go into a plan or an operator and come out of it: what they must be, and where results go."""

from __future__ import annotations

import re
from math import prod
from typing import Any

from offgrid._arrays import KINDS, NumpyKind, kind_of, name_of_device
from offgrid._error import ArgumentTypeError, ArgumentValueError


def kind_or_none(value: Any) -> NumpyKind | None:
    """None where it is no array."""
    try:
        return kind_of(value, "out")
    except ArgumentTypeError:
        return None


def in_order_of_shape(words: str) -> str:
    """Sizes of the library's words have C's order, the contiguous axis first."""
    return re.sub(r"\b\d+(?: x \d+)+\b", lambda sizes: " x ".join(sizes[0].split(" x ")[::-1]), words)


class Vectors:
    """What a plan and an operator know of their vectors."""

    __slots__ = ("_dtype", "_transforms", "_gpu")
    _owner = "plan"  # in messages
    _dtype: str
    _transforms: int
    _gpu: int

    def _check(self, kind: NumpyKind, array: Any, name: str, tail: tuple[int, ...]) -> tuple[int, ...]:
        """The leading axes of an array that ends in `tail`, or an error that names it."""
        shape = tuple(array.shape)
        if kind.dtype(array) != self._dtype:
            raise ArgumentTypeError(f"{name} has the dtype {kind.dtype(array)}; expected {self._dtype}, the {self._owner}'s")
        is_one = self._transforms == 1 and shape == tail  # which needs no slices
        lead = () if is_one else shape[: max(len(shape) - len(tail), 0)]
        if not is_one and (shape[len(lead):] != tail or prod(lead) != self._transforms):
            expected = ", ".join(map(str, tail)) + ("," if len(tail) == 1 else "")
            many = f" with leading axes for {self._transforms} transforms" if self._transforms > 1 else ""
            raise ArgumentValueError(f"{name} has the shape {shape}; expected ({expected}){many}")
        if kind.gpu(array) != self._gpu:
            raise ArgumentValueError(f"{name} is on {name_of_device(kind.gpu(array))}, "
                                     f"but the {self._owner}'s points are on {name_of_device(self._gpu)}")
        return lead

    def _place(self, kind: NumpyKind, out: Any, shape: tuple[int, ...]) -> Any:
        """The array of `out`, if it fits."""
        if not kind.writable:
            raise ArgumentTypeError(f"out: an array of this kind ({type(out).__name__}) cannot be written to")
        if type(KINDS.get(type(out)) or kind_or_none(out)) is not type(kind):
            raise ArgumentTypeError(f"out is a {type(out).__name__}; expected the kind of the data, of the shape {shape}")
        array = kind.take(out, "out")
        kind.check_out(out)
        if kind.dtype(array) != self._dtype:
            raise ArgumentTypeError(f"out has the dtype {kind.dtype(array)}; expected {self._dtype}")
        if tuple(array.shape) != shape:
            raise ArgumentValueError(f"out has the shape {tuple(array.shape)}; expected {shape}")
        if kind.gpu(array) != self._gpu:
            raise ArgumentValueError(
                f"out is on {name_of_device(kind.gpu(array))}, the {self._owner}'s points on {name_of_device(self._gpu)}")
        return array
