"""The class Plan over the C library's plan: makeplan, setpts and execute.

The library's first axis is the fastest in memory, the arrays' last one is. So the sizes and the coordinates are
handed over in reversed order.
"""

import numbers
import sys
from ctypes import byref, c_int64, c_void_p
from typing import Any, NoReturn

import numpy as np

from cufinufft import _checks, _compat, _cufinufft
from cufinufft._cufinufft import NufftOpts

_reasons = {
    9: "n_trans must be at least 1",
    10: "the type must be 1, 2 or 3",
    11: "out of memory",
    14: "a number of modes is not positive, or too large",
    15: "CUDA failed: is there a GPU that can be used?",
    17: "gpu_method is not one for this plan",
    20: "the number of points is not valid",
}


def raise_failure(what: str, reason: str) -> NoReturn:
    """Raises cuFINUFFT's RuntimeError, whose text is ``what``, with the reason as its cause."""
    raise RuntimeError(what) from RuntimeError(reason)


def _reason(status: int) -> str:
    words = _reasons.get(status)
    return f"code {status}{': ' + words if words else ''}"


class Plan:
    """A plan of nonuniform FFTs on a GPU that share their type, sizes, tolerance and options, and their points.

    Args:
        nufft_type: 1 (points to modes), 2 (modes to points) or 3 (points to targets).
        n_modes: for types 1 and 2 the numbers of modes as in the shape of the array, such as ``(50, 100)``, where an
            integer means one dimension; for type 3 the number of dimensions.
        n_trans: how many transforms one execute computes.
        eps: the tolerance, relative. One that is out of reach is raised to what can be reached.
        isign: the sign in the exponential, +1 where it is 0 or more. Default: +1 for types 1 and 3, -1 for type 2.
        dtype: ``"complex64"`` or ``"complex128"``. ``"float32"`` and ``"float64"``, of cuFINUFFT before 2.4, mean the
            same and warn.
        **kwargs: fields of cuFINUFFT's struct of options, such as ``gpu_method=1`` or ``gpu_stream=stream.ptr``.
    """

    def __init__(
        self,
        nufft_type: int,
        n_modes: Any,
        n_trans: int = 1,
        eps: float = 1e-6,
        isign: int | None = None,
        dtype: Any = "complex64",
        **kwargs: Any,
    ) -> None:
        self._plan = c_void_p(None)
        self._references: list[Any] = []
        self._dtype = _checks.plan_dtype(dtype)
        single = self._dtype == np.complex64
        self._make_plan = _cufinufft._make_planf if single else _cufinufft._make_plan
        self._setpts = _cufinufft._set_ptsf if single else _cufinufft._set_pts
        self._exec_plan = _cufinufft._exec_planf if single else _cufinufft._exec_plan
        self._destroy_plan = _cufinufft._destroy_planf if single else _cufinufft._destroy_plan
        self._real_dtype = np.dtype(np.float32 if single else np.float64)
        self._type = nufft_type
        self._n_modes = _modes(nufft_type, n_modes)
        self._dim = len(self._n_modes)
        self._isign = isign if isign is not None else (-1 if nufft_type == 2 else 1)
        self._eps = float(eps)
        self._n_trans = n_trans
        self._opts = self._default_opts()
        for name, value in kwargs.items():
            if name not in _option_names:
                raise TypeError(f"Invalid option '{name}'")
            setattr(self._opts, name, value)
        self._init_plan()

    @staticmethod
    def _default_opts() -> NufftOpts:
        options = NufftOpts()
        _cufinufft._default_opts(byref(options))
        return options

    def _init_plan(self) -> None:
        sizes = (c_int64 * self._dim)(*self._n_modes[::-1])
        status = self._make_plan(
            self._type, self._dim, sizes, self._isign, self._n_trans, self._eps, byref(self._plan), byref(self._opts)
        )
        if status:
            raise_failure("Error creating plan.", _reason(status))

    def setpts(self, x: Any, y: Any = None, z: Any = None, s: Any = None, t: Any = None, u: Any = None) -> None:
        """Sets the points (x, y, z) and, in type 3, the targets (s, t, u): one array per dimension of the plan.

        Point j of a plan with two dimensions is (x[j], y[j]), where x goes with the first axis of the modes. In types
        1 and 2 points are 2 pi periodic and may lie anywhere. The plan keeps references to the arrays.
        """
        points = _checks.vectors(x, y, z, self._dim, self._real_dtype)
        targets = _checks.vectors(s, t, u, self._dim, self._real_dtype) if self._type == 3 else []
        self._set_arrays(points, targets)

    def _set_arrays(self, points: list[Any], targets: list[Any]) -> None:
        """Sets points and targets that were checked, one array per dimension in the caller's order."""
        self._references = points + targets
        self._nj = _compat.get_array_size(points[0])
        self._nk = _compat.get_array_size(targets[0]) if targets else 0
        status = self._setpts(self._plan, self._nj, *_addresses(points), self._nk, *_addresses(targets))
        if status:
            raise_failure("Error setting non-uniform points.", _reason(status))

    def execute(self, data: Any, out: Any = None) -> Any:
        """Transforms ``data``: strengths at the points for types 1 and 3, modes for type 2.

        Several transforms are stacked along the first axis. The result is written to ``out`` where it is given, and
        returned. The call enqueues work on the plan's stream, and does not wait for it.
        """
        if not hasattr(self, "_nj"):
            raise_failure("Error executing plan.", "setpts must be called before execute")
        data = _checks.checked_array(data, "data", self._dtype)
        one, other = self._shapes()
        shape = _checks.batch_shape(data, "data", one, self._n_trans) + other
        if out is None:
            out = _compat.array_empty_like(data, shape, dtype=self._dtype)
        else:
            out = _checks.checked_output(out, "out", self._dtype, shape)
        self._run(data, out)
        return out

    def _execute_into(self, data: Any, out: Any) -> None:
        """As ``execute``, for an ``out`` of any shape that has the right size."""
        one, other = self._shapes()
        data = _checks.checked_array(data, "data", self._dtype)
        _checks.batch_shape(data, "data", one, self._n_trans)
        _checks.batch_shape(out, "out", other, self._n_trans)
        self._run(data, _checks.checked_output(out, "out", self._dtype, _compat.get_array_shape(out)))

    def _shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of the input and the output of one transform."""
        points = (self._nj,)
        others = (self._nk,) if self._type == 3 else self._n_modes
        return (others, points) if self._type == 2 else (points, others)

    def _run(self, data: Any, out: Any) -> None:
        pointers = _compat.get_array_ptr(data), _compat.get_array_ptr(out)
        # The library's arguments are the strengths first, then modes or targets, whichever of them is the input.
        status = self._exec_plan(self._plan, *(pointers[::-1] if self._type == 2 else pointers))
        if status:
            raise_failure("Error executing plan.", _reason(status))

    def __del__(self) -> None:
        # The module's names may be gone when the interpreter ends, and CUDA with them.
        plan = getattr(self, "_plan", None)
        if plan and not (sys is None or sys.is_finalizing()):
            self._destroy_plan(plan)
            self._plan = c_void_p(None)
        self._references = []

    @property
    def type(self) -> int:
        """1, 2 or 3."""
        return self._type

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the data, complex64 or complex128."""
        return self._dtype

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return self._dim

    @property
    def n_modes(self) -> tuple[int, ...]:
        """The numbers of modes, as in the shape of the array."""
        return self._n_modes

    @property
    def n_trans(self) -> int:
        """How many transforms one execute computes."""
        return self._n_trans


_option_names = {name for name, _ in NufftOpts._fields_}


def _modes(nufft_type: int, n_modes: Any) -> tuple[int, ...]:
    """The numbers of modes as a tuple; for type 3 one per dimension, all 1."""
    is_number = isinstance(n_modes, numbers.Integral)
    if nufft_type == 3:
        if not is_number:
            raise ValueError("For a type 3 plan, n_modes_or_dim must be a single number, the dimension")
        sizes: tuple[int, ...] = (1,) * int(n_modes)
    elif is_number:
        sizes = (int(n_modes),)
    else:
        try:
            sizes = tuple(n_modes)
        except TypeError:
            raise ValueError(f"Invalid n_modes '{n_modes}'") from None
    if not 1 <= len(sizes) <= 3:
        raise ValueError("Only dimensions 1, 2, and 3 supported")
    return sizes


def _addresses(vectors: list[Any]) -> list[int | None]:
    """The library's order of coordinates, which is the reversed one, and None for those that there are not."""
    pointers: list[int | None] = [_compat.get_array_ptr(vector) for vector in vectors[::-1]]
    return (pointers + [None] * 3)[:3]
