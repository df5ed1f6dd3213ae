"""offgrid for jax, with derivatives in strengths or modes, in points and in targets.

>>> import jax, jax.numpy as jnp, offgrid.jax
>>> x = jnp.linspace(-3, 3, 20, dtype="float32")
>>> def power(x):
...     return jnp.sum(jnp.abs(offgrid.jax.nufft1((x,), jnp.ones(20, "complex64"), 8)) ** 2)
>>> jax.grad(power)(x).shape
(20,)

The functions work under grad, jvp, vmap and jit, any number of times. Outside jit an array on a GPU is transformed
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

__all__ = ["nufft1", "nufft2", "nufft3"]

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


@written_out
def nufft3(points: Points, strengths: Array, targets: Points, tol: float = 1e-6, *, device: str = "auto",
           **options: Unpack[Options]) -> jax.Array:
    """Type 3, points to targets, as offgrid.nufft3, with derivatives in strengths, points and targets.

    >>> import jax.numpy as jnp, offgrid.jax
    >>> points, targets = jnp.zeros((10, 2), "float32"), jnp.ones((7, 2), "float32")
    >>> offgrid.jax.nufft3(points, jnp.ones((3, 10), "complex64"), targets).shape
    (3, 7)
    """
    what = make_transform(3, targets, tol, device, dict(options), dim=dimension(points))
    return apply(what, points, strengths, "strengths", targets)


def apply(what: Transform, points: Any, data: Any, name: str, targets: Any = None) -> jax.Array:
    data = as_jax(data, name)
    dtype = str(data.dtype)
    if dtype not in PRECISIONS:
        raise ArgumentTypeError(f"{name} has the dtype {dtype}; expected complex64 or complex128")
    axes = coordinates(points, what.dim, "points", dtype, name)
    if what.type == 3:
        axes += coordinates(targets, what.dim, "targets", dtype, name)
    tail = what.adjoint.tail(axes)
    if data.shape[-len(tail):] != tail:
        raise ArgumentValueError(f"{name} has the shape {data.shape}; expected it to end in {tail}")
    return bind(what, data, *axes)


def coordinates(points: Any, dim: int, side: str, dtype: str, name: str) -> list[jax.Array]:
    """The coordinates of points or targets, checked against data of a dtype and a name."""
    axes = [as_jax(value, f"{side}[{axis}]") for axis, value in enumerate(columns(points, dim, side))]
    for axis, value in enumerate(axes):
        if str(value.dtype) != PRECISIONS[dtype]:
            raise ArgumentTypeError(f"{side}[{axis}] has the dtype {value.dtype}; expected {PRECISIONS[dtype]}, as {name} has")
        if value.shape != axes[0].shape or value.ndim != 1:
            raise ArgumentValueError(f"{side}[{axis}] has the shape {value.shape}; expected one axis, as long as {side}[0]")
    return axes


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
    return data.shape[: data.ndim - len(what.adjoint.tail(axes))] + what.tail(axes)


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


# --- derivatives, by the rules of offgrid._autodiff -------------------------------------------------------------------
# What the result changes by when data and points do is a primitive of its own, linear in the changes. Outside jit, jax
# works out the derivative of every primitive that it meets anew in each call, which takes it about a millisecond; written
# in products, stacks and slices of jax, a gradient took a dozen of them.
change_p = Primitive("offgrid_nufft_change")


def jvp(primals: Any, tangents: Any, *, what: Transform) -> Any:
    data, *axes = primals
    data_dot, *dots = tangents
    moved = tuple(index for index, dot in enumerate(dots) if type(dot) is not ad.Zero)
    result = bind(what, data, *axes)
    if not moved:
        return result, bind(what, data_dot, *axes)
    given = [] if type(data_dot) is ad.Zero else [data_dot]
    return result, change_p.bind(data, *axes, *given, *(dots[index] for index in moved), what=what, moved=moved)


@change_p.def_impl
def change(data: Any, *rest: Any, what: Transform, moved: tuple[int, ...]) -> Any:
    """rest: the axes, the change of data unless it is none, and the changes of the axes `moved`."""
    axes, dots = rest[: what.axes_count], rest[what.axes_count:]
    data_dots, axes_dots = dots[: len(dots) - len(moved)], dots[len(dots) - len(moved):]
    vectors = change_vectors(data, data_dots, axes_dots, axes, what, moved)
    return change_sum(bind(what, vectors, *axes), axes_dots, axes, what, moved)


@change_p.def_abstract_eval
def change_type(data: Any, *rest: Any, what: Transform, moved: tuple[int, ...]) -> Any:
    return jax.core.ShapedArray(result_shape(what, data, rest), data.dtype)


# The elementwise parts, compiled once for each transform: one call of jax each.
def times_opposite(values: Any, what: Transform, index: int, axes: Any) -> Any:
    """s i times what axes[index] is multiplied by, times values."""
    return values * (1j * what.sign * what.opposite(index, axes)).astype(values.dtype)


@partial(jax.jit, static_argnames=("what", "moved"))
def change_vectors(data: Any, data_dots: Any, axes_dots: Any, axes: Any, what: Transform, moved: tuple[int, ...]) -> Any:
    return jnp.stack([*data_dots, *(data * dot if what.is_of_data(index) else times_opposite(data, what, index, axes)
                                    for index, dot in zip(moved, axes_dots))])


@partial(jax.jit, static_argnames=("what", "moved"))
def change_sum(results: Any, axes_dots: Any, axes: Any, what: Transform, moved: tuple[int, ...]) -> Any:
    """The first of them as it is, where there is one more than `moved`."""
    plain = len(results) - len(moved)
    terms = [times_opposite(result, what, index, axes) if what.is_of_data(index) else dot * result
             for index, dot, result in zip(moved, axes_dots, results[plain:])]
    return sum(terms, results[0] if plain else 0)


@partial(jax.jit, static_argnames=("what", "moved", "plain"))
def times_opposites(values: Any, axes: Any, what: Transform, moved: tuple[int, ...], plain: int = 0) -> Any:
    """A batch: `plain` of them as they are, then one for each of `moved`."""
    return jnp.stack([values] * plain + [times_opposite(values, what, index, axes) for index in moved])


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
    """Without conjugates: d' = A^T g, y_a' = Re(d A^T (s i z_a g)) in one batch, z_a' = Re(g A (s i y_a d)) in another."""
    axes, dots = rest[: what.axes_count], rest[what.axes_count:]
    nothing: list[Any] = [None] * (1 + len(axes))
    if type(gradient) is ad.Zero:
        return nothing + [None] * len(dots)
    plain = len(dots) - len(moved)
    at_data = tuple(index for index in moved if what.is_of_data(index))
    at_result = tuple(index for index in moved if not what.is_of_data(index))
    of_data: list[Any] = []
    of_axes: dict[int, Any] = {}
    if at_data:
        results = bind(what.transpose, times_opposites(gradient, axes, what, at_data, plain), *axes)
        both = real_products(data, results, plain)
        of_data, of_axes = both[:plain], dict(zip(at_data, both[plain:]))
    elif plain:
        of_data = [bind(what.transpose, gradient, *axes)]
    if at_result:
        results = bind(what, times_opposites(data, axes, what, at_result), *axes)
        of_axes.update(zip(at_result, real_products(gradient, results)))
    of_dots = of_data + [of_axes[index] for index in moved]
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
