"""The nine simple functions, nufft{1,2,3}d{1,2,3}: a plan, its points and one execute in a call.

The digits are the number of dimensions and the type. The precision is that of the data.
"""

from dataclasses import dataclass
from typing import Any

from cufinufft import _checks, _compat
from cufinufft._plan import Plan


@dataclass(frozen=True)
class _Call:
    """What the functions of all types have in common."""

    points: tuple[Any, ...]
    data: Any
    out: Any
    eps: float
    isign: int
    options: dict[str, Any]

    def points_to_modes(self, n_modes: Any) -> Any:
        """Type 1, f[k] = sum over j of c[j] exp(isign i k.x[j])."""
        if self.out is not None:
            shape = _compat.get_array_shape(self.out)
            n_modes = shape[max(0, len(shape) - len(self.points)) :]
        return self.run(1, n_modes)

    def modes_to_points(self) -> Any:
        """Type 2, c[j] = sum over k of f[k] exp(isign i k.x[j])."""
        return self.run(2, _compat.get_array_shape(self.data)[-len(self.points) :])

    def points_to_targets(self, *targets: Any) -> Any:
        """Type 3, f[k] = sum over j of c[j] exp(isign i s[k].x[j])."""
        return self.run(3, len(self.points), *targets)

    def run(self, nufft_type: int, n_modes: Any, *targets: Any) -> Any:
        dtype = _checks.data_dtype(self.data)
        plan = Plan(nufft_type, n_modes, self.transforms(nufft_type), self.eps, self.isign, dtype, **self.options)
        plan.setpts(*self.points, **dict(zip("stu", targets)))
        return plan.execute(self.data, self.out)

    def transforms(self, nufft_type: int) -> int:
        shape = _compat.get_array_shape(self.data)
        axes = len(self.points) if nufft_type == 2 else 1
        return shape[0] if len(shape) > axes else 1


def nufft1d1(
    x: Any, data: Any, n_modes: Any = None, out: Any = None, eps: float = 1e-6, isign: int = 1, **kwargs: Any
) -> Any:
    return _Call((x,), data, out, eps, isign, kwargs).points_to_modes(n_modes)


def nufft1d2(x: Any, data: Any, out: Any = None, eps: float = 1e-6, isign: int = -1, **kwargs: Any) -> Any:
    return _Call((x,), data, out, eps, isign, kwargs).modes_to_points()


def nufft1d3(x: Any, data: Any, s: Any, out: Any = None, eps: float = 1e-6, isign: int = 1, **kwargs: Any) -> Any:
    return _Call((x,), data, out, eps, isign, kwargs).points_to_targets(s)


def nufft2d1(
    x: Any, y: Any, data: Any, n_modes: Any = None, out: Any = None, eps: float = 1e-6, isign: int = 1, **kwargs: Any
) -> Any:
    return _Call((x, y), data, out, eps, isign, kwargs).points_to_modes(n_modes)


def nufft2d2(x: Any, y: Any, data: Any, out: Any = None, eps: float = 1e-6, isign: int = -1, **kwargs: Any) -> Any:
    return _Call((x, y), data, out, eps, isign, kwargs).modes_to_points()


def nufft2d3(
    x: Any, y: Any, data: Any, s: Any, t: Any, out: Any = None, eps: float = 1e-6, isign: int = 1, **kwargs: Any
) -> Any:
    return _Call((x, y), data, out, eps, isign, kwargs).points_to_targets(s, t)


def nufft3d1(
    x: Any,
    y: Any,
    z: Any,
    data: Any,
    n_modes: Any = None,
    out: Any = None,
    eps: float = 1e-6,
    isign: int = 1,
    **kwargs: Any,
) -> Any:
    return _Call((x, y, z), data, out, eps, isign, kwargs).points_to_modes(n_modes)


def nufft3d2(
    x: Any, y: Any, z: Any, data: Any, out: Any = None, eps: float = 1e-6, isign: int = -1, **kwargs: Any
) -> Any:
    return _Call((x, y, z), data, out, eps, isign, kwargs).modes_to_points()


def nufft3d3(
    x: Any,
    y: Any,
    z: Any,
    data: Any,
    s: Any,
    t: Any,
    u: Any,
    out: Any = None,
    eps: float = 1e-6,
    isign: int = 1,
    **kwargs: Any,
) -> Any:
    return _Call((x, y, z), data, out, eps, isign, kwargs).points_to_targets(s, t, u)


_DOCS = {
    1: """{dim}D nonuniform FFT of type 1 on a GPU: f[k] = sum over j of c[j] exp(isign i k.x[j]).

    {points} are the points, one array per dimension, 2 pi periodic; data the strengths, of shape (M,) or (n_trans, M).
    n_modes is the shape of the modes, where an integer means one dimension; it may be left out where out is given.
    Options are those of Plan.
    """,
    2: """{dim}D nonuniform FFT of type 2 on a GPU: c[j] = sum over k of f[k] exp(isign i k.x[j]).

    {points} are the points, one array per dimension, 2 pi periodic; data the modes, one array of {dim} dimensions, or
    several of them stacked along the first axis. Options are those of Plan.
    """,
    3: """{dim}D nonuniform FFT of type 3 on a GPU: f[k] = sum over j of c[j] exp(isign i s[k].x[j]).

    {points} are the points and {targets} the targets, one array per dimension each; data the strengths, of shape (M,)
    or (n_trans, M). Options are those of Plan.
    """,
}

for _dim in (1, 2, 3):
    for _type in (1, 2, 3):
        globals()[f"nufft{_dim}d{_type}"].__doc__ = _DOCS[_type].format(
            dim=_dim, points=", ".join("xyz"[:_dim]), targets=", ".join("stu"[:_dim])
        )
