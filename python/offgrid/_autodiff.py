"""What the gradients of offgrid.torch and offgrid.jax have in common.

    to modes   f[k] = sum over j of c[j] exp(s i k.x[j])        to points   c[j] = sum over k of f[k] exp(s i k.x[j])

are two faces of one plan of type 1: with sign s the first is its execute, with sign -s the second is its adjoint. With
targets in place of the modes k it is a plan of type 3. So a transform and every one that its gradient needs, in data, points
and targets, come from plans of one problem; those that differ only in their data are one batched execute.

One rule serves them all. With y where the data is and z where the result is, A d = sum over y of d exp(s i y.z), g the
gradient, and a an axis:

    d' = A* g        y_a' = Re(conj(d) A* (-s i z_a g))        z_a' = Re(conj(g) A (s i y_a d))
    dA = A d_dot  +  sum over a of  s i z_a A (y_a_dot d)  +  z_a_dot A (s i y_a d)

where y or z may be modes, which do not move.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Sequence

import numpy as np

from offgrid._checks import number, options_of, refuse_loose_points, shape_of, uniform_name
from offgrid._error import ArgumentValueError
from offgrid._transforms import transform

SIGNS = {1: -1, 2: +1, 3: +1}  # by type, where the caller gives none


@dataclass(frozen=True)
class Transform:
    """A transform without its arrays. options: pairs, so that it can be hashed. Its `axes` below are the coordinates of the
    points and, of type 3, of the targets behind them."""

    type: int  # of its plan: 1 or 3
    from_points: bool
    dim: int
    shape: tuple[int, ...]  # () for type 3
    sign: int
    tol: float
    options: tuple[tuple[str, Any], ...]
    mirrored: bool = False  # computed as conj(A' conj(.)), A' of the opposite sign, since that has the plan

    @property
    def adjoint(self) -> Transform:
        return replace(self, from_points=not self.from_points, sign=-self.sign)

    @property
    def transpose(self) -> Transform:
        """The conjugate of the adjoint. The plan of this transform serves it."""
        return replace(self, from_points=not self.from_points, mirrored=not self.mirrored)

    @property
    def axes_count(self) -> int:
        return 2 * self.dim if self.type == 3 else self.dim

    def tail(self, axes: Sequence[Any]) -> tuple[int, ...]:
        """The last axes of the result."""
        if not self.from_points:
            return (axes[0].shape[0],)
        return (axes[self.dim].shape[0],) if self.type == 3 else self.shape

    def run(self, data: Any, axes: tuple[Any, ...]) -> Any:
        sign = self.sign if self.from_points != self.mirrored else -self.sign
        settings = {"tol": self.tol, "sign": sign, **dict(self.options)}
        given = data.conj() if self.mirrored else data
        points, targets = axes[: self.dim], axes[self.dim:] if self.type == 3 else None
        result = transform(self.type, points, given, self.shape, settings, targets=targets, adjoint=not self.from_points,
                           keep_large=True)
        return result.conj() if self.mirrored else result

    def is_of_data(self, index: int) -> bool:
        """Whether axes[index] tells where the data is; else it tells where the result is."""
        return (index < self.dim) == self.from_points

    def opposite(self, index: int, axes: Sequence[Any]) -> Any:
        """What the coordinate axes[index] is multiplied by in the exponent: that of the other side along the same axis,
        shaped to multiply data or result."""
        if self.type == 3:
            return axes[(index + self.dim) % (2 * self.dim)]
        return self.frequencies(index)

    def frequencies(self, axis: int) -> np.ndarray:
        """k along an axis, shaped to multiply modes."""
        n = self.shape[axis]
        k = np.arange(n) - n // 2
        if dict(self.options).get("mode_order") in ("fft", 1.0, "1"):
            k = np.fft.ifftshift(k)
        return k.reshape([-1] + [1] * (len(self.shape) - 1 - axis)).astype(np.float64)


def make_transform(type: int, shape: Any, tol: Any, device: str, options: dict[str, Any], *, dim: int = 0) -> Transform:
    """dim: of type 3, which has no shape."""
    refuse_loose_points(f"offgrid.nufft{type}((x, y), ...)", shape, tol)
    sign = options.pop("sign", 0) or SIGNS[type]
    if sign not in (-1, 1):
        raise ArgumentValueError(f"sign is {sign!r}; expected -1, 0 or 1")
    if uniform_name(options) == "cells":
        raise ArgumentValueError("spread_only: spreading has no gradients here; use offgrid.spread and offgrid.interpolate")
    settings = {**options_of(options), "device": str(device)}
    sizes = () if type == 3 else shape_of(shape)
    return Transform(3 if type == 3 else 1, type != 2, dim or len(sizes), sizes, int(sign), number(tol, "tol"),
                     tuple(sorted(settings.items())))
