"""offgrid for torch, with gradients in strengths or modes, in points and in targets.

>>> import torch, offgrid.torch
>>> x = torch.linspace(-3, 3, 20, dtype=torch.float64, requires_grad=True)
>>> modes = offgrid.torch.nufft1((x,), torch.ones(20, dtype=torch.complex128), 8)
>>> modes.abs().square().sum().backward()
>>> x.grad.shape
torch.Size([20])

The functions work under torch.func (grad, jvp, vmap), any number of times. Plans are kept for later calls; a loop
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

__all__ = ["nufft1", "nufft2", "nufft3"]

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


@written_out
def nufft3(points: Points, strengths: torch.Tensor, targets: Points, tol: float = 1e-6, *, device: str = "auto",
           **options: Unpack[Options]) -> torch.Tensor:
    """Type 3, points to targets, as offgrid.nufft3, with gradients in strengths, points and targets.

    >>> import torch, offgrid.torch
    >>> points, targets = torch.rand(10, 2, dtype=torch.float64), torch.rand(7, 2, dtype=torch.float64)
    >>> offgrid.torch.nufft3(points, torch.ones(3, 10, dtype=torch.complex128), targets).shape
    torch.Size([3, 7])
    """
    what = make_transform(3, targets, tol, device, dict(options), dim=dimension(points))
    return apply(what, points, strengths, "strengths", targets)


def apply(what: Transform, points: Any, data: Any, name: str, targets: Any = None) -> torch.Tensor:
    given = {"points": columns(points, what.dim)}
    if what.type == 3:
        given["targets"] = columns(targets, what.dim, "targets")
    labels = [(axis, f"{side}[{i}]") for side, axes in given.items() for i, axis in enumerate(axes)]
    for value, label in ((data, name), *labels):
        if not isinstance(value, torch.Tensor):
            raise ArgumentTypeError(f"{label} is a {type(value).__name__}; expected a torch.Tensor")
    return Nufft.apply(what, data, *(axis for axis, _ in labels))


def times_opposite(what: Transform, values: torch.Tensor, index: int, axes: Any, sign: int) -> torch.Tensor:
    """sign i times what axes[index] is multiplied by, times values."""
    factor = what.opposite(index, axes)
    return values * (sign * 1j * torch.as_tensor(factor, dtype=values.real.dtype, device=values.device))


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
        moved = [index for index, needed in enumerate(needs) if needed]
        of_data, of_axes = gradients(ctx.what, data, tuple(axes), gradient, needs_data, moved)
        return None, of_data, *(of_axes.get(index) for index in range(len(axes)))

    @staticmethod
    def jvp(ctx: Any, _: Any, data_dot: torch.Tensor | None, *axes_dot: torch.Tensor | None) -> torch.Tensor:
        data, *axes = ctx.saved_tensors
        dots = {index: dot for index, dot in enumerate(axes_dot) if dot is not None}
        return change(ctx.what, data, tuple(axes), data_dot, dots)

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


# --- the rules of offgrid._autodiff ----------------------------------------------------------------------------------
def gradients(what: Transform, data: Any, axes: Any, gradient: Any, needs_data: bool, moved: list[int]) -> Any:
    """One batched adjoint for the data and its coordinates, one batched transform for those of the result."""
    of_data, of_axes = None, {}
    at_data = [index for index in moved if what.is_of_data(index)]
    at_result = [index for index in moved if not what.is_of_data(index)]
    if needs_data or at_data:
        vectors = ([gradient] if needs_data else []) + [times_opposite(what, gradient, i, axes, -what.sign) for i in at_data]
        results = list(Nufft.apply(what.adjoint, torch.stack(vectors), *axes).unbind(0))
        of_data = results.pop(0) if needs_data else None
        of_axes.update({index: real_product(data, result) for index, result in zip(at_data, results)})
    if at_result:
        vectors = [times_opposite(what, data, index, axes, what.sign) for index in at_result]
        results = list(Nufft.apply(what, torch.stack(vectors), *axes).unbind(0))
        of_axes.update({index: real_product(gradient, result) for index, result in zip(at_result, results)})
    return of_data, of_axes


def change(what: Transform, data: Any, axes: Any, data_dot: Any, dots: dict[int, Any]) -> torch.Tensor:
    """What the result changes by: one batched transform."""
    vectors = [] if data_dot is None else [data_dot]
    vectors += [data * dot if what.is_of_data(index) else times_opposite(what, data, index, axes, what.sign)
                for index, dot in dots.items()]
    results = list(Nufft.apply(what, torch.stack(vectors), *axes).unbind(0))
    total: Any = 0 if data_dot is None else results.pop(0)
    return total + sum(times_opposite(what, result, index, axes, what.sign) if what.is_of_data(index) else dot * result
                       for (index, dot), result in zip(dots.items(), results))
