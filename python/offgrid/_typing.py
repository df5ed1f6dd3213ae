"""The types of arrays, for annotations. A checker sees: numpy's arrays with their dtype, and arrays of torch, jax and cupy
by what only they have, so that none of these libraries is imported. Arrays of other libraries are read at run time through
DLPack; for a checker they are to be of the type Any.
"""

from __future__ import annotations

from typing import Any, Protocol, Sequence, TypeVar, Union

import numpy as np
import numpy.typing as npt


class _Array(Protocol):
    @property
    def shape(self) -> Any: ...
    def __dlpack__(self, *arguments: Any, **settings: Any) -> Any: ...


class TorchArray(_Array, Protocol):
    """A torch.Tensor."""

    @property
    def requires_grad(self) -> bool: ...


class JaxArray(_Array, Protocol):
    """A jax.Array."""

    @property
    def at(self) -> Any: ...


class CupyArray(_Array, Protocol):
    """A cupy.ndarray."""

    def get(self, *arguments: Any, **settings: Any) -> Any: ...


Real = npt.NDArray["np.floating[Any]"]
Axis = Union[Real, TorchArray, JaxArray, CupyArray]
Points = Union[Axis, Sequence[Axis]]
Shape = Union[int, Sequence[int]]
End = Union[float, Sequence[float], Real]
Box = tuple[End, End]
Data = Union[npt.NDArray["np.complexfloating[Any, Any]"], TorchArray, JaxArray, CupyArray]

# The result of a call is of the kind of its data: numpy's with the same dtype, or the same class of another library.
ComplexT = TypeVar("ComplexT", bound="np.complexfloating[Any, Any]")
ForeignT = TypeVar("ForeignT", bound=Union[TorchArray, JaxArray, CupyArray])
