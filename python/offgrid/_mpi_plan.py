"""Plans on many ranks."""

from __future__ import annotations

import ctypes
import threading
from ctypes import c_int64, c_void_p
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Mapping, NoReturn, TypeVar, get_args, overload

import numpy.typing as npt

from offgrid import _mpi_execute, _typing
from offgrid._accuracy import warn_of_accuracy
from offgrid._arrays import PRECISIONS, name_of_device
from offgrid._checks import (Points, complex_name, dim_of, gpu_of, number, options_of, refuse_loose_points, shape_of, whole,
                             word_of)
from offgrid._error import ArgumentTypeError, ArgumentValueError, Error, Status
from offgrid._mpi_library import Options as Settings
from offgrid._mpi_library import PRECISION, addresses_of, sizes_of
from offgrid._mpi_ranks import MPI, library, ranks_of
from offgrid._options import Options
from offgrid._signature import written_out
from offgrid._vectors import Vectors, in_order_of_shape

if TYPE_CHECKING:
    from typing_extensions import Never, Unpack

PlanT = TypeVar("PlanT", bound="Plan")
Layout = Literal["replicated", "slabs"]
Result = Literal["everywhere", "on_root", "scattered", "nowhere"]
Number = Literal["points", "expected_error", "reachable_tolerance", "upsampling", "width", "grid1", "grid2", "grid3",
                 "memory_bytes", "seconds_points", "seconds_spread", "seconds_halo", "seconds_fft", "seconds_transpose",
                 "seconds_sum"]


class Plan(Vectors):
    """A transform of type 1, 2 or 3 and its adjoint, whose points are spread over the ranks of a communicator of mpi4py.

    Making a plan, set_points, execute, adjoint and close are collective: all ranks of `comm` call them, with the same
    arguments but for the points and data, which are each rank's own. A rank may have no points. Where one rank is refused
    something, all ranks raise the same error, which names the rank.

    type, shape, tol, dtype, transforms, device and the options are as in offgrid.Plan.
    layout: "replicated", all modes on every rank; what is a sum over points is summed over the ranks. "slabs", for grids that
    do not fit one rank, in 2D and 3D: each rank has the modes `local_modes` and works on as much of the grid.
    result: where the sum of replicated modes goes. "everywhere"; "on_root", rank 0, the others get None; "scattered", each
    rank gets its vectors `local_vectors`; "nowhere", of a type 3 whose targets, and not whose points, are spread over the
    ranks: every rank has all points, and values at its own targets.

    >>> from mpi4py import MPI
    >>> import numpy as np, offgrid.mpi
    >>> with offgrid.mpi.Plan(MPI.COMM_WORLD, 1, (8, 6), tol=1e-9) as plan:
    ...     plan.set_points((np.zeros(3), np.zeros(3)))
    ...     modes = plan.execute(np.ones(3, complex))
    >>> modes.shape, bool(abs(modes[4, 3] - 3 * MPI.COMM_WORLD.size) < 1e-6)
    ((8, 6), True)
    """

    __slots__ = ("_type", "_dim", "_shape", "_tol", "_device", "_options", "_layout", "_result", "_count", "_targets", "_local",
                 "_comm", "_ranks", "_handle", "_lock", "__weakref__")

    @written_out
    def __init__(self, comm: MPI.Intracomm, type: int, shape: _typing.Shape, tol: float = 1e-6, *,
                 dtype: npt.DTypeLike = "complex128", transforms: int = 1, device: str = "auto", layout: Layout = "replicated",
                 result: Result = "everywhere", **options: Unpack[Options]) -> None:
        self._handle, self._lock = c_void_p(), threading.Lock()
        self._comm, self._ranks = comm, ranks_of(comm)
        with self._ranks.together():
            refuse_loose_points("plan.set_points((x, y))", shape, tol)
            self._type, self._tol = whole(type, "type"), number(tol, "tol")
            self._shape = () if self._type == 3 else shape_of(shape)
            self._dim = len(self._shape) or dim_of(shape)
            self._dtype, self._transforms = complex_name(dtype), whole(transforms, "transforms")
            self._device, self._options = str(device), MappingProxyType(dict(options))
            self._layout, self._result = word_of(layout, "layout", Layout), word_of(result, "result", Result)
            if not -2**31 <= self._type < 2**31:
                raise ArgumentValueError(f"type is {type}; expected 1, 2 or 3")
            if self._layout == "slabs" and self._result != "everywhere":
                raise ArgumentValueError(f"result is {result!r}, but modes of slabs stay where they are; "
                                         "only replicated ones are summed")
            self._gpu = gpu_of(device)
            self._count = self._targets = -1
            given = {**options_of(dict(options)), "transforms": number(self._transforms, "transforms"),
                     "device": self._device.partition(":")[0]}
            settings = library.options(given)
        self._make(settings)

    def _make(self, settings: Settings) -> None:
        library.create("offgrid_mpi_plan_create", ctypes.byref(self._handle), self._ranks.handle,
                       get_args(Layout).index(self._layout), self._type, self._dim, sizes_of(self._shape[::-1]),
                       self._tol, PRECISION[self._dtype], settings.handle)
        if self._layout == "replicated":
            library.call("offgrid_mpi_plan_set_result", self._handle, get_args(Result).index(self._result))
        with self._ranks.together():
            self._local = self._part("offgrid_mpi_local_modes", self._dim)[::-1] if self._type != 3 else ()
        if self._type != 3 and self._layout == "replicated":  # the others know it when their points are set
            self._warn()

    def _warn(self) -> None:
        warn_of_accuracy(_mpi_execute.Accuracy(self), self._tol, self._dtype)

    def _part(self, name: str, axes: int) -> tuple[slice, ...]:
        first, count = (c_int64 * 3)(), (c_int64 * 3)()
        library.call(name, self._open(), first, count)
        return tuple(slice(first[axis], first[axis] + count[axis]) for axis in range(axes))

    def _open(self) -> c_void_p:
        if not self._handle:
            raise Error(Status.WRONG_STATE, "the plan was closed, or not made")
        return self._handle

    def __getattr__(self, name: str) -> NoReturn:
        # Only names that are not there come here.
        if name in Plan.__slots__ + Vectors.__slots__:
            raise Error(Status.WRONG_STATE, "the plan was not made: Plan.__init__ has not run, or has failed")
        raise AttributeError(f"an offgrid.mpi.Plan has no attribute {name!r}", name=name, obj=self)

    @property
    def comm(self) -> MPI.Intracomm:
        """The communicator that the plan was made for."""
        return self._comm

    @property
    def type(self) -> int:
        """1, points to modes, 2, modes to points, or 3, points to targets."""
        return self._type

    @property
    def shape(self) -> tuple[int, ...]:
        """All modes along each axis; of type 3, which has none, ()."""
        return self._shape

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return self._dim

    @property
    def tol(self) -> float:
        """The bound of the relative l2 error that was asked for."""
        return self._tol

    @property
    def dtype(self) -> str:
        """The data's dtype, complex64 or complex128."""
        return self._dtype

    @property
    def transforms(self) -> int:
        """How many vectors share the points."""
        return self._transforms

    @property
    def device(self) -> str:
        """What was asked for: "auto", "cpu", "cuda" or "cuda:N"."""
        return self._device

    @property
    def layout(self) -> str:
        """ "replicated" or "slabs"."""
        return self._layout

    @property
    def result(self) -> str:
        """Where the sum of replicated modes goes."""
        return self._result

    @property
    def options(self) -> Mapping[str, Any]:
        """The other options that were given."""
        return self._options

    @property
    def count(self) -> int | None:
        """How many points this rank has set."""
        return None if self._count < 0 else self._count

    @property
    def targets(self) -> int | None:
        """How many targets of a type 3 this rank has set."""
        return None if self._targets < 0 else self._targets

    @property
    def local_modes(self) -> tuple[slice, ...]:
        """Which modes this rank has: one slice for each axis of `shape`. With slabs the axis before the slowest one is cut, the
        middle one in 3D and the last one in 2D.

        >>> from mpi4py import MPI
        >>> import numpy as np, offgrid.mpi
        >>> plan = offgrid.mpi.Plan(MPI.COMM_WORLD, 2, (8, 6), layout="slabs")
        >>> modes = np.ones((8, 6), complex)[plan.local_modes]
        >>> plan.set_points(np.zeros((3, 2)))
        >>> plan.execute(modes).real.round(3)
        array([48., 48., 48.])
        """
        return self._local

    @property
    def local_shape(self) -> tuple[int, ...]:
        """The shape of this rank's modes; of type 3 ()."""
        return tuple(part.stop - part.start for part in self._local)

    @property
    def local_vectors(self) -> slice:
        """Which of the `transforms` vectors this rank gets of a sum; all of them, unless it is scattered."""
        return self._part("offgrid_mpi_local_vectors", 1)[0]

    @written_out
    def set_points(self, points: _typing.Points, targets: _typing.Points | None = None, *loose: Never) -> None:
        """This rank's points, as in offgrid.Plan, none too. targets: of type 3; all of them on every rank, or with
        result="nowhere" this rank's. Collective: where one rank is refused its points, the plan has none on any rank.

        >>> from mpi4py import MPI
        >>> import numpy as np, offgrid.mpi
        >>> plan = offgrid.mpi.Plan(MPI.COMM_WORLD, 3, 1, result="nowhere")
        >>> plan.set_points(np.zeros(5), np.full(2, float(MPI.COMM_WORLD.rank)))
        >>> plan.execute(np.ones(5, complex)).real.round(3)
        array([5., 5.])
        """
        with self._lock:
            with self._ranks.together():
                if loose or (targets is not None and self._type != 3):
                    call = "plan.set_points((x, y), (s, t))" if self._type == 3 else "plan.set_points((x, y))"
                    raise ArgumentTypeError(f"points come as one tuple (x, y): {call}")
                given = [self._side(points, "points")]
                if targets is not None:
                    given.append(self._side(targets, "targets"))
                    given[1].require_like(given[0])
                kept = _mpi_execute.settle(given)
            self._set(given, kept)
        if self._count > 0 and (self._layout == "slabs" or (self._type == 3 and self._targets > 0)):
            self._warn()

    def _side(self, points: Any, name: str) -> Points:
        self._open()
        side = Points(points, self._dim, name)
        if side.dtype != PRECISIONS[self._dtype]:
            raise ArgumentTypeError(f"{name} has the dtype {side.dtype}; expected {PRECISIONS[self._dtype]}, the plan's")
        if self._device != "auto" and side.gpu != self._gpu:
            raise ArgumentValueError(f"{name} is on {name_of_device(side.gpu)}, but the plan's device is {self._device}")
        return side

    def _set(self, given: list[Points], kept: list[list[Any]]) -> None:
        axes = [addresses_of([given[0].kind.memory(array)[0] for array in arrays]) for arrays in kept]
        self._count = -1  # where a rank is refused its points, the plan has none
        if len(given) == 2:
            self._targets = -1
            library.call("offgrid_mpi_set_points_and_targets", self._handle, given[0].count, axes[0], given[1].count, axes[1])
            self._targets = given[1].count
        else:
            library.call("offgrid_mpi_set_points", self._handle, given[0].count, *axes[0])
        _mpi_execute.wait_for_library(given[0].gpu)
        self._count, self._gpu = given[0].count, given[0].gpu

    @overload
    def execute(self, data: npt.NDArray[_typing.ComplexT],
                out: npt.NDArray[_typing.ComplexT] | None = None) -> npt.NDArray[_typing.ComplexT]: ...
    @overload
    def execute(self, data: _typing.ForeignT, out: _typing.ForeignT | None = None) -> _typing.ForeignT: ...
    def execute(self, data: Any, out: Any = None) -> Any:
        """The transform, from this rank's data: strengths of its points, or modes. Collective.

        The result: at its points this rank's strengths; modes as `layout` and `result` say, with "on_root" None on ranks other
        than 0, and with "scattered" an array (vectors of this rank, *shape).
        out: an array for all of the result, before it is scattered, of the same kind; other memory than the data.

        >>> from mpi4py import MPI
        >>> import numpy as np, offgrid.mpi
        >>> plan = offgrid.mpi.Plan(MPI.COMM_WORLD, 1, 4, result="on_root")
        >>> plan.set_points(np.zeros(3))
        >>> modes = plan.execute(np.ones(3, complex))
        >>> (modes is None) == (MPI.COMM_WORLD.rank > 0)
        True
        """
        return _mpi_execute.run(self, "offgrid_mpi_execute", self._type != 2, data, out)

    @overload
    def adjoint(self, data: npt.NDArray[_typing.ComplexT],
                out: npt.NDArray[_typing.ComplexT] | None = None) -> npt.NDArray[_typing.ComplexT]: ...
    @overload
    def adjoint(self, data: _typing.ForeignT, out: _typing.ForeignT | None = None) -> _typing.ForeignT: ...
    def adjoint(self, data: Any, out: Any = None) -> Any:
        """The adjoint, from the same plan and points: the other direction with the opposite sign. Collective.

        >>> from mpi4py import MPI
        >>> import numpy as np, offgrid.mpi
        >>> plan = offgrid.mpi.Plan(MPI.COMM_WORLD, 1, 4)
        >>> plan.set_points(np.zeros(3))
        >>> plan.adjoint(np.ones(4, complex)).round(3).real
        array([4., 4., 4.])
        """
        return _mpi_execute.run(self, "offgrid_mpi_execute_adjoint", self._type == 2, data, out)

    def _tail(self) -> tuple[int, ...]:
        """The last axes of what is not at the points: this rank's modes, or values at its targets."""
        return (self._targets,) if self._type == 3 else self.local_shape

    def describe(self) -> str:
        """What was chosen, and what is exchanged how, in words. Sizes are in the order of `shape`. Not collective.

        >>> from mpi4py import MPI
        >>> import offgrid.mpi
        >>> "replicated modes" in offgrid.mpi.Plan(MPI.COMM_WORLD, 1, (32, 48)).describe()
        True
        """
        return in_order_of_shape(library.words("offgrid_mpi_plan_describe", self._open()))

    def get(self, name: Number) -> float:
        """A number about this rank's part of the plan, by its name. Not collective.

        points: that this rank works on. grid1, grid2, grid3: the grid's sizes, along the last axis first. upsampling, width,
        expected_error, memory_bytes (held now; more from the first execute on). Seconds of the last execute: seconds_points (points
        to their owners), seconds_spread (or interpolate), seconds_halo, seconds_fft, seconds_transpose, seconds_sum.
        reachable_tolerance: of replicated modes.

        >>> from mpi4py import MPI
        >>> import numpy as np, offgrid.mpi
        >>> plan = offgrid.mpi.Plan(MPI.COMM_WORLD, 1, 64)
        >>> plan.set_points(np.zeros(7)); plan.get("points")
        7.0
        """
        if not isinstance(name, str):
            raise ArgumentTypeError(f"name is {name!r}; expected one of {', '.join(get_args(Number))}")
        return library.number("offgrid_mpi_plan_get", self._open(), name)

    def close(self) -> None:
        """Frees the plan's memory on this rank; the plan cannot be used after it. Collective: all ranks close their plans, in the
        same order. `with` closes a plan, too. One that is forgotten is freed when Python collects it, at another time on each
        rank perhaps. That is safe with numpy's arrays; with arrays of a GPU a rank may wait there for the others."""
        with self._lock:
            self._free()

    def _free(self) -> None:
        handle, self._handle = self._handle, c_void_p()
        if handle:
            library.call("offgrid_mpi_plan_destroy", handle)

    def __enter__(self: PlanT) -> PlanT:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self._free()
        except Exception:  # the plan was not made, or the interpreter ends
            pass

    def __reduce__(self) -> NoReturn:
        raise ArgumentTypeError("an offgrid.mpi.Plan cannot be pickled: it belongs to its communicator")

    def __repr__(self) -> str:
        given = {"type": self._type, "shape": self._dim if self._type == 3 else self._shape, "tol": self._tol,
                 "dtype": self._dtype, "transforms": self._transforms, "device": self._device, "layout": self._layout,
                 "result": self._result, **self._options}
        return f"offgrid.mpi.Plan(comm, {', '.join(f'{name}={value!r}' for name, value in given.items())})"
