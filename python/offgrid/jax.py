"""offgrid for jax, with derivatives in strengths or modes, and in points.

>>> import jax, jax.numpy as jnp, offgrid.jax
>>> x = jnp.linspace(-3, 3, 20, dtype="float32")
>>> def power(x):
...     return jnp.sum(jnp.abs(offgrid.jax.nufft1((x,), jnp.ones(20, "complex64"), 8)) ** 2)
>>> jax.grad(power)(x).shape
(20,)

The two functions work under grad, jvp, vmap and jit, any number of times. Outside jit an array on a GPU is transformed
there, in place. Inside jit the transform is a callback of the host: on the CPU that costs little, on a GPU the arrays travel
to the host and back, and the CPU computes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence, Union

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from offgrid._arrays import PRECISIONS
from offgrid._autodiff import Transform, make_transform
from offgrid._checks import columns
from offgrid._error import ArgumentTypeError, ArgumentValueError
from offgrid._options import Options
from offgrid._signature import written_out
from offgrid._transforms import dimension
from offgrid._typing import Shape

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["nufft1", "nufft2"]

Array = Union[jax.Array, "np.ndarray[Any, Any]"]
Points = Union[Array, Sequence[Array]]


@written_out
def nufft1(points: Points, strengths: Array, shape: Shape, tol: float = 1e-6, *, device: str = "auto",
           **options: Unpack[Options]) -> jax.Array:
    """Type 1, points to modes, as offgrid.nufft1, with derivatives.

    >>> import jax.numpy as jnp, offgrid.jax
    >>> offgrid.jax.nufft1(jnp.zeros((10, 2), "float32"), jnp.ones((3, 10), "complex64"), (6, 4)).shape
    (3, 6, 4)
    """
    return apply(make_transform(1, shape, tol, device, dict(options)), points, strengths, "strengths")


@written_out
def nufft2(points: Points, modes: Array, tol: float = 1e-6, *, device: str = "auto",
           **options: Unpack[Options]) -> jax.Array:
    """Type 2, modes to points, as offgrid.nufft2, with derivatives.

    >>> import jax.numpy as jnp, offgrid.jax
    >>> offgrid.jax.nufft2(jnp.zeros((10, 2), "float32"), jnp.ones((6, 4), "complex64")).shape
    (10,)
    """
    dim = dimension(points)
    return apply(make_transform(2, tuple(modes.shape)[-dim:], tol, device, dict(options)), points, modes, "modes")


def apply(what: Transform, points: Any, data: Any, name: str) -> jax.Array:
    axes = tuple(as_jax(value, f"points[{axis}]") for axis, value in enumerate(columns(points, len(what.shape))))
    data = as_jax(data, name)
    dtype = str(data.dtype)
    if dtype not in PRECISIONS:
        raise ArgumentTypeError(f"{name} has the dtype {dtype}; expected complex64 or complex128")
    for axis, value in enumerate(axes):
        if str(value.dtype) != PRECISIONS[dtype]:
            raise ArgumentTypeError(f"points[{axis}] has the dtype {value.dtype}; expected {PRECISIONS[dtype]}, as {name} has")
        if value.shape != axes[0].shape or value.ndim != 1:
            raise ArgumentValueError(f"points[{axis}] has the shape {value.shape}; expected one axis, as long as points[0]")
    tail = what.adjoint.tail(axes[0].shape[0])
    if data.shape[-len(tail):] != tail:
        raise ArgumentValueError(f"{name} has the shape {data.shape}; expected it to end in {tail}")
    return bind(what, data, *axes)


def as_jax(value: Any, name: str) -> jax.Array:
    """numpy's arrays are welcome, as everywhere in jax."""
    if not isinstance(value, (jax.Array, np.ndarray)):
        raise ArgumentTypeError(f"{name} is a {type(value).__name__}; expected a jax.Array")
    return jnp.asarray(value)


# --- the primitive: linear in its first argument --------------------------------------------------------------------
nufft_p = Primitive("offgrid_nufft")


def bind(what: Transform, data: Any, *axes: Any) -> Any:
    return nufft_p.bind(data, *axes, what=what)


@nufft_p.def_impl
def run(data: Any, *axes: Any, what: Transform) -> Any:
    return what.run(data, axes)


def result_shape(what: Transform, data: Any, axes: Any) -> tuple[int, ...]:
    count = axes[0].shape[0]
    return data.shape[: data.ndim - len(what.adjoint.tail(count))] + what.tail(count)


@nufft_p.def_abstract_eval
def result_type(data: Any, *axes: Any, what: Transform) -> Any:
    return jax.core.ShapedArray(result_shape(what, data, axes), data.dtype)


def on_the_host(data: Any, *axes: Any, what: Transform) -> Any:
    """Inside jit: a callback that gets and returns host arrays."""
    def call(data: Any, *axes: Any) -> np.ndarray:
        return what.run(np.asarray(data), tuple(map(np.asarray, axes)))

    result = jax.ShapeDtypeStruct(result_shape(what, data, axes), data.dtype)
    return jax.pure_callback(call, result, data, *axes)


mlir.register_lowering(nufft_p, mlir.lower_fun(on_the_host, multiple_results=False))


# --- derivatives -----------------------------------------------------------------------------------------------------
def times_frequency(what: Transform, modes: Any, axis: int) -> Any:
    """s i k modes, k along an axis."""
    return modes * (1j * what.sign * what.frequencies(axis)).astype(modes.dtype)


def jvp(primals: Any, tangents: Any, *, what: Transform) -> Any:
    data, *axes = primals
    data_dot, *dots = tangents
    moved = {axis: dot for axis, dot in enumerate(dots) if type(dot) is not ad.Zero}
    rule = to_modes_dot if what.to_modes else to_points_dot
    terms = rule(what, data, axes, None if type(data_dot) is ad.Zero else data_dot, moved)
    return bind(what, data, *axes), sum(terms[1:], terms[0])


def to_modes_dot(what: Transform, data: Any, axes: Any, data_dot: Any, moved: dict[int, Any]) -> list[Any]:
    """A c_dot, and s i k_a A (x_a_dot c) for each axis: one batched execute; transposed, one batched adjoint."""
    vectors = ([data_dot] if data_dot is not None else []) + [data * dot for dot in moved.values()]
    results = list(bind(what, jnp.stack(vectors), *axes))
    first = [results.pop(0)] if data_dot is not None else []
    return first + [times_frequency(what, result, axis) for axis, result in zip(moved, results)]


def to_points_dot(what: Transform, data: Any, axes: Any, data_dot: Any, moved: dict[int, Any]) -> list[Any]:
    """A f_dot, and x_a_dot A (s i k_a f) for each axis. What is known without the tangents is one batched execute."""
    terms = [bind(what, data_dot, *axes)] if data_dot is not None else []
    if moved:
        known = bind(what, jnp.stack([times_frequency(what, data, axis) for axis in moved]), *axes)
        terms += [dot * result for dot, result in zip(moved.values(), known)]
    return terms


def transpose(gradient: Any, data: Any, *axes: Any, what: Transform) -> Any:
    """The transpose is the conjugate of the adjoint: the same plan serves it."""
    if type(gradient) is ad.Zero:
        return [None] * (1 + len(axes))
    return [jnp.conj(bind(what.adjoint, jnp.conj(gradient), *axes))] + [None] * len(axes)


def batch(arguments: Any, dims: Any, *, what: Transform) -> Any:
    data, *axes = arguments
    data_dim, *axes_dims = dims
    if all(dim is None for dim in axes_dims):  # one plan, the vectors as a batch
        return bind(what, jnp.moveaxis(data, data_dim, 0), *axes), 0
    size = next(value.shape[dim] for value, dim in zip(arguments, dims) if dim is not None)
    return jnp.stack([bind(what, *(pick(value, dim, i) for value, dim in zip(arguments, dims))) for i in range(size)]), 0


def pick(value: Any, dim: Any, index: int) -> Any:
    return value if dim is None else jnp.take(value, index, axis=dim)


ad.primitive_jvps[nufft_p] = jvp
ad.primitive_transposes[nufft_p] = transpose
batching.primitive_batchers[nufft_p] = batch
