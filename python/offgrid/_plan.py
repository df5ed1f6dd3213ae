"""Plans: what depends on the problem but not on the data."""

from __future__ import annotations

import os
import sys
import warnings
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Mapping, NoReturn, TypeVar, get_args, overload

import numpy as np
import numpy.typing as npt

from offgrid import _core, _typing
from offgrid._arrays import KINDS, PRECISIONS, kind_of, name_of_device
from offgrid._checks import (Points, complex_name, gpu_of, number, options_of, refuse_loose_points, shape_of,
                             uniform_name, whole)
from offgrid._error import AccuracyWarning, ArgumentTypeError, ArgumentValueError, Error, Status
from offgrid._options import Number, Options
from offgrid._signature import written_out
from offgrid._vectors import Vectors, in_order_of_shape

if TYPE_CHECKING:
    from typing_extensions import Never, Unpack

PACKAGE = os.path.dirname(__file__)
PlanT = TypeVar("PlanT", bound="Plan")


def reaches(core: _core.Plan | _core.Gram, tol: float) -> bool:
    return core.get("reachable_tolerance") <= tol


def warn_of_accuracy(core: _core.Plan | _core.Gram, tol: float, dtype: str) -> None:
    """A tolerance that the plan cannot reach is a warning, at the line that called the package."""
    if reaches(core, tol):
        return
    level = called_from = 1
    frame = sys._getframe(0).f_back
    while frame is not None:
        level += 1
        if frame.f_code.co_filename.startswith(PACKAGE):
            called_from = level
        frame = frame.f_back
    instead = ", or for complex128" if dtype == "complex64" else ""
    warnings.warn(f"tolerance {tol:g} cannot be reached here: ask for {core.get('reachable_tolerance'):.1g} or "
                  f"more{instead}", AccuracyWarning, called_from + 1)


class Plan(Vectors):
    """A transform of type 1 or 2 and its adjoint, for one problem and any number of points and data.

    type 1: points to modes, modes[k] = sum over j of strengths[j] exp(-i k.x[j]).
    type 2: modes to points, strengths[j] = sum over k of modes[k] exp(+i k.x[j]).

    shape: the modes, slowest axis first, as numpy has it; k runs from -floor(n / 2) up along each axis.
    tol: bound of the relative l2 error.
    dtype: complex64 or complex128; the data's, and with float32 or float64 the points'.
    transforms: how many vectors share the points; the leading axes of the data multiply to it.
    device: "auto" runs where the points lie; "cpu", "cuda" and "cuda:N" insist.
    The other options are explained by `offgrid.options()`; with spread_only=True the plan spreads to the cells of a grid of
    that shape, or interpolates from them (offgrid.spread). Attributes cannot be changed: make another plan.

    A tolerance that cannot be reached gives an AccuracyWarning; with strict=True it is an error. Used in a `with` block, a
    plan frees its memory at the end of it. A pickled plan is its specification, without points.

    >>> import numpy as np, offgrid
    >>> x, y = np.random.default_rng(1).uniform(-np.pi, np.pi, (2, 1000))
    >>> with offgrid.Plan(1, (32, 48), tol=1e-9) as plan:
    ...     plan.set_points((x, y))
    ...     modes = plan.execute(np.ones(1000, complex))
    ...     back = plan.adjoint(modes)
    >>> modes.shape, back.shape, bool(abs(modes[16, 24] - 1000) < 1e-5)
    ((32, 48), (1000,), True)
    """

    # Read-only outside: what a plan was made for cannot be changed. The extension checks sizes once more by itself.
    __slots__ = ("_type", "_shape", "_tol", "_device", "_options", "_count", "_core", "_uniform", "__weakref__")

    @written_out
    def __init__(self, type: int, shape: _typing.Shape, tol: float = 1e-6, *, dtype: npt.DTypeLike = "complex128",
                 transforms: int = 1, device: str = "auto", **options: Unpack[Options]) -> None:
        refuse_loose_points("plan.set_points((x, y))", shape, tol)
        self._type, self._shape, self._tol = whole(type, "type"), shape_of(shape), number(tol, "tol")
        self._dtype, self._transforms = complex_name(dtype), whole(transforms, "transforms")
        self._device, self._options = str(device), MappingProxyType(dict(options))
        if not -2**31 <= self._type < 2**31:
            raise ArgumentValueError(f"type is {type}; expected 1 or 2")
        self._gpu = gpu_of(device)
        self._uniform = uniform_name(dict(options))
        self._count = -1
        self._core = self._make(self._gpu)
        warn_of_accuracy(self._core, self._tol, self._dtype)

    def _make(self, gpu: int) -> _core.Plan:
        device = "cuda" if gpu >= 0 else "auto" if self._device == "auto" else "cpu"
        options = {**options_of(dict(self._options)), "transforms": number(self._transforms, "transforms"), "device": device}
        modes = list(self._shape[::-1])  # C's first axis is the contiguous one, Python's last
        return _core.Plan(self._type, modes, self._tol, self._dtype == "complex64", options, gpu)

    def __getattr__(self, name: str) -> NoReturn:
        # Only names that are not there come here.
        if name in Plan.__slots__ + Vectors.__slots__:
            raise Error(Status.WRONG_STATE, "the plan was not made: Plan.__init__ has not run")
        raise AttributeError(f"a Plan has no attribute {name!r}", name=name, obj=self)

    @property
    def type(self) -> int:
        """1, points to modes, or 2, modes to points.

        >>> import offgrid
        >>> offgrid.Plan(2, 16).type
        2
        """
        return self._type

    @property
    def shape(self) -> tuple[int, ...]:
        """The modes along each axis.

        >>> import offgrid
        >>> offgrid.Plan(1, 16).shape
        (16,)
        """
        return self._shape

    @property
    def tol(self) -> float:
        """The bound of the relative l2 error that was asked for.

        >>> import offgrid
        >>> offgrid.Plan(1, 16).tol
        1e-06
        """
        return self._tol

    @property
    def dtype(self) -> str:
        """The data's dtype, complex64 or complex128.

        >>> import numpy as np, offgrid
        >>> offgrid.Plan(1, 16, tol=1e-3, dtype=np.float32).dtype
        'complex64'
        """
        return self._dtype

    @property
    def transforms(self) -> int:
        """How many vectors share the points.

        >>> import offgrid
        >>> offgrid.Plan(1, 16, transforms=3).transforms
        3
        """
        return self._transforms

    @property
    def device(self) -> str:
        """What was asked for: "auto", "cpu", "cuda" or "cuda:N".

        >>> import offgrid
        >>> offgrid.Plan(1, 16).device
        'auto'
        """
        return self._device

    @property
    def options(self) -> Mapping[str, Any]:
        """The other options that were given.

        >>> import offgrid
        >>> dict(offgrid.Plan(1, 16, sign=1).options)
        {'sign': 1}
        """
        return self._options

    @property
    def specification(self) -> dict[str, Any]:
        """The arguments that make this plan again.

        >>> import offgrid
        >>> plan = offgrid.Plan(2, (8, 8), tol=1e-3, sign=-1)
        >>> offgrid.Plan(**plan.specification)
        offgrid.Plan(type=2, shape=(8, 8), tol=0.001, dtype='complex128', transforms=1, device='auto', sign=-1)
        """
        return {"type": self._type, "shape": self._shape, "tol": self._tol, "dtype": self._dtype,
                "transforms": self._transforms, "device": self._device, **self._options}

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_specification, (self.__class__, self.specification)

    def __repr__(self) -> str:
        return f"offgrid.Plan({', '.join(f'{name}={value!r}' for name, value in self.specification.items())})"

    def __enter__(self: PlanT) -> PlanT:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the plan's memory; the plan cannot be used after it.

        >>> import offgrid
        >>> plan = offgrid.Plan(1, 16)
        >>> plan.close()
        >>> plan.describe()
        Traceback (most recent call last):
        offgrid._error.Error: the plan was closed
        """
        self._core.close()

    @property
    def count(self) -> int | None:
        """How many points were set.

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(1, 16)
        >>> plan.count is None
        True
        >>> plan.set_points(np.zeros(5)); plan.count
        5
        """
        return None if self._count < 0 else self._count

    @written_out
    def set_points(self, points: _typing.Points, *loose: Never) -> None:
        """Reads the points and sorts them; the arrays need not be kept. points: an (M, d) array or a tuple of d arrays,
        the coordinates along the axes of `shape` in their order, in radians; 2 pi periodic, and at most 1e9 in size.

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(2, (16, 16))
        >>> plan.set_points(np.zeros((3, 2)))
        >>> plan.execute(np.ones((16, 16), complex)).real.round(3)
        array([256., 256., 256.])
        """
        if loose:
            raise ArgumentTypeError("points come as one tuple (x, y): plan.set_points((x, y))")
        self._set(Points(points, len(self._shape)))

    def _set(self, points: Points) -> None:
        if points.dtype != PRECISIONS[self._dtype]:
            raise ArgumentTypeError(f"points has the dtype {points.dtype}; expected {PRECISIONS[self._dtype]}, the plan's")
        if points.gpu != self._gpu:
            if self._device != "auto":
                raise ArgumentValueError(
                    f"points is on {name_of_device(points.gpu)}, but the plan's device is {self._device}")
            moved = self._make(points.gpu)
            self._call_set(moved, points)
            if reaches(self._core, self._tol):
                warn_of_accuracy(moved, self._tol, self._dtype)
            self._core, self._gpu = moved, points.gpu
        else:
            self._call_set(self._core, points)
        self._count = points.count

    @staticmethod
    def _call_set(core: _core.Plan, points: Points) -> None:
        kind = points.kind
        kept = points.settled()
        stream = kind.stream(points.gpu)
        core.set_points([(kind.address(array), kind.bytes(array)) for array in kept], (points.gpu, stream))
        if points.gpu >= 0 and not kind.writable:  # borrowed: its owner does not know of our stream
            _core.gpu_wait(points.gpu, stream)

    @overload
    def execute(self, data: npt.NDArray[_typing.ComplexT],
                out: npt.NDArray[_typing.ComplexT] | None = None) -> npt.NDArray[_typing.ComplexT]: ...
    @overload
    def execute(self, data: _typing.ForeignT, out: _typing.ForeignT | None = None) -> _typing.ForeignT: ...
    def execute(self, data: Any, out: Any = None) -> Any:
        """The transform: of strengths to modes for type 1, of modes to strengths for type 2.

        data: (..., M) or (..., *shape); the leading axes are the batch. out: an array for the result, of the same kind.

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(1, 4, transforms=2)
        >>> plan.set_points(np.zeros(3))
        >>> plan.execute(np.ones((2, 3), complex)).round(3).real
        array([[3., 3., 3., 3.],
               [3., 3., 3., 3.]])
        """
        return self._run(self._core.execute, self._type == 1, data, out)

    @overload
    def adjoint(self, data: npt.NDArray[_typing.ComplexT],
                out: npt.NDArray[_typing.ComplexT] | None = None) -> npt.NDArray[_typing.ComplexT]: ...
    @overload
    def adjoint(self, data: _typing.ForeignT, out: _typing.ForeignT | None = None) -> _typing.ForeignT: ...
    def adjoint(self, data: Any, out: Any = None) -> Any:
        """The adjoint, from the same plan and points: the other direction with the opposite sign.

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(1, 4)
        >>> plan.set_points(np.zeros(3))
        >>> plan.adjoint(np.ones(4, complex)).round(3).real
        array([4., 4., 4.])
        """
        return self._run(self._core.adjoint, self._type != 1, data, out)

    def _run(self, call: Any, to_modes: bool, data: Any, out: Any) -> Any:
        count, gpu = self._count, self._gpu
        if count < 0:
            raise Error(Status.WRONG_STATE, "execute: the plan has no points yet, call set_points first")
        name = "strengths" if to_modes else self._uniform
        kind = KINDS.get(type(data)) or kind_of(data, name)
        tails = ((count,), self._shape) if to_modes else (self._shape, (count,))
        array = kind.take(data, name)
        shape = self._check(kind, array, name, tails[0]) + tails[1]
        array = kind.contiguous(array)
        if out is None:
            result = kind.empty(shape, self._dtype, gpu)
            source, target = (kind.address(array), kind.bytes(array)), (kind.address(result), kind.bytes(result))
            call(*((source, target) if to_modes else (target, source)), (gpu, kind.stream(gpu)))
            return kind.finish(result, data, gpu)
        place = self._place(kind, out, shape)
        result = place if kind.contiguous(place) is place else kind.empty(shape, self._dtype, gpu)
        source, target = (kind.address(array), kind.bytes(array)), (kind.address(result), kind.bytes(result))
        if source[0] < target[0] + target[1] and target[0] < source[0] + source[1]:
            raise ArgumentValueError(f"out shares memory with {name}")
        call(*((source, target) if to_modes else (target, source)), (gpu, kind.stream(gpu)))
        if result is not place:
            kind.copy(place, result)
        return out

    def describe(self) -> str:
        """What was chosen and why, in words. Sizes are in the order of `shape`.

        >>> import offgrid
        >>> offgrid.Plan(1, (32, 48)).describe().splitlines()[0]
        'problem      type 1, 32 x 48 modes, 1 transforms, f64'
        """
        return in_order_of_shape(self._core.describe())

    @overload
    def kernel(self, distance: float) -> float: ...
    @overload
    def kernel(self, distance: _typing.Real) -> npt.NDArray[np.float64]: ...
    def kernel(self, distance: Any) -> Any:
        """Of a plan with spread_only=True: the kernel at a distance from a point in cells, a number or an array.

        It is phi(2 distance / w), 1 at 0, and 0 from half its width w on; docs/spreading.md has the formula.

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(1, 32, tol=1e-6, spread_only=True)
        >>> plan.kernel(np.array([-20.0, 0.0, 20.0])).round(3)
        array([0., 1., 0.])
        """
        return _evaluate(self._core.kernel, distance, "distance")

    @overload
    def kernel_transform(self, axis: int, k: float) -> float: ...
    @overload
    def kernel_transform(self, axis: int, k: npt.NDArray[Any]) -> npt.NDArray[np.float64]: ...
    def kernel_transform(self, axis: int, k: Any) -> Any:
        """The Fourier transform of the kernel: (w/2) times the integral over z of phi(z) cos(pi w k z / n), for an axis of n
        cells, k a number or an array. Modes of an FFT of spread cells are divided by it, along each axis.

        >>> import offgrid
        >>> plan = offgrid.Plan(1, 32, tol=1e-6, spread_only=True)
        >>> plan.kernel_transform(0, 0) > plan.kernel_transform(0, 8) > 0
        True
        """
        axis, dim = whole(axis, "axis"), len(self._shape)
        if not 0 <= axis < dim:
            raise ArgumentValueError(f"axis is {axis}; expected 0 to {dim - 1}")
        return _evaluate(lambda given, found: self._core.kernel_transform(dim - 1 - axis, given, found), k, "k")

    def workspace_bytes(self) -> int:
        """The scratch memory of one execute.

        >>> import offgrid
        >>> offgrid.Plan(1, (64, 64), points_hint=10000).workspace_bytes() > 64 * 64 * 16
        True
        """
        return int(self._core.get("workspace_bytes"))

    def get(self, name: Number) -> float:
        """A number about the plan, by its name. An unknown name raises an error that lists those there are.

        upsampling (sigma) and width: of the kernel. grid1, grid2, grid3: the grid's sizes, along the last axis first.
        expected_error, and reachable_tolerance: the least that could be asked for. workspace_bytes: of one execute.
        memory_bytes and peak_bytes: what the plan holds on its device, now and at most. points: -1 before set_points.
        transforms.

        >>> import offgrid
        >>> offgrid.Plan(1, (64, 64), tol=1e-6, points_hint=10000).get("expected_error") <= 1e-6
        True
        """
        if not isinstance(name, str):
            raise ArgumentTypeError(f"name is {name!r}; expected one of {', '.join(get_args(Number))}")
        return self._core.get(name)


def _evaluate(function: Any, values: Any, name: str) -> Any:
    """A function of one number, for a number or for each of an array."""
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{name} is {values!r}; expected a number or an array of numbers") from None
    found = np.empty(given.size)
    function(np.ascontiguousarray(given).reshape(-1), found)
    return found.reshape(given.shape) if given.ndim > 0 else float(found[0])


def _from_specification(kind: type[Plan], specification: dict[str, Any]) -> Plan:
    return kind(**specification)
