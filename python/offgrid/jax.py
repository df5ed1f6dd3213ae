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

from functools import partial
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
    return value if isinstance(value, jax.Array) else jnp.asarray(value)


# --- the primitive: linear in its first argument --------------------------------------------------------------------
nufft_p = Primitive("offgrid_nufft")


def bind(what: Transform, data: Any, *axes: Any) -> Any:
    return nufft_p.bind(data, *axes, what=what)


@nufft_p.def_impl
def run(data: Any, *axes: Any, what: Transform) -> Any:
    data, *axes_there = on_one_device(data, *axes)
    return what.run(data, tuple(axes_there))


def on_one_device(*arrays: Any) -> list[Any]:
    """Arrays of numpy, such as constants and changes that jax has made up, go to where the arrays of jax are."""
    def is_placed(array: Any) -> bool:
        return isinstance(array, jax.Array) and not isinstance(array, np.ndarray)

    placed = [array for array in arrays if is_placed(array)]
    if not placed:
        return list(arrays)
    device = next(iter(placed[0].devices()))
    return [array if is_placed(array) else jax.device_put(np.asarray(array), device) for array in arrays]


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
# What the result changes by when data and points do is a primitive of its own, linear in the changes. Outside jit, jax
# works out the derivative of every primitive that it meets anew in each call, which takes it about a millisecond; written
# in products, stacks and slices of jax, a gradient took a dozen of them.
change_p = Primitive("offgrid_nufft_change")


def jvp(primals: Any, tangents: Any, *, what: Transform) -> Any:
    data, *axes = primals
    data_dot, *dots = tangents
    moved = tuple(axis for axis, dot in enumerate(dots) if type(dot) is not ad.Zero)
    result = bind(what, data, *axes)
    if not moved:
        return result, bind(what, data_dot, *axes)
    given = [] if type(data_dot) is ad.Zero else [data_dot]
    return result, change_p.bind(data, *axes, *given, *(dots[axis] for axis in moved), what=what, moved=moved)


@change_p.def_impl
def change(data: Any, *rest: Any, what: Transform, moved: tuple[int, ...]) -> Any:
    """rest: the points, the change of data unless it is none, and the changes of the points along the axes `moved`.
    To modes it is A c_dot + sum over a of s i k_a A (x_a_dot c); to points A f_dot + sum over a of x_a_dot A (s i k_a f)."""
    axes, dots = rest[: len(what.shape)], rest[len(what.shape):]
    data_dots, points_dots = dots[: len(dots) - len(moved)], dots[len(dots) - len(moved):]
    if what.to_modes:
        return sum_of_modes(bind(what, products(data, data_dots, points_dots), *axes), what, moved)
    known = bind(what, times_frequencies(data, what, moved), *axes)
    first = bind(what, data_dots[0], *axes) if data_dots else None
    return sum_of_points(first, known, points_dots)


@change_p.def_abstract_eval
def change_type(data: Any, *rest: Any, what: Transform, moved: tuple[int, ...]) -> Any:
    return jax.core.ShapedArray(result_shape(what, data, rest), data.dtype)


# The elementwise parts, compiled once for each transform: one call of jax each.
def times_frequency(modes: Any, what: Transform, axis: int) -> Any:
    """s i k modes, k along an axis."""
    return modes * (1j * what.sign * what.frequencies(axis)).astype(modes.dtype)


@partial(jax.jit, static_argnames=("what", "moved"))
def times_frequencies(modes: Any, what: Transform, moved: tuple[int, ...]) -> Any:
    return jnp.stack([times_frequency(modes, what, axis) for axis in moved])


@jax.jit
def products(data: Any, data_dots: Any, points_dots: Any) -> Any:
    return jnp.stack([*data_dots, *(data * dot for dot in points_dots)])


@partial(jax.jit, static_argnames=("what", "moved"))
def sum_of_modes(results: Any, what: Transform, moved: tuple[int, ...]) -> Any:
    """The first of them as it is, where there is one more than `moved`."""
    plain = len(results) - len(moved)
    terms = [times_frequency(result, what, axis) for axis, result in zip(moved, results[plain:])]
    return sum(terms, results[0] if plain else 0)


@jax.jit
def sum_of_points(first: Any, known: Any, points_dots: Any) -> Any:
    return sum((dot * result for dot, result in zip(points_dots, known)), 0 if first is None else first)


@partial(jax.jit, static_argnames=("what", "moved", "plain"))
def gradient_vectors(gradient: Any, what: Transform, moved: tuple[int, ...], plain: int) -> Any:
    return jnp.stack([gradient] * plain + [times_frequency(gradient, what, axis) for axis in moved])


@partial(jax.jit, static_argnames=("plain",))
def real_products(a: Any, results: Any, plain: int = 0) -> Any:
    """Re(a b) for each point and each b of the results, summed over the batch; `plain` of them come first, as they are."""
    product = jnp.real(a * results[plain:])
    return [*results[:plain], *product.reshape(product.shape[0], -1, product.shape[-1]).sum(1)]


# --- rules of the two primitives ---------------------------------------------------------------------------------------
def transpose(gradient: Any, data: Any, *axes: Any, what: Transform) -> Any:
    if type(gradient) is ad.Zero:
        return [None] * (1 + len(axes))
    return [bind(what.transpose, gradient, *axes)] + [None] * len(axes)


def change_transpose(gradient: Any, data: Any, *rest: Any, what: Transform, moved: tuple[int, ...]) -> Any:
    """c' = A^T g, x_a' = Re(c A^T (s i k_a g)) in one batch; to points f' = A^T g, x_a' = Re(g A (s i k_a f))."""
    axes, dots = rest[: len(what.shape)], rest[len(what.shape):]
    nothing: list[Any] = [None] * (1 + len(axes))
    if type(gradient) is ad.Zero:
        return nothing + [None] * len(dots)
    plain = len(dots) - len(moved)
    if what.to_modes:
        results = bind(what.transpose, gradient_vectors(gradient, what, moved, plain), *axes)
        of_dots = real_products(data, results, plain)
    else:
        of_dots = [bind(what.transpose, gradient, *axes)] if plain else []
        of_dots += real_products(gradient, bind(what, times_frequencies(data, what, moved), *axes))
    return nothing + [value if ad.is_undefined_primal(dot) else None for dot, value in zip(dots, of_dots)]


def change_jvp(primals: Any, tangents: Any, **settings: Any) -> Any:
    return jax.jvp(partial(change, **settings), primals, tuple(map(ad.instantiate_zeros, tangents)))


def batch(arguments: Any, dims: Any, *, what: Transform) -> Any:
    data, *axes = arguments
    data_dim, *axes_dims = dims
    if all(dim is None for dim in axes_dims):  # one plan, the vectors as a batch
        return bind(what, jnp.moveaxis(data, data_dim, 0), *axes), 0
    size = next(value.shape[dim] for value, dim in zip(arguments, dims) if dim is not None)
    return jnp.stack([bind(what, *(pick(value, dim, i) for value, dim in zip(arguments, dims))) for i in range(size)]), 0


def pick(value: Any, dim: Any, index: int) -> Any:
    return value if dim is None else jnp.take(value, index, axis=dim)


def change_batch(arguments: Any, dims: Any, **settings: Any) -> Any:
    return jax.vmap(partial(change, **settings), tuple(dims))(*arguments), 0


ad.primitive_jvps[nufft_p] = jvp
ad.primitive_transposes[nufft_p] = transpose
batching.primitive_batchers[nufft_p] = batch
ad.primitive_jvps[change_p] = change_jvp
ad.primitive_transposes[change_p] = change_transpose
batching.primitive_batchers[change_p] = change_batch
mlir.register_lowering(change_p, mlir.lower_fun(change, multiple_results=False))
