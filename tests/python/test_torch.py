"""offgrid.torch: gradients by torch's own checks, forward and backward, twice; vmap; plans that are kept."""

import numpy as np
import oracle
import pytest
from conftest import made
from gradients import SHAPES, TOL, arrays, targets

import offgrid
from test_cache import counted  # noqa: F401, a fixture

try:
    import torch

    import offgrid.torch as ot
except ImportError:
    torch = None
pytestmark = pytest.mark.skipif(torch is None, reason="torch is not installed")


@pytest.fixture(params=["torch", "torch-cuda"])
def kind(request):
    return made(request.param)


def gradcheck(function, arguments, **settings):
    return torch.autograd.gradcheck(function, arguments, nondet_tol=1e-10, **settings)  # a GPU adds up in any order


def gradgradcheck(function, arguments):
    return torch.autograd.gradgradcheck(function, arguments, nondet_tol=1e-10)


def tensors(kind, random, dim, **sizes):
    points, strengths, modes = arrays(kind, random, dim, **sizes)
    return [x.requires_grad_() for x in points], strengths.requires_grad_(), modes.requires_grad_()


def type1(dim, **options):
    return lambda data, *points: ot.nufft1(points, data, SHAPES[dim], TOL, **options)


def type2(**options):
    return lambda data, *points: ot.nufft2(points, data, TOL, **options)


def type3(dim, **options):
    return lambda data, *axes: ot.nufft3(axes[:dim], data, axes[dim:], TOL, **options)


def tensors3(kind, random, dim, **sizes):
    points, strengths, _ = tensors(kind, random, dim, **sizes)
    return strengths, *points, *(s.requires_grad_() for s in targets(kind, random, dim))


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_gradients_of_type_3_in_strengths_points_and_targets(kind, random, dim):
    assert gradcheck(type3(dim), tensors3(kind, random, dim), check_forward_ad=True)


@pytest.mark.parametrize("sign", [-1, 1])
def test_type_3_with_signs_and_batches_and_twice(kind, random, sign):
    assert gradcheck(type3(2, sign=sign), tensors3(kind, random, 2, lead=(2,)), check_forward_ad=True)
    assert gradgradcheck(type3(2, sign=sign), tensors3(kind, random, 2, count=4))


def test_type_3_is_the_direct_sum_and_takes_matrices(kind, random):
    strengths, x, y, s, t = (value.detach() for value in tensors3(kind, random, 2, lead=(3,)))
    found = ot.nufft3(torch.stack([x, y], 1), strengths, torch.stack([s, t], 1), 1e-9, sign=-1)
    points, targets = ([kind.back(axis) for axis in axes] for axes in ((x, y), (s, t)))
    assert oracle.error(kind.back(found), oracle.type3(points, kind.back(strengths), targets, -1)) < 1e-9


def test_type_3_only_what_is_asked_for(kind, random):
    everything = tensors3(kind, random, 2)
    for index in range(5):
        fixed = [value.detach() for value in everything]

        def of_one(value, index=index, fixed=fixed):
            return type3(2)(*fixed[:index], value, *fixed[index + 1:])
        assert gradcheck(of_one, (everything[index],))


def test_type_3_vmap(kind, random):
    strengths, *axes = (value.detach() for value in tensors3(kind, random, 1, lead=(3,)))
    over_data = torch.func.vmap(lambda c: type3(1)(c, *axes))(strengths)
    assert torch.allclose(over_data, type3(1)(strengths, *axes))
    moved = torch.stack([axes[1], axes[1] + 1, 2 * axes[1]])
    over_targets = torch.func.vmap(lambda s: type3(1)(strengths[0], axes[0], s))(moved)
    for i in range(3):
        assert torch.allclose(over_targets[i], type3(1)(strengths[0], axes[0], moved[i]))


def test_type_3_trains_by_one_plan_and_two_batches(kind, random, counted, monkeypatch):  # noqa: F811
    everything = tensors3(kind, random, 2)
    calls = []
    run = offgrid.Plan._run
    monkeypatch.setattr(offgrid.Plan, "_run", lambda self, *rest: (calls.append(self.transforms), run(self, *rest))[1])
    type3(2)(*everything).abs().square().sum().backward()
    assert calls == [1, 3, 2]  # forward; strengths and points; targets
    strengths, *axes = everything
    for _ in range(3):
        type3(2)(strengths, *(axis.detach() for axis in axes)).abs().square().sum().backward()
    assert counted["made"] == 3


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_gradients(kind, random, dim):
    points, strengths, modes = tensors(kind, random, dim)
    assert gradcheck(type1(dim), (strengths, *points), check_forward_ad=True)
    assert gradcheck(type2(), (modes, *points), check_forward_ad=True)


@pytest.mark.parametrize("options", [{"sign": 1, "mode_order": "fft"}, {"sign": -1}, {"mode_order": "fft"}])
def test_gradients_with_signs_orders_and_batches(kind, random, options):
    points, strengths, modes = tensors(kind, random, 2, lead=(2,))
    assert gradcheck(type1(2, **options), (strengths, *points))
    assert gradcheck(type2(**options), (modes, *points))


def test_second_derivatives(kind, random):
    points, strengths, modes = tensors(kind, random, 2, count=4)
    assert gradgradcheck(type1(2), (strengths, *points))
    assert gradgradcheck(type2(), (modes, *points))


def test_only_what_is_asked_for(kind, random):
    points, strengths, _ = tensors(kind, random, 2)
    x, y = points[0], points[1].detach()
    assert gradcheck(lambda x: type1(2)(strengths.detach(), x, y), (x,))
    assert gradcheck(lambda c: type1(2)(c, x.detach(), y), (strengths,))


def test_points_as_one_tensor(kind, random):
    points, strengths, modes = tensors(kind, random, 2)
    matrix = torch.stack(points, 1).detach().requires_grad_()
    assert gradcheck(lambda p: ot.nufft1(p, strengths.detach(), SHAPES[2], TOL), (matrix,))
    assert gradcheck(lambda p: ot.nufft2(p, modes.detach(), TOL), (matrix,))


def test_vmap_over_data_and_over_points(kind, random):
    points, strengths, _ = tensors(kind, random, 2, lead=(3,))
    points, strengths = [x.detach() for x in points], strengths.detach()
    expected = type1(2)(strengths, *points)
    over_data = torch.func.vmap(lambda c: type1(2)(c, *points), in_dims=1)(strengths.T.contiguous())
    assert torch.allclose(over_data, expected)
    moved = torch.stack([points[0], points[0] + 1, points[0] - 2])
    over_both = torch.func.vmap(lambda c, x: type1(2)(c, x, points[1]))(strengths, moved)
    for i in range(3):
        assert torch.allclose(over_both[i], type1(2)(strengths[i], moved[i], points[1]))


def test_per_sample_gradients(kind, random):
    points, strengths, _ = tensors(kind, random, 1, lead=(3,))
    x, strengths = points[0].detach(), strengths.detach()

    def loss(c):
        return type1(1)(c, x).abs().square().sum()

    by_vmap = torch.func.vmap(torch.func.grad(loss))(strengths)
    one_by_one = torch.stack([torch.func.grad(loss)(c) for c in strengths])
    assert torch.allclose(by_vmap, one_by_one)


def test_a_training_loop_plans_once(kind, random, counted):  # noqa: F811
    points, strengths, _ = tensors(kind, random, 2)
    points = [x.detach() for x in points]
    for _ in range(4):
        type1(2)(strengths, *points).abs().square().sum().backward()
    assert counted["made"] == counted["set"] == 1  # the backward pass is the adjoint of the same plan


def test_a_loop_that_moves_its_points_plans_once_and_is_right(kind, random, counted):  # noqa: F811
    points, strengths, _ = tensors(kind, random, 1, count=20)
    x, strengths = points[0], strengths.detach()
    for step in range(4):
        x.grad = None
        modes = type1(1)(strengths, x)
        assert oracle.error(kind.back(modes.detach()),
                            oracle.type1((kind.back(x.detach()),), kind.back(strengths), SHAPES[1])) < 1e-10
        modes.abs().square().sum().backward()
        with torch.no_grad():
            x -= 1e-2 * x.grad
    assert counted["made"] == 1 and counted["set"] == 4


def test_one_batched_execute_for_a_gradient(kind, random, monkeypatch):
    points, strengths, _ = tensors(kind, random, 3)
    offgrid.clear_cache()
    calls = []
    run = offgrid.Plan._run
    monkeypatch.setattr(offgrid.Plan, "_run", lambda self, *rest: (calls.append(self.transforms), run(self, *rest))[1])
    type1(3)(strengths, *points).abs().square().sum().backward()
    assert calls == [1, 4]


def test_tensors_that_need_gradients_are_refused_by_the_plain_functions(kind, random):
    points, strengths, _ = tensors(kind, random, 1)
    with pytest.raises(TypeError, match="strengths requires a gradient: use offgrid.torch"):
        offgrid.nufft1(points[0].detach(), strengths, 4)
    with torch.no_grad():
        assert offgrid.nufft1(points[0], strengths, 4).shape == (4,)


def test_other_arrays_are_refused():
    with pytest.raises(TypeError, match="strengths is a ndarray; expected a torch.Tensor"):
        ot.nufft1(torch.zeros(3, dtype=torch.float64), np.ones(3, complex), 4)
