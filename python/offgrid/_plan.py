"""Plans: what depends on the problem but not on the data, with the checks of what is handed in."""

from __future__ import annotations

import operator
from math import prod
from typing import Any

from offgrid import _core
from offgrid._arrays import KINDS, PRECISIONS, NumpyKind, kind_of, name_of_device
from offgrid._error import Error, Status


def shape_of(shape: Any) -> tuple[int, ...]:
    try:
        sizes = tuple(operator.index(n) for n in (shape if hasattr(shape, "__iter__") else (shape,)))
    except TypeError:
        raise TypeError(f"shape is {shape!r}; expected one to three whole numbers") from None
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"shape has {len(sizes)} axes; expected one, two or three")
    for axis, n in enumerate(sizes):
        if not 0 <= n < 2**63:
            raise ValueError(f"shape[{axis}] is {n}; expected 0 or more, and less than 2^63")
    return sizes


def complex_name(dtype: Any) -> str:
    """complex64 or complex128, for these and for the reals of the same precision, of any library."""
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype).removeprefix("torch.")
    for complex_dtype, real in PRECISIONS.items():
        if name in (complex_dtype, real):
            return complex_dtype
    raise TypeError(f"dtype is {dtype!r}; expected complex64 or complex128")


def whole(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; expected a whole number") from None


def number(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}; expected a number") from None


def gpu_of(device: str) -> int:
    """-1 for the CPU and for auto, which starts there."""
    kind, _, index = str(device).partition(":")
    if kind == "cuda" and (index.isdigit() or device == "cuda"):
        return int(index or 0)
    if device not in ("auto", "cpu"):
        raise ValueError(f"device is {device!r}; expected auto, cpu, cuda or cuda:N")
    return -1


def columns(points: Any, dim: int) -> tuple[Any, ...]:
    """The coordinates, an array an axis, from a tuple of them or from an (M, d) array; unchecked."""
    if isinstance(points, (tuple, list)):
        if len(points) != dim:
            raise ValueError(f"points has {len(points)} arrays; expected {dim}, one for each axis of shape")
        return tuple(points)
    kind_of(points, "points")
    shape = tuple(points.shape)
    if len(shape) == 1 and dim == 1:
        return (points,)
    if len(shape) != 2 or shape[1] != dim:
        raise ValueError(f"points has the shape {shape}; expected (M, {dim}), or a tuple of {dim} arrays")
    return tuple(points[:, axis] for axis in range(dim))


class Points:
    """Coordinates that were checked: arrays of one kind of device, one dtype and one length."""

    __slots__ = ("kind", "arrays", "count", "dtype", "gpu")

    def __init__(self, points: Any, dim: int) -> None:
        arrays = columns(points, dim)
        self.kind: NumpyKind = kind_of(arrays[0], "points[0]")
        self.arrays: list[Any] = []
        for axis, value in enumerate(arrays):
            name = f"points[{axis}]"
            kind = kind_of(value, name)
            if type(kind) is not type(self.kind):
                raise TypeError(f"{name} is a {type(value).__name__}, points[0] a {type(arrays[0]).__name__}")
            self.add(kind, kind.take(value, name), name)

    def add(self, kind: NumpyKind, array: Any, name: str) -> None:
        dtype, shape, gpu = kind.dtype(array), tuple(array.shape), kind.gpu(array)
        if dtype not in PRECISIONS.values():
            raise TypeError(f"{name} has the dtype {dtype}; expected float32 or float64")
        if len(shape) != 1:
            raise ValueError(f"{name} has the shape {shape}; expected one axis")
        if not self.arrays:
            self.count, self.dtype, self.gpu = shape[0], dtype, gpu
        if dtype != self.dtype:
            raise TypeError(f"{name} has the dtype {dtype}, points[0] {self.dtype}")
        if shape[0] != self.count:
            raise ValueError(f"{name} has {shape[0]} points, points[0] {self.count}")
        if gpu != self.gpu:
            raise ValueError(f"{name} is on {name_of_device(gpu)}, points[0] on {name_of_device(self.gpu)}")
        self.arrays.append(array)


class Plan:
    """A transform of type 1 or 2 and its adjoint, for one problem and any number of points and data.

    type 1: points to modes, modes[k] = sum over j of strengths[j] exp(-i k.x[j]).
    type 2: modes to points, strengths[j] = sum over k of modes[k] exp(+i k.x[j]).

    shape: the modes, slowest axis first, as numpy has it; k runs from -floor(n / 2) up along each axis.
    tol: bound of the relative l2 error.
    dtype: complex64 or complex128; the data's, and with float32 or float64 the points'.
    transforms: how many vectors share the points; the leading axes of the data multiply to it.
    device: "auto" runs where the points lie; "cpu", "cuda" and "cuda:N" insist.
    options: `offgrid.options()` lists them: sign, mode_order, threads, ...

    Used in a `with` block, a plan frees its memory at the end of it. A pickled plan is its specification, without points.

    >>> import numpy as np, offgrid
    >>> x, y = np.random.default_rng(1).uniform(-np.pi, np.pi, (2, 1000))
    >>> with offgrid.Plan(1, (32, 48), tol=1e-9) as plan:
    ...     plan.set_points((x, y))
    ...     modes = plan.execute(np.ones(1000, complex))
    ...     back = plan.adjoint(modes)
    >>> modes.shape, back.shape, bool(abs(modes[16, 24] - 1000) < 1e-5)
    ((32, 48), (1000,), True)
    """

    def __init__(self, type: int, shape: Any, tol: float = 1e-6, *, dtype: Any = "complex128", transforms: int = 1,
                 device: str = "auto", **options: Any) -> None:
        self.type, self.shape, self.tol = whole(type, "type"), shape_of(shape), number(tol, "tol")
        self.dtype, self.transforms = complex_name(dtype), whole(transforms, "transforms")
        self.device, self.options = device, options
        if not -2**31 <= self.type < 2**31:
            raise ValueError(f"type is {type}; expected 1 or 2")
        self._gpu = gpu_of(device)
        self._count = -1
        self._core = self._make(self._gpu)

    def _make(self, gpu: int) -> _core.Plan:
        options = {name: value if isinstance(value, str) else number(value, name) for name, value in self.options.items()}
        options |= {"transforms": self.transforms, "device": "cuda" if gpu >= 0 else "auto" if self.device == "auto" else "cpu"}
        modes = list(self.shape[::-1])  # C's first axis is the contiguous one, Python's last
        return _core.Plan(self.type, modes, self.tol, self.dtype == "complex64", options, gpu)

    @property
    def specification(self) -> dict[str, Any]:
        """The arguments that make this plan again.

        >>> import offgrid
        >>> plan = offgrid.Plan(2, (8, 8), tol=1e-3, sign=-1)
        >>> offgrid.Plan(**plan.specification).options
        {'sign': -1}
        """
        return {"type": self.type, "shape": self.shape, "tol": self.tol, "dtype": self.dtype,
                "transforms": self.transforms, "device": self.device, **self.options}

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_specification, (self.specification,)

    def __repr__(self) -> str:
        return f"offgrid.Plan({', '.join(f'{name}={value!r}' for name, value in self.specification.items())})"

    def __enter__(self) -> Plan:
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

    def set_points(self, points: Any) -> None:
        """Reads the points and sorts them; the arrays need not be kept. points: an (M, d) array or a tuple of d arrays,
        the coordinates along the axes of `shape` in their order; 2 pi periodic.

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(2, (16, 16))
        >>> plan.set_points(np.zeros((3, 2)))
        >>> plan.execute(np.ones((16, 16), complex)).real.round(3)
        array([256., 256., 256.])
        """
        self._set(Points(points, len(self.shape)))

    def _set(self, points: Points) -> None:
        kind = points.kind
        if points.dtype != PRECISIONS[self.dtype]:
            raise TypeError(f"points has the dtype {points.dtype}; expected {PRECISIONS[self.dtype]}, the plan's")
        if points.gpu != self._gpu:
            if self.device != "auto":
                raise ValueError(f"points is on {name_of_device(points.gpu)}, but the plan's device is {self.device}")
            moved = self._make(points.gpu)
            self._call_set(moved, points, kind)
            self._core, self._gpu = moved, points.gpu
        else:
            self._call_set(self._core, points, kind)
        self._count = points.count

    @staticmethod
    def _call_set(core: _core.Plan, points: Points, kind: NumpyKind) -> None:
        kept = [kind.contiguous(array) for array in reversed(points.arrays)]  # C's first axis is Python's last
        x, y, z = ([kind.address(array) for array in kept] + [0, 0])[:3]
        stream = kind.stream(points.gpu)
        core.set_points(points.count, x, y, z, stream)
        if points.gpu >= 0 and not kind.writable:  # borrowed: its owner does not know of our stream
            _core.gpu_wait(points.gpu, stream)

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
        return self._run(self._core.execute, self.type == 1, data, out)

    def adjoint(self, data: Any, out: Any = None) -> Any:
        """The adjoint, from the same plan and points: the other direction with the opposite sign.

        >>> import numpy as np, offgrid
        >>> plan = offgrid.Plan(1, 4)
        >>> plan.set_points(np.zeros(3))
        >>> plan.adjoint(np.ones(4, complex)).round(3).real
        array([4., 4., 4.])
        """
        return self._run(self._core.adjoint, self.type != 1, data, out)

    def _run(self, call: Any, to_modes: bool, data: Any, out: Any) -> Any:
        if self._count < 0:
            raise Error(Status.WRONG_STATE, "execute: the plan has no points yet, call set_points first")
        name = "strengths" if to_modes else "modes"
        kind = KINDS.get(type(data)) or kind_of(data, name)
        count, gpu = self._count, self._gpu
        tails = ((count,), self.shape) if to_modes else (self.shape, (count,))
        array = kind.take(data, name)
        lead = self._check(kind, array, name, tails[0])
        shape = lead + tails[1]
        array = kind.contiguous(array)
        result = kind.empty(shape, self.dtype, gpu) if out is None else self._place(kind, out, shape)
        source, target = kind.address(array), kind.address(result)
        if out is not None and self._overlap(source, prod(lead + tails[0]), target, prod(shape)):
            raise ValueError(f"out shares memory with {name}")
        call(*((source, target) if to_modes else (target, source)), count, kind.stream(gpu))
        if out is None:
            return kind.finish(result, data, gpu)
        if result is not out:
            kind.copy(out, result)
        return out

    def _check(self, kind: NumpyKind, array: Any, name: str, tail: tuple[int, ...]) -> tuple[int, ...]:
        """The leading axes of an array that ends in `tail`, or an error that names it."""
        shape = tuple(array.shape)
        if kind.dtype(array) != self.dtype:
            raise TypeError(f"{name} has the dtype {kind.dtype(array)}; expected {self.dtype}, the plan's")
        lead = shape[: max(len(shape) - len(tail), 0)]
        if shape[len(lead):] != tail or prod(lead) != self.transforms:
            expected = ", ".join(map(str, tail)) + ("," if len(tail) == 1 else "")
            many = f" with leading axes for {self.transforms} transforms" if self.transforms > 1 else ""
            raise ValueError(f"{name} has the shape {shape}; expected ({expected}){many}")
        if kind.gpu(array) != self._gpu:
            raise ValueError(f"{name} is on {name_of_device(kind.gpu(array))}, "
                             f"but the plan's points are on {name_of_device(self._gpu)}")
        return lead

    def _place(self, kind: NumpyKind, out: Any, shape: tuple[int, ...]) -> Any:
        """Where the result is computed: out itself, or a temporary where out is not contiguous."""
        if not kind.writable:
            raise TypeError(f"out: an array of this kind ({type(out).__name__}) cannot be written to")
        if type(kind_of(out, "out")) is not type(kind):
            raise TypeError(f"out is a {type(out).__name__}; expected the kind of the data")
        array = kind.take(out, "out")
        kind.check_out(out)
        if kind.dtype(array) != self.dtype:
            raise TypeError(f"out has the dtype {kind.dtype(array)}; expected {self.dtype}")
        if tuple(array.shape) != shape:
            raise ValueError(f"out has the shape {tuple(array.shape)}; expected {shape}")
        if kind.gpu(array) != self._gpu:
            raise ValueError(f"out is on {name_of_device(kind.gpu(array))}, the plan's points on {name_of_device(self._gpu)}")
        return array if kind.contiguous(array) is array else kind.empty(shape, self.dtype, self._gpu)

    def _overlap(self, source: int, read: int, target: int, written: int) -> bool:
        size = 8 if self.dtype == "complex64" else 16
        return source < target + written * size and target < source + read * size

    def describe(self) -> str:
        """What was chosen and why, in words. Axes and sizes are in C's order there, the contiguous axis first.

        >>> import offgrid
        >>> "tolerance" in offgrid.Plan(1, (32, 32)).describe()
        True
        """
        return self._core.describe()

    def workspace_bytes(self) -> int:
        """The scratch memory of one execute.

        >>> import offgrid
        >>> offgrid.Plan(1, (64, 64), points_hint=10000).workspace_bytes() > 64 * 64 * 16
        True
        """
        return int(self._core.get("workspace_bytes"))

    def get(self, name: str) -> float:
        """A number about the plan: upsampling, width, expected_error, memory_bytes, ...; offgrid.h lists them.

        >>> import offgrid
        >>> offgrid.Plan(1, (64, 64), tol=1e-6, points_hint=10000).get("expected_error") <= 1e-6
        True
        """
        return self._core.get(name)


def _from_specification(specification: dict[str, Any]) -> Plan:
    return Plan(**specification)
