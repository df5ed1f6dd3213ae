"""offgrid.jax: derivatives by jax's own checks, forward and backward, twice; jit; vmap; plans that are kept."""

import numpy as np
import oracle
import pytest
from conftest import made
from gradients import SHAPES, TOL, arrays, targets

import offgrid
from test_cache import counted  # noqa: F401, a fixture

try:
    import jax
    import jax.numpy as jnp
    from jax.test_util import check_grads

    import offgrid.jax as oj
    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None
pytestmark = pytest.mark.skipif(jax is None, reason="jax is not installed")


@pytest.fixture(params=["jax", "jax-cuda"])
def kind(request):
    kind = made(request.param)
    with jax.default_device(kind.device):
        yield kind


def type1(dim, **options):
    return lambda data, *points: oj.nufft1(points, data, SHAPES[dim], TOL, **options)


def type2(**options):
    return lambda data, *points: oj.nufft2(points, data, TOL, **options)


def type3(dim, **options):
    return lambda data, *axes: oj.nufft3(axes[:dim], data, axes[dim:], TOL, **options)


def arrays3(kind, random, dim, **sizes):
    points, strengths, _ = arrays(kind, random, dim, **sizes)
    return strengths, *points, *targets(kind, random, dim)


def power(transform):
    return lambda *arguments: jnp.sum(jnp.abs(transform(*arguments)) ** 2)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_derivatives(kind, random, dim):
    points, strengths, modes = arrays(kind, random, dim)
    check_grads(type1(dim), (strengths, *points), order=1, modes=["fwd", "rev"])
    check_grads(type2(), (modes, *points), order=1, modes=["fwd", "rev"])


@pytest.mark.parametrize("options", [{"sign": 1, "mode_order": "fft"}, {"sign": -1}])
def test_second_derivatives_with_signs_orders_and_batches(kind, random, options):
    points, strengths, modes = arrays(kind, random, 2, count=4, lead=(2,))
    check_grads(type1(2, **options), (strengths, *points), order=2, modes=["fwd", "rev"])
    check_grads(type2(**options), (modes, *points), order=2, modes=["fwd", "rev"])


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_derivatives_of_type_3_in_strengths_points_and_targets(kind, random, dim):
    check_grads(type3(dim), arrays3(kind, random, dim), order=1, modes=["fwd", "rev"])


@pytest.mark.parametrize("sign", [-1, 1])
def test_second_derivatives_of_type_3_with_signs_and_batches(kind, random, sign):
    check_grads(type3(2, sign=sign), arrays3(kind, random, 2, count=4, lead=(2,)), order=2, modes=["fwd", "rev"])


def test_type_3_is_the_direct_sum_and_works_under_jit_and_vmap(kind, random):
    strengths, x, y, s, t = arrays3(kind, random, 2, lead=(3,))
    found = oj.nufft3(jnp.stack([x, y], 1), strengths, jnp.stack([s, t], 1), 1e-9, sign=-1)
    host = [np.asarray(value) for value in (strengths, x, y, s, t)]
    assert oracle.error(kind.back(found), oracle.type3(host[1:3], host[0], host[3:], -1)) < 1e-9
    axes, transform = (x, y, s, t), type3(2)
    assert jnp.allclose(jax.jit(transform)(strengths, *axes), transform(strengths, *axes), atol=1e-11)
    gradient = jax.grad(power(transform), argnums=(1, 2, 3, 4))
    for inside, outside in zip(jax.jit(gradient)(strengths, *axes), gradient(strengths, *axes)):
        assert jnp.allclose(inside, outside, atol=1e-9)
    moved = jnp.stack([s, s + 1, 2 * s])
    over_targets = jax.vmap(transform, (None, None, None, 0, None))(strengths, x, y, moved, t)
    for i in range(3):
        assert jnp.allclose(over_targets[i], transform(strengths, x, y, moved[i], t))


def test_a_gradient_of_type_3_is_two_batches(kind, random, monkeypatch):
    everything = arrays3(kind, random, 2)
    offgrid.clear_cache()
    calls = []
    run = offgrid.Plan._run
    monkeypatch.setattr(offgrid.Plan, "_run", lambda self, *rest: (calls.append(self.transforms), run(self, *rest))[1])
    _, backward = jax.vjp(type3(2), *everything)
    backward(jnp.ones(6, complex))
    assert calls == [1, 3, 2]  # forward; strengths and points; targets


def test_jit(kind, random):
    points, strengths, modes = arrays(kind, random, 2)
    for transform, data in ((type1(2), strengths), (type2(), modes)):
        assert jnp.allclose(jax.jit(transform)(data, *points), transform(data, *points), atol=1e-11)
        gradient = jax.grad(power(transform), argnums=(1, 2))
        for inside, outside in zip(jax.jit(gradient)(data, *points), gradient(data, *points)):
            assert jnp.allclose(inside, outside, atol=1e-9)


def test_vmap_over_data_and_over_points(kind, random):
    points, strengths, _ = arrays(kind, random, 2, lead=(3,))
    expected = type1(2)(strengths, *points)
    assert jnp.allclose(jax.vmap(lambda c: type1(2)(c, *points), in_axes=1)(strengths.T), expected)
    moved = jnp.stack([points[0], points[0] + 1, points[0] - 2])
    over_both = jax.vmap(type1(2), (0, 0, None))(strengths, moved, points[1])
    assert jnp.allclose(jax.jit(jax.vmap(type1(2), (0, 0, None)))(strengths, moved, points[1]), over_both)
    for i in range(3):
        assert jnp.allclose(over_both[i], type1(2)(strengths[i], moved[i], points[1]))


def test_results_stay_on_their_device(kind, random):
    points, strengths, _ = arrays(kind, random, 1)
    kind.back(type1(1)(strengths, *points))
    kind.back(jax.grad(power(type1(1)), argnums=1)(strengths, *points))


def test_a_training_loop_plans_once(kind, random, counted):  # noqa: F811
    points, strengths, _ = arrays(kind, random, 2)
    for _ in range(4):
        jax.grad(power(type1(2)))(strengths, *points)
    assert counted["made"] == 1 and counted["set"] == 1  # forward and backward share the plan


def test_one_batched_execute_for_a_gradient(kind, random, monkeypatch):
    points, strengths, _ = arrays(kind, random, 3)
    offgrid.clear_cache()
    calls = []
    run = offgrid.Plan._run
    monkeypatch.setattr(offgrid.Plan, "_run", lambda self, *rest: (calls.append(self.transforms), run(self, *rest))[1])
    jax.grad(power(type1(3)), argnums=(1, 2, 3))(strengths, *points)
    assert calls == [1, 3]
    calls.clear()
    jax.vjp(type1(3), strengths, *points)[1](jnp.ones(SHAPES[3], complex))
    assert calls == [1, 4]


@pytest.mark.parametrize("dim", [1, 3])
def test_a_derivative_is_one_operation(kind, random, dim):
    """Each one takes jax a part of a millisecond in every call outside jit: a tiny gradient took 13 ms."""
    points, strengths, modes = arrays(kind, random, dim)
    for transform, data in ((type1(dim), strengths), (type2(), modes)):
        traced = jax.make_jaxpr(lambda *a, transform=transform: jax.jvp(transform, a, a))(data, *points)
        assert [str(step.primitive) for step in traced.jaxpr.eqns] == ["offgrid_nufft", "offgrid_nufft_change"]
        _, backward = jax.vjp(transform, data, *points)
        result = transform(data, *points)
        assert len(jax.make_jaxpr(backward)(result).jaxpr.eqns) <= 4


def test_wrong_arguments_are_named(kind, random):
    points, strengths, _ = arrays(kind, random, 1)
    with pytest.raises(TypeError, match="strengths is a list"):
        oj.nufft1(points, [1j] * 7, 4)
    with pytest.raises(TypeError, match=r"points\[0\] has the dtype float32; expected float64"):
        oj.nufft1([points[0].astype("float32")], strengths, 4)
    with pytest.raises(ValueError, match=r"strengths has the shape \(6,\)"):
        jax.jit(lambda c: oj.nufft1(points, c, 4))(strengths[1:])
    with pytest.raises(TypeError, match=r"targets\[0\] has the dtype float32; expected float64"):
        oj.nufft3(points, strengths, [points[0].astype("float32")])
    with pytest.raises(ValueError, match="targets has 2 arrays; expected 1"):
        oj.nufft3(points, strengths, [points[0], points[0]])
    with pytest.raises(TypeError, match="strengths is being traced by jax: use offgrid.jax"):
        jax.jit(lambda c: offgrid.nufft1(points, c, 4))(strengths)


def test_immutable_arrays_cannot_be_out(kind, random):
    points, strengths, modes = arrays(kind, random, 1)
    with pytest.raises(TypeError, match="cannot be written to"):
        offgrid.nufft1(points, strengths, SHAPES[1], out=modes)
    assert np.isfinite(kind.back(offgrid.nufft1(points, strengths, SHAPES[1]))).all()
