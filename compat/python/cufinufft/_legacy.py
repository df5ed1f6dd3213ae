"""The class ``cufinufft`` of versions 1.x: dtypes are real, and both arrays of a transform are handed to execute."""

from typing import Any

import numpy as np

from cufinufft import _checks, _compat
from cufinufft._plan import Plan


class cufinufft:
    """A plan of nonuniform FFTs on a GPU, with the interface of cuFINUFFT 1.x. New programs use ``Plan``.

    Args:
        nufft_type: 1 (points to modes) or 2 (modes to points).
        modes: the numbers of modes as in the shape of the array, such as ``(50, 100)``.
        n_trans: how many transforms one execute computes.
        eps: the tolerance, relative. One that is out of reach is raised to what can be reached.
        isign: the sign in the exponential. Default: +1 for type 1, -1 for type 2.
        dtype: ``numpy.float32`` or ``numpy.float64``.
        **kwargs: fields of the struct of options, such as ``gpu_method=1``.
    """

    def __init__(
        self,
        nufft_type: int,
        modes: Any,
        n_trans: int = 1,
        eps: float = 1e-6,
        isign: int | None = None,
        dtype: Any = np.float32,
        **kwargs: Any,
    ) -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.float32, np.float64):
            raise TypeError("Expected np.float32 or np.float64.")
        self.complex_dtype = np.dtype(np.complex64 if self.dtype == np.float32 else np.complex128)
        self._plan = Plan(nufft_type, tuple(modes), n_trans, eps, isign, dtype=self.complex_dtype, **kwargs)
        self.plan = self._plan._plan
        self.dim = self._plan.dim
        self.isign = self._plan._isign
        self.eps = self._plan._eps
        self.n_trans = n_trans
        self.opts = self._plan._opts

    @property
    def references(self) -> list[Any]:
        """The arrays of the points, which the plan keeps."""
        return self._plan._references

    def set_pts(self, kx: Any, ky: Any = None, kz: Any = None) -> None:
        """Sets the points: one array per dimension of the plan, where kx goes with the first axis of the modes.

        As in 1.x an array may have any shape: its elements are taken in C order.
        """
        self._plan._set_arrays(self._checked_points({"kx": kx, "ky": ky, "kz": kz}), [])

    def _checked_points(self, given: dict[str, Any]) -> list[Any]:
        points = []
        for axis, (name, array) in enumerate(given.items()):
            if (array is not None) != (axis < self.dim):
                state = "missing" if array is None else "given"
                raise TypeError(f"Plan dimension is {self.dim}, but {name} was {state}")
            if array is None:
                continue
            if _compat.get_array_dtype(array) != self.dtype:
                raise TypeError(f"cufinufft plan.dtype and {name} dtypes do not match.")
            if _compat.get_array_size(array) != _compat.get_array_size(given["kx"]):
                raise TypeError(f"Number of elements in kx and {name} must be equal")
            points.append(_checks.checked_array(array, name, self.dtype))
        return points

    def execute(self, c: Any, fk: Any) -> None:
        """Transforms between strengths ``c`` and modes ``fk``: type 1 writes fk, type 2 writes c."""
        if not _compat.get_array_dtype(c) == _compat.get_array_dtype(fk) == self.complex_dtype:
            raise TypeError(
                f"cufinufft execute expects {self.complex_dtype} dtype arguments for this plan. "
                "Check plan and arguments."
            )
        data, out = (c, fk) if self._plan.type == 1 else (fk, c)
        self._plan._execute_into(data, out)  # 1.x takes any shape of the right size
