"""The Gram operator A* W A of points and weights, which the normal equations of least squares have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy.typing as npt

from offgrid import _core, _typing
from offgrid._arrays import KINDS, PRECISIONS, kind_of, name_of_device
from offgrid._checks import Points, gpu_of, number, options_of, shape_of, whole
from offgrid._error import ArgumentTypeError, ArgumentValueError
from offgrid._options import Options
from offgrid._accuracy import warn_of_accuracy
from offgrid._signature import written_out
from offgrid._vectors import Vectors, in_order_of_shape

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from offgrid._plan import Plan

GramT = TypeVar("GramT", bound="Gram")


class Gram(Vectors):
    """What offgrid.gram makes: called with modes, it gives A* W A of them.

    >>> import numpy as np, offgrid
    >>> gram = offgrid.gram(np.zeros(3), 4)
    >>> gram(np.ones(4, complex)).real.round(3)
    array([12., 12., 12., 12.])
    """

    __slots__ = ("_shape", "_tol", "_real", "_core", "__weakref__")
    _owner = "operator"

    def __init__(self, points: Any, shape: Any, weights: Any, tol: float, transforms: int, device: str,
                 options: dict[str, Any]) -> None:
        self._shape, self._tol, self._transforms = shape_of(shape), number(tol, "tol"), whole(transforms, "transforms")
        checked = Points(points, len(self._shape))
        self._dtype = next(name for name, real in PRECISIONS.items() if real == checked.dtype)
        self._gpu = checked.gpu
        if device != "auto" and gpu_of(device) != self._gpu:
            raise ArgumentValueError(f"points is on {name_of_device(self._gpu)}, but device is {device}")
        settings = {**options_of(options), "transforms": number(self._transforms, "transforms"),
                    "device": "cuda" if self._gpu >= 0 else "cpu"}
        taken = None if weights is None else self._weights(weights, checked)
        memory = (0, 0) if taken is None else checked.kind.memory(taken)
        kept = checked.settled()
        stream = checked.kind.stream(self._gpu)
        axes = [checked.kind.memory(array) for array in kept]
        self._real = taken is None or checked.kind.dtype(taken) != self._dtype
        self._core = _core.Gram(list(self._shape[::-1]), self._tol, self._dtype == "complex64", settings, axes, memory,
                                not self._real, (self._gpu, stream))
        if self._gpu >= 0 and not checked.kind.writable:  # borrowed: its owner does not know of our stream
            _core.gpu_wait(self._gpu, stream)
        warn_of_accuracy(self._core, self._tol, self._dtype)

    def _weights(self, weights: Any, points: Points) -> Any:
        kind = kind_of(weights, "weights")
        if type(kind) is not type(points.kind):
            raise ArgumentTypeError(f"weights is a {type(weights).__name__}; expected the kind of the points")
        array = kind.take(weights, "weights")
        if kind.dtype(array) not in (self._dtype, points.dtype):
            raise ArgumentTypeError(f"weights has the dtype {kind.dtype(array)}; expected {points.dtype} or {self._dtype}")
        if tuple(array.shape) != (points.count,):
            raise ArgumentValueError(f"weights has the shape {tuple(array.shape)}; expected ({points.count},)")
        if kind.gpu(array) != points.gpu:
            raise ArgumentValueError(f"weights is on {name_of_device(kind.gpu(array))}, but points on {name_of_device(points.gpu)}")
        return kind.contiguous(array)

    @property
    def shape(self) -> tuple[int, ...]:
        """The modes along each axis."""
        return self._shape

    @property
    def tol(self) -> float:
        """The bound of the relative l2 error that was asked for."""
        return self._tol

    @property
    def dtype(self) -> str:
        """The data's dtype, complex64 or complex128."""
        return self._dtype

    @property
    def real(self) -> bool:
        """Whether the weights are real, so that the operator is Hermitian."""
        return self._real

    @property
    def transforms(self) -> int:
        """How many vectors are worked on in a call."""
        return self._transforms

    @overload
    def __call__(self, f: npt.NDArray[_typing.ComplexT],
                 out: npt.NDArray[_typing.ComplexT] | None = None) -> npt.NDArray[_typing.ComplexT]: ...
    @overload
    def __call__(self, f: _typing.ForeignT, out: _typing.ForeignT | None = None) -> _typing.ForeignT: ...
    def __call__(self, f: Any, out: Any = None) -> Any:
        """A* W A f, of the shape of f, (..., *shape). out: an array for the result, of the same kind; it may be f itself."""
        kind, gpu = KINDS.get(type(f)) or kind_of(f, "f"), self._gpu
        array = kind.take(f, "f")
        shape = self._check(kind, array, "f", self._shape) + self._shape
        array = kind.contiguous(array)
        place = None if out is None else self._place(kind, out, shape)
        result = place if place is not None and kind.contiguous(place) is place else kind.empty(shape, self._dtype, gpu)
        source, target = kind.memory(array), kind.memory(result)
        self._core.apply(source, target, (gpu, kind.stream(gpu)))
        if place is None:
            return kind.finish(result, f, gpu)
        if result is not place:
            kind.copy(place, result)
        return out

    def describe(self) -> str:
        """What was chosen and why; the sizes are in the order of `shape`."""
        return in_order_of_shape(self._core.describe())

    def get(self, name: str) -> float:
        """A number about the operator: convolution (1, or 0 for a pair), grid1, grid2, grid3 (the last axis first),
        expected_error, reachable_tolerance, memory_bytes, peak_bytes, points, transforms."""
        if not isinstance(name, str):
            raise ArgumentTypeError(f"name is {name!r}; expected a word")
        return self._core.get(name)

    def __enter__(self: GramT) -> GramT:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the operator's memory, as the end of a `with` block does; it cannot be used after it."""
        self._core.close()

    def __repr__(self) -> str:
        return (f"<offgrid.Gram of {int(self.get('points'))} points, shape={self._shape}, tol={self._tol}, "
                f"dtype={self._dtype!r}, transforms={self._transforms}>")


class KernelGram(Gram):
    """The convolution with a kernel of 2n - 1 modes along each axis, where the points of a plan gave it."""

    __slots__ = ()

    def __init__(self, plan: Plan, kernel: Any, real: bool) -> None:
        self._shape, self._tol, self._transforms = plan.shape, plan.tol, plan.transforms
        self._dtype, self._gpu, self._real = plan.dtype, plan._gpu, real
        heeded = {name: plan.options[name] for name in ("mode_order", "batch", "threads") if name in plan.options}
        settings = {**options_of(heeded), "transforms": number(self._transforms, "transforms"),
                    "device": "cuda" if self._gpu >= 0 else "cpu"}
        kind = kind_of(kernel, "kernel")
        self._core = _core.Gram.from_kernel(list(self._shape[::-1]), self._dtype == "complex64", settings,
                                            kind.memory(kernel), not real,
                                            (self._gpu, kind.stream(self._gpu)))


@written_out
def gram(points: _typing.Points, shape: _typing.Shape, weights: _typing.Axis | None = None, tol: float = 1e-6, *,
         transforms: int = 1, device: str = "auto", **options: Unpack[Options]) -> Gram:
    """The Gram operator f -> A* W A f, where A is the transform of type 2, modes to points, and W the diagonal of weights.

    points, shape, tol, transforms, device and the options are as in Plan; sign and mode_order are those of A. The points'
    dtype is the precision. weights: (M,), real or complex, or None for ones. With real weights the operator is Hermitian.
    It is a convolution, two FFTs of twice the modes however many points there are, or a pair of transforms, whichever costs
    less; gram="convolution" and gram="pair" insist. The result is called with modes, (..., *shape), and with `out`, which
    may be the modes themselves; it has describe(), get(name), close() and `with` as a Plan does. Weights are not checked: of
    those that are NaN the result is NaN.

    >>> import numpy as np, offgrid
    >>> x, y = np.random.default_rng(1).uniform(-np.pi, np.pi, (2, 2000))
    >>> gram = offgrid.gram((x, y), (16, 16), tol=1e-9)
    >>> f = np.random.default_rng(2).normal(size=(16, 16)) + 0j
    >>> pair = offgrid.nufft1((x, y), offgrid.nufft2((x, y), f, tol=1e-9), (16, 16), tol=1e-9)
    >>> bool(np.allclose(gram(f), pair, atol=1e-4)), gram.get("convolution")
    (True, 1.0)
    """
    return Gram(points, shape, weights, tol, transforms, device, dict(options))
