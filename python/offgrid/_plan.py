"""Plans: what depends on the problem but not on the data."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Mapping, NoReturn, TypeVar, get_args, overload

import numpy as np
import numpy.typing as npt

from offgrid import _core, _execute, _typing
from offgrid._accuracy import reaches, warn_of_accuracy
from offgrid._arrays import PRECISIONS, NumpyKind, name_of_device
from offgrid._checks import (Points, box_of, complex_name, dim_of, gpu_of, number, options_of, refuse_loose_points,
                             shape_of, uniform_name, whole)
from offgrid._error import ArgumentTypeError, ArgumentValueError, Error, Status
from offgrid._options import Number, Options
from offgrid._signature import written_out
from offgrid._vectors import Vectors, in_order_of_shape

if TYPE_CHECKING:
    from typing_extensions import Never, Unpack

PlanT = TypeVar("PlanT", bound="Plan")


class Plan(Vectors):
    """A transform of type 1, 2 or 3 and its adjoint, for one problem and any number of points and data.

    type 1: points to modes, modes[k] = sum over j of strengths[j] exp(-i k.x[j]).
    type 2: modes to points, strengths[j] = sum over k of modes[k] exp(+i k.x[j]).
    type 3: points to targets, values[k] = sum over j of strengths[j] exp(+i s[k].x[j]), both anywhere.

    shape: the modes, slowest axis first, as numpy has it; k runs from -floor(n / 2) up along each axis. Of type 3, which has
    no modes, the number of dimensions.
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
    __slots__ = ("_type", "_dim", "_shape", "_tol", "_device", "_options", "_count", "_targets", "_boxes", "_sum_like",
                 "_batch", "_core", "_uniform", "__weakref__")

    @written_out
    def __init__(self, type: int, shape: _typing.Shape, tol: float = 1e-6, *, dtype: npt.DTypeLike = "complex128",
                 transforms: int = 1, device: str = "auto", **options: Unpack[Options]) -> None:
        refuse_loose_points("plan.set_points((x, y))", shape, tol)
        self._type, self._tol = whole(type, "type"), number(tol, "tol")
        self._shape = () if self._type == 3 else shape_of(shape)
        self._dim = len(self._shape) or dim_of(shape)
        self._dtype, self._transforms = complex_name(dtype), whole(transforms, "transforms")
        self._device, self._options = str(device), MappingProxyType(dict(options))
        if not -2**31 <= self._type < 2**31:
            raise ArgumentValueError(f"type is {type}; expected 1, 2 or 3")
        self._gpu = gpu_of(device)
        self._uniform = "values" if self._type == 3 else uniform_name(dict(options))
        self._count = self._targets = -1
        self._boxes: tuple[Any, Any] | None = None
        self._sum_like: tuple[NumpyKind, Any] | None = None  # of a type 3 whose sum was begun: the kind of its strengths
        self._batch: tuple[int, ...] = ()
        self._core = self._make(self._gpu)
        if self._type != 3:  # that one knows it when its points are set
            warn_of_accuracy(self._core, self._tol, self._dtype)

    def _make(self, gpu: int) -> _core.Plan:
        device = "cuda" if gpu >= 0 else "auto" if self._device == "auto" else "cpu"
        options = {**options_of(dict(self._options)), "transforms": number(self._transforms, "transforms"), "device": device}
        modes = list(self._shape[::-1])  # C's first axis is the contiguous one, Python's last
        core = _core.Plan(self._type, modes, self._tol, self._dtype == "complex64", options, gpu,
                          self._dim if self._type == 3 else 0)
        if self._boxes is not None:
            core.set_boxes(*self._boxes)
        return core

    def __getattr__(self, name: str) -> NoReturn:
        # Only names that are not there come here.
        if name in Plan.__slots__ + Vectors.__slots__:
            raise Error(Status.WRONG_STATE, "the plan was not made: Plan.__init__ has not run")
        raise AttributeError(f"a Plan has no attribute {name!r}", name=name, obj=self)

    @property
    def type(self) -> int:
        """1, points to modes, 2, modes to points, or 3, points to targets.

        >>> import offgrid
        >>> offgrid.Plan(2, 16).type
        2
        """
        return self._type

    @property
    def shape(self) -> tuple[int, ...]:
        """The modes along each axis; of type 3, which has none, ().

        >>> import offgrid
        >>> offgrid.Plan(1, 16).shape
        (16,)
        """
        return self._shape

    @property
    def dim(self) -> int:
        """The number of dimensions.

        >>> import offgrid
        >>> offgrid.Plan(3, 2).dim
        2
        """
        return self._dim

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
        return {"type": self._type, "shape": self._dim if self._type == 3 else self._shape, "tol": self._tol, "dtype": self._dtype,
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

    @property
    def targets(self) -> int | None:
        """How many targets of a type 3 were set.

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(3, 1)
        >>> plan.set_points(np.zeros(5), np.zeros(3)); plan.targets
        3
        """
        return None if self._targets < 0 else self._targets

    @written_out
    def set_points(self, points: _typing.Points, targets: _typing.Points | None = None, *loose: Never) -> None:
        """Reads the points and sorts them; the arrays need not be kept. points: an (M, d) array or a tuple of d arrays,
        the coordinates along the axes of `shape` in their order, in radians; 2 pi periodic, and at most 1e9 in size.

        targets: of type 3, and as points are; both may lie anywhere, and nothing is periodic. They come in one call, since the
        grids depend on the boxes around both. After that, or after set_boxes, points may be set alone, in their box.
        Without set_boxes they are refused where they need finer grids: few, for instance, after many all over the box.

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(2, (16, 16))
        >>> plan.set_points(np.zeros((3, 2)))
        >>> plan.execute(np.ones((16, 16), complex)).real.round(3)
        array([256., 256., 256.])
        """
        if loose or (targets is not None and self._type != 3):
            call = "plan.set_points((x, y), (s, t))" if self._type == 3 else "plan.set_points((x, y))"
            raise ArgumentTypeError(f"points come as one tuple (x, y): {call}")
        self._set(Points(points, self._dim), None if targets is None else Points(targets, self._dim, "targets"))

    def set_targets(self, targets: _typing.Points) -> None:
        """Of type 3: other targets for the same points, in their box. Refused as points alone are (set_points).

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(3, 1)
        >>> plan.set_boxes((-1, 1), (0, 10))
        >>> plan.set_targets(np.linspace(0, 10, 5)); plan.targets
        5
        """
        self._set(None, Points(targets, self._dim, "targets"))

    def set_boxes(self, points: _typing.Box, targets: _typing.Box) -> None:
        """Of type 3: chooses the grids for all points and targets in two boxes, and forgets those that were set. A box is
        (low, high), each a number for all axes or one number for each axis.

        Nothing is allocated, and get("memory_bytes") tells what the grids will take. What does not fit is refused with the
        bytes that it would take.

        >>> import offgrid
        >>> plan = offgrid.Plan(3, 2, tol=1e-9)
        >>> plan.set_boxes(points=(-1, 1), targets=((-50, 0), (50, 20)))
        >>> plan.get("memory_bytes") > 0
        True
        """
        boxes = [tuple(end[::-1] for end in box_of(box, self._dim, name))
                 for box, name in ((points, "points"), (targets, "targets"))]
        self._core.set_boxes(*boxes)
        self._boxes = (boxes[0], boxes[1])
        self._count = self._targets = -1
        self._sum_like = None
        warn_of_accuracy(self._core, self._tol, self._dtype)

    def add(self, strengths: _typing.Data) -> None:
        """Of type 3, for more points than fit at once: adds the points that are set now to a sum, which `finish` evaluates.

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(3, 1)
        >>> plan.set_boxes((0, 4), (-1, 1))
        >>> plan.set_targets(np.zeros(2))
        >>> for chunk in range(4):
        ...     plan.set_points(np.full(100, float(chunk)))
        ...     plan.add(np.ones(100, complex))
        >>> plan.finish().real.round(3)
        array([400., 400.])
        """
        _execute.add(self, strengths)

    def finish(self, out: Any = None) -> Any:
        """The values at the targets of all that was added, and a new sum begins. See `add`.

        >>> import offgrid
        >>> offgrid.Plan(3, 1).finish()
        Traceback (most recent call last):
        offgrid._error.Error: finish: no sum was begun, call add first
        """
        return _execute.finish(self, out)

    def _set(self, points: Points | None, targets: Points | None = None) -> None:
        given = [side for side in (points, targets) if side is not None]
        for side in given:
            if side.dtype != PRECISIONS[self._dtype]:
                raise ArgumentTypeError(
                    f"{side.name} has the dtype {side.dtype}; expected {PRECISIONS[self._dtype]}, the plan's")
            side.require_like(given[0])
        if given[0].gpu != self._gpu:
            self._move(given)
        else:
            _execute.set_axes(self._core, given)
        if points is not None:
            self._count = points.count
        if targets is not None:
            self._targets = targets.count
        if len(given) == 2:
            self._sum_like = None
            if self._count > 0 and self._targets > 0:
                warn_of_accuracy(self._core, self._tol, self._dtype)

    def _move(self, given: list[Points]) -> None:
        """To the device of points, with them."""
        gpu = given[0].gpu
        if self._device != "auto":
            raise ArgumentValueError(
                f"{given[0].name} is on {name_of_device(gpu)}, but the plan's device is {self._device}")
        if self._sum_like is not None:
            raise Error(Status.WRONG_STATE, f"{given[0].name} is on {name_of_device(gpu)}, but a sum was begun on "
                                            f"{name_of_device(self._gpu)}; finish it first")
        moved = self._make(gpu)
        _execute.set_axes(moved, given)
        if self._type != 3 and reaches(self._core, self._tol):
            warn_of_accuracy(moved, self._tol, self._dtype)
        self._core, self._gpu = moved, gpu
        self._count = self._targets = -1

    @overload
    def execute(self, data: npt.NDArray[_typing.ComplexT],
                out: npt.NDArray[_typing.ComplexT] | None = None) -> npt.NDArray[_typing.ComplexT]: ...
    @overload
    def execute(self, data: _typing.ForeignT, out: _typing.ForeignT | None = None) -> _typing.ForeignT: ...
    def execute(self, data: Any, out: Any = None) -> Any:
        """The transform: of strengths to modes for type 1, of modes to strengths for type 2, of strengths to values at the
        targets for type 3.

        data: (..., M) or (..., *shape); the leading axes are the batch. out: an array for the result, of the same kind.

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(1, 4, transforms=2)
        >>> plan.set_points(np.zeros(3))
        >>> plan.execute(np.ones((2, 3), complex)).round(3).real
        array([[3., 3., 3., 3.],
               [3., 3., 3., 3.]])
        """
        return self._run(self._core.execute, self._type != 2, data, out)

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
        return self._run(self._core.adjoint, self._type == 2, data, out)

    def _run(self, call: Any, from_points: bool, data: Any, out: Any) -> Any:
        return _execute.run(self, call, from_points, data, out)

    def _tail(self) -> tuple[int, ...]:
        """The last axes of what is not at the points: modes, cells, or values at the targets."""
        return (self._targets,) if self._type == 3 else self._shape

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
        axis, dim = whole(axis, "axis"), self._dim
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
        transforms. targets: of type 3.

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
