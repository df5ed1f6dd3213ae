"""The class Plan over the C library's plan: makeplan, setpts, execute and execute_adjoint.

The library's first axis is the fastest in memory, numpy's last one is. So the sizes and the coordinates are handed
over in reversed order.
"""

import sys
from ctypes import byref, c_longlong, c_void_p
from typing import Any

import numpy as np

from finufft import _checks, _errors, _finufft, _options
from finufft._errors import err_handler, fail

_FUNCTIONS = ("_makeplan", "_setpts", "_execute", "_execute_adjoint", "_destroy")


class Plan:
    """A plan of nonuniform FFTs that share their type, sizes, tolerance and options, and their points.

    Args:
        nufft_type: 1 (points to modes), 2 (modes to points) or 3 (points to targets).
        n_modes_or_dim: for types 1 and 2 the numbers of modes as in the shape of the array, such as ``(50, 100)``;
            for type 3 the number of dimensions.
        n_trans: how many transforms one execute computes.
        eps: the tolerance, relative. One that is out of reach is raised to what can be reached. It warns where it is
            below the precision, or out of FINUFFT's reach at a given ``upsampfac``.
        isign: the sign in the exponential, +1 where it is 0 or more. Default: +1 for types 1 and 3, -1 for type 2.
        dtype: ``"complex64"`` or ``"complex128"``. ``"single"`` and ``"double"``, of FINUFFT before 2.4, mean the same
            and warn.
        **kwargs: fields of FINUFFT's struct of options, such as ``modeord=1`` or ``nthreads=4``.
    """

    def __init__(
        self,
        nufft_type: int,
        n_modes_or_dim: Any,
        n_trans: int = 1,
        eps: float = 1e-6,
        isign: int | None = None,
        dtype: Any = "complex128",
        **kwargs: Any,
    ) -> None:
        self._inner_plan = c_void_p(None)
        self._dtype = _checks.plan_dtype(dtype)
        suffix = "f" if self._dtype == np.complex64 else ""
        for name in _FUNCTIONS:
            setattr(self, name, getattr(_finufft, name + suffix))
        self._type = nufft_type
        self._n_trans = n_trans
        self._set_modes(n_modes_or_dim)
        if isign is None:
            isign = -1 if nufft_type == 2 else 1
        self._make(isign, eps, kwargs)

    def _set_modes(self, n_modes_or_dim: Any) -> None:
        given = np.asarray(n_modes_or_dim)
        if self._type == 3:
            if given.size != 1:
                fail("type 3 plan n_modes_or_dim must be one number, the dimension")
            self._dim = int(given.reshape(()))
            sizes = [1] * max(self._dim, 0)
        else:
            if given.ndim != 1 or not 1 <= given.size <= 3:
                fail("n_modes dimension must be 1, 2, or 3")
            self._dim = given.size
            sizes = [int(n) for n in given[::-1]]
        self._n_modes = (c_longlong * len(sizes))(*sizes)

    def _make(self, isign: int, eps: float, kwargs: dict[str, Any]) -> None:
        options = _options.default_options()
        options.allow_eps_too_small = _errors.WARNS_BY_CODE
        _options.setkwopts(options, **kwargs)
        if options.spread_kerformula in _options.FORMULAS:
            options.spread_kerformula = 0  # the library knows the formulas of 2.6, and has a kernel of its own anyway
        arguments = (self._type, self._dim, self._n_modes, isign, self._n_trans, eps)
        status = self._makeplan(*arguments, byref(self._inner_plan), byref(options))
        if status:
            err_handler(status)

    def setpts(
        self, x: Any = None, y: Any = None, z: Any = None, s: Any = None, t: Any = None, u: Any = None
    ) -> None:
        """Sets the points (x, y, z) and, in type 3, the targets (s, t, u): one array per dimension of the plan.

        Point j of a plan with two dimensions is (x[j], y[j]), where x goes with the first axis of the modes. In types
        1 and 2 points are 2 pi periodic and may lie anywhere.
        """
        dtype = _checks.real_dtype(self._dtype)
        arrays = _checks.coordinates({"x": x, "y": y, "z": z, "s": s, "t": t, "u": u}, dtype)
        points = _checks.vectors("xyz"[: self._dim], arrays)
        targets = _checks.vectors("stu"[: self._dim], arrays) if self._type == 3 else []
        self._xj, self._yj, self._zj, self._s, self._t, self._u = arrays.values()
        self._nj = points[0].size
        self._nk = targets[0].size if targets else 0
        status = self._setpts(
            self._inner_plan, self._nj, *_addresses(points), self._nk, *_addresses(targets)
        )
        if status:
            err_handler(status)

    def execute(self, data: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Transforms ``data``: strengths at the points for types 1 and 3, modes for type 2.

        Several transforms are stacked along the first axis. The result is written to ``out`` where it is given, and
        returned.
        """
        return self._run(self._execute, data, out, from_points=self._type != 2)

    def execute_adjoint(self, data: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Applies the adjoint of ``execute``: ``data`` has the shape that its result has, and the other way round."""
        return self._run(self._execute_adjoint, data, out, from_points=self._type == 2)

    def _run(self, function: Any, data: Any, out: np.ndarray | None, *, from_points: bool) -> np.ndarray:
        if not hasattr(self, "_nj"):
            fail("setpts must be called before execute")
        data = _checks.input_array(data, "data", self._dtype)
        self._check_shape(data, at_points=from_points)
        if out is None:
            out = np.empty(self._result_shape(data, from_points), self._dtype)
        else:
            out = _checks.output_array(out, "out", self._dtype)
            self._check_shape(out, at_points=not from_points)
        # The library's arguments are the strengths first, then modes or targets, whichever of them is the input.
        strengths, others = (data, out) if from_points else (out, data)
        status = function(self._inner_plan, strengths.ctypes.data, others.ctypes.data)
        if status:
            err_handler(status)
        return out

    def _check_shape(self, array: np.ndarray, *, at_points: bool) -> None:
        if at_points:
            _checks.strengths_shape(array.shape, self._nj, self._n_trans)
        elif self._type == 3:
            _checks.targets_shape(array.shape, self._nk, self._n_trans)
        else:
            _checks.modes_shape(array.shape, tuple(self._n_modes[::-1]), self._n_trans)

    def _result_shape(self, data: np.ndarray, from_points: bool) -> tuple[int, ...]:
        others = (self._nk,) if self._type == 3 else tuple(self._n_modes[::-1])
        one_in, one_out = ((self._nj,), others) if from_points else (others, (self._nj,))
        return data.shape[: data.ndim - len(one_in)] + one_out

    def __del__(self) -> None:
        # The module's names may be gone when the interpreter ends.
        plan = getattr(self, "_inner_plan", None)
        if plan and not (sys is None or sys.is_finalizing()):
            self._destroy(plan)
            self._inner_plan = c_void_p(None)

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
    def n_modes(self) -> Any:
        """The numbers of modes as the library has them: a ctypes array in reversed order."""
        return self._n_modes

    @property
    def n_trans(self) -> int:
        """How many transforms one execute computes."""
        return self._n_trans


def _addresses(vectors: list[np.ndarray]) -> list[int | None]:
    """The library's order of coordinates, which is the reversed one, and None for those that there are not."""
    addresses: list[int | None] = [vector.ctypes.data for vector in vectors[::-1]]
    return (addresses + [None] * 3)[:3]
