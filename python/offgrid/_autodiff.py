"""What the gradients of offgrid.torch and offgrid.jax have in common.

    to modes   f[k] = sum over j of c[j] exp(s i k.x[j])        to points   c[j] = sum over k of f[k] exp(s i k.x[j])

are two faces of one plan of type 1: with sign s the first is its execute, with sign -s the second is its adjoint. So a
transform and every one that its gradient needs, in data and in points, come from plans of one problem; those that differ
only in their data are one batched execute.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from offgrid._checks import number, options_of, refuse_loose_points, shape_of, uniform_name
from offgrid._error import ArgumentValueError
from offgrid._transforms import transform

SIGNS = {1: -1, 2: +1}  # by type, where the caller gives none


@dataclass(frozen=True)
class Transform:
    """A transform without its arrays. options: pairs, so that it can be hashed."""

    to_modes: bool
    shape: tuple[int, ...]
    sign: int
    tol: float
    options: tuple[tuple[str, Any], ...]
    mirrored: bool = False  # computed as conj(A' conj(.)), A' of the opposite sign, since that has the plan

    @property
    def adjoint(self) -> Transform:
        return replace(self, to_modes=not self.to_modes, sign=-self.sign)

    @property
    def transpose(self) -> Transform:
        """The conjugate of the adjoint. The plan of this transform serves it."""
        return replace(self, to_modes=not self.to_modes, mirrored=not self.mirrored)

    def tail(self, count: int) -> tuple[int, ...]:
        """The last axes of the result."""
        return self.shape if self.to_modes else (count,)

    def run(self, data: Any, axes: tuple[Any, ...]) -> Any:
        sign = self.sign if self.to_modes != self.mirrored else -self.sign
        settings = {"tol": self.tol, "sign": sign, **dict(self.options)}
        given = data.conj() if self.mirrored else data
        result = transform(1, axes, given, self.shape, settings, adjoint=not self.to_modes, keep_large=True)
        return result.conj() if self.mirrored else result

    def frequencies(self, axis: int) -> np.ndarray:
        """k along an axis, shaped to multiply modes."""
        n = self.shape[axis]
        k = np.arange(n) - n // 2
        if dict(self.options).get("mode_order") in ("fft", 1.0, "1"):
            k = np.fft.ifftshift(k)
        return k.reshape([-1] + [1] * (len(self.shape) - 1 - axis)).astype(np.float64)


def make_transform(type: int, shape: Any, tol: Any, device: str, options: dict[str, Any]) -> Transform:
    call = f"offgrid.nufft{type}((x, y), ...)"
    refuse_loose_points(call, shape, tol)
    sign = options.pop("sign", 0) or SIGNS[type]
    if sign not in (-1, 1):
        raise ArgumentValueError(f"sign is {sign!r}; expected -1, 0 or 1")
    if uniform_name(options) == "cells":
        raise ArgumentValueError("spread_only: spreading has no gradients here; use offgrid.spread and offgrid.interpolate")
    settings = {**options_of(options), "device": str(device)}
    return Transform(type == 1, shape_of(shape), int(sign), number(tol, "tol"), tuple(sorted(settings.items())))
