"""offgrid for torch, with gradients in strengths or modes, and in points.

>>> import torch, offgrid.torch
>>> x = torch.linspace(-3, 3, 20, dtype=torch.float64, requires_grad=True)
>>> modes = offgrid.torch.nufft1((x,), torch.ones(20, dtype=torch.complex128), 8)
>>> modes.abs().square().sum().backward()
>>> x.grad.shape
torch.Size([20])

Both functions work under torch.func (grad, jvp, vmap), any number of times. Plans are kept for later calls; a loop
that uses the same points again does not sort them again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence, Union

import torch

from offgrid._autodiff import Transform, make_transform
from offgrid._checks import columns
from offgrid._error import ArgumentTypeError
from offgrid._options import Options
from offgrid._signature import written_out
from offgrid._transforms import dimension
from offgrid._typing import Shape

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["nufft1", "nufft2"]

Points = Union[torch.Tensor, Sequence[torch.Tensor]]


@written_out
def nufft1(points: Points, strengths: torch.Tensor, shape: Shape, tol: float = 1e-6, *, device: str = "auto",
           **options: Unpack[Options]) -> torch.Tensor:
    """Type 1, points to modes, as offgrid.nufft1, with gradients.

    >>> import torch, offgrid.torch
    >>> points = torch.rand(10, 2, dtype=torch.float64)
    >>> offgrid.torch.nufft1(points, torch.ones(3, 10, dtype=torch.complex128), (6, 4)).shape
    torch.Size([3, 6, 4])
    """
    return apply(make_transform(1, shape, tol, device, dict(options)), points, strengths, "strengths")


@written_out
def nufft2(points: Points, modes: torch.Tensor, tol: float = 1e-6, *, device: str = "auto",
           **options: Unpack[Options]) -> torch.Tensor:
    """Type 2, modes to points, as offgrid.nufft2, with gradients.

    >>> import torch, offgrid.torch
    >>> points = torch.rand(10, 2, dtype=torch.float64)
    >>> offgrid.torch.nufft2(points, torch.ones(6, 4, dtype=torch.complex128)).shape
    torch.Size([10])
    """
    dim = dimension(points)
    return apply(make_transform(2, tuple(modes.shape)[-dim:], tol, device, dict(options)), points, modes, "modes")


def apply(what: Transform, points: Any, data: Any, name: str) -> torch.Tensor:
    axes = columns(points, len(what.shape))
    for value, label in ((data, name), *((axis, f"points[{i}]") for i, axis in enumerate(axes))):
        if not isinstance(value, torch.Tensor):
            raise ArgumentTypeError(f"{label} is a {type(value).__name__}; expected a torch.Tensor")
    return Nufft.apply(what, data, *axes)


def times_frequency(what: Transform, modes: torch.Tensor, axis: int, sign: int) -> torch.Tensor:
    """sign i k modes, k along an axis."""
    k = torch.as_tensor(what.frequencies(axis), dtype=modes.real.dtype, device=modes.device)
    return modes * (sign * 1j * k)


def real_product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Re(conj(a) b) for each point, summed over the batch."""
    product = (a.conj() * b).real
    return product.reshape(-1, product.shape[-1]).sum(0)


class Nufft(torch.autograd.Function):
    @staticmethod
    def forward(what: Transform, data: torch.Tensor, *axes: torch.Tensor) -> torch.Tensor:
        return what.run(data, axes)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.what = inputs[0]
        ctx.save_for_backward(*inputs[1:])
        ctx.save_for_forward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        data, *axes = ctx.saved_tensors
        _, needs_data, *needs = ctx.needs_input_grad
        moved = [axis for axis, needed in enumerate(needs) if needed]
        rule = to_modes_backward if ctx.what.to_modes else to_points_backward
        of_data, of_points = rule(ctx.what, data, tuple(axes), gradient, needs_data, moved)
        placed = dict(zip(moved, of_points))
        return None, of_data, *(placed.get(axis) for axis in range(len(axes)))

    @staticmethod
    def jvp(ctx: Any, _: Any, data_dot: torch.Tensor | None, *axes_dot: torch.Tensor | None) -> torch.Tensor:
        data, *axes = ctx.saved_tensors
        moved = [axis for axis, dot in enumerate(axes_dot) if dot is not None]
        rule = to_modes_jvp if ctx.what.to_modes else to_points_jvp
        return rule(ctx.what, data, tuple(axes), data_dot, {axis: axes_dot[axis] for axis in moved})

    @staticmethod
    def vmap(info: Any, in_dims: Any, what: Transform, data: torch.Tensor, *axes: torch.Tensor) -> Any:
        _, data_dim, *axes_dims = in_dims
        if all(dim is None for dim in axes_dims):  # one plan, the vectors as a batch
            return Nufft.apply(what, data.movedim(data_dim, 0), *axes), 0
        slices = [Nufft.apply(what, pick(data, data_dim, i), *(pick(a, dim, i) for a, dim in zip(axes, axes_dims)))
                  for i in range(info.batch_size)]
        return torch.stack(slices), 0


def pick(value: torch.Tensor, dim: int | None, index: int) -> torch.Tensor:
    return value if dim is None else value.select(dim, index)


def to_modes_backward(what: Transform, data: Any, axes: Any, gradient: Any, needs_data: bool, moved: list[int]) -> Any:
    """c' = A* g, x_a' = Re(conj(c) A* (-s i k_a g)): one batched adjoint for all of them."""
    vectors = ([gradient] if needs_data else []) + [times_frequency(what, gradient, a, -what.sign) for a in moved]
    results = Nufft.apply(what.adjoint, torch.stack(vectors), *axes).unbind(0)
    of_data, of_axes = (results[0], results[1:]) if needs_data else (None, results)
    return of_data, [real_product(data, result) for result in of_axes]


def to_points_backward(what: Transform, data: Any, axes: Any, gradient: Any, needs_data: bool, moved: list[int]) -> Any:
    """f' = A* g, x_a' = Re(conj(g) A (s i k_a f)): the adjoint of the plan, and a batched execute for the points."""
    of_data = Nufft.apply(what.adjoint, gradient, *axes) if needs_data else None
    if not moved:
        return of_data, []
    results = Nufft.apply(what, torch.stack([times_frequency(what, data, a, what.sign) for a in moved]), *axes)
    return of_data, [real_product(gradient, result) for result in results.unbind(0)]


def to_modes_jvp(what: Transform, data: Any, axes: Any, data_dot: Any, dots: dict[int, Any]) -> torch.Tensor:
    """A c_dot + sum over a of s i k_a A (x_a_dot c)."""
    vectors = ([data_dot] if data_dot is not None else []) + [data * dot for dot in dots.values()]
    results = list(Nufft.apply(what, torch.stack(vectors), *axes).unbind(0))
    total: Any = results.pop(0) if data_dot is not None else 0
    return total + sum(times_frequency(what, result, a, what.sign) for a, result in zip(dots, results))


def to_points_jvp(what: Transform, data: Any, axes: Any, data_dot: Any, dots: dict[int, Any]) -> torch.Tensor:
    """A f_dot + sum over a of x_a_dot A (s i k_a f)."""
    vectors = ([data_dot] if data_dot is not None else []) + [times_frequency(what, data, a, what.sign) for a in dots]
    results = list(Nufft.apply(what, torch.stack(vectors), *axes).unbind(0))
    total: Any = results.pop(0) if data_dot is not None else 0
    return total + sum(dot * result for dot, result in zip(dots.values(), results))
