"""Layouts, devices and owners of arrays: what is read in place, what is copied, what is refused."""

import gc
import weakref

import hypothesis.strategies as st
import kinds
import numpy as np
import offgrid
import oracle
import pytest
from hypothesis import given

SHAPE = (6, 5)


def strided(array, steps, reversed_axes, misaligned):
    """The same values in a layout with gaps, backwards axes, or at an odd address."""
    room = tuple(n * step for n, step in zip(array.shape, steps))
    if misaligned:
        bytes_ = np.zeros(int(np.prod(room)) * array.itemsize + 1, "u1")
        big = bytes_[1:].view(array.dtype).reshape(room)
    else:
        big = np.zeros(room, array.dtype)
    view = big[tuple(slice(None, None, step) for step in steps)]
    view = view[tuple(slice(None, None, -1 if back else 1) for back in reversed_axes)]
    view[...] = array
    return view


layouts = st.tuples(st.lists(st.integers(1, 3), min_size=4, max_size=4), st.lists(st.booleans(), min_size=4, max_size=4),
                    st.booleans(), st.permutations(range(3)))


@given(layouts, layouts)
def test_strides_do_not_matter(of_data, of_points):
    random = np.random.default_rng(0)
    points = oracle.random_points(random, 2, 11)
    modes = oracle.random_complex(random, (3, *SHAPE))
    steps, back, misaligned, order = of_data
    shuffled = strided(modes.transpose(order), steps[:3], back[:3], misaligned).transpose(np.argsort(order))
    moved = tuple(strided(x, of_points[0][i: i + 1], of_points[1][i: i + 1], of_points[2]) for i, x in enumerate(points))
    assert np.array_equal(offgrid.nufft2(moved, shuffled), offgrid.nufft2(points, modes))


def test_fortran_order_and_read_only(random):
    points, modes = oracle.random_points(random, 2, 11), oracle.random_complex(random, SHAPE)
    expected = offgrid.nufft2(points, modes)
    frozen = modes.copy()
    frozen.flags.writeable = False
    assert np.array_equal(offgrid.nufft2(points, np.asfortranarray(modes)), expected)
    assert np.array_equal(offgrid.nufft2(points, frozen), expected)
    assert np.array_equal(offgrid.nufft2(np.asfortranarray(np.stack(points, 1)), modes), expected)


def test_subclasses_are_read_and_masked_arrays_refused(random):
    x = oracle.random_points(random, 1, 4)[0]
    data = oracle.random_complex(random, 4)

    class Mine(np.ndarray):
        pass

    assert np.array_equal(offgrid.nufft1(x.view(Mine), data.view(Mine), 5), offgrid.nufft1(x, data, 5))
    with pytest.raises(TypeError, match="strengths is a masked array"):
        offgrid.nufft1(x, np.ma.masked_array(data, mask=[1, 0, 0, 0]), 5)


def test_the_input_is_not_written_to(kind, random):
    points, modes = oracle.random_points(random, 2, 11), oracle.random_complex(random, SHAPE)
    mine = kind.of(modes.copy())
    offgrid.nufft2(tuple(map(kind.of, points)), mine)
    assert np.array_equal(mine.array if isinstance(mine, kinds.OnlyDlpack) else kind.back(mine), modes)


@pytest.mark.parametrize("name", ["numpy", "torch", "cupy", "torch-cuda"])
def test_out_is_used(name, random):
    from conftest import made
    kind = made(name)
    points, strengths = oracle.random_points(random, 2, 11), oracle.random_complex(random, (2, 11))
    plan = offgrid.Plan(1, SHAPE, transforms=2)
    plan.set_points(tuple(map(kind.of, points)))
    expected = kind.back(plan.execute(kind.of(strengths)))
    out = kind.of(np.zeros((2, *SHAPE), complex))
    assert plan.execute(kind.of(strengths), out=out) is out
    assert oracle.error(kind.back(out), expected) < 1e-12  # a GPU adds up in any order
    wide = kind.of(np.zeros((2, SHAPE[0], 2 * SHAPE[1]), complex))
    every_second = wide[:, :, ::2]
    assert plan.execute(kind.of(strengths), out=every_second) is every_second
    assert oracle.error(kind.back(wide)[:, :, ::2], expected) < 1e-12
    assert not kind.back(wide)[:, :, 1::2].any()


def test_out_that_does_not_fit_is_refused(random):
    plan = offgrid.Plan(1, 8)
    plan.set_points(oracle.random_points(random, 1, 8))
    data = oracle.random_complex(random, 8)
    frozen = np.zeros(8, complex)
    frozen.flags.writeable = False
    for out, kind, words in ((np.zeros(7, complex), ValueError, r"out has the shape \(7,\)"),
                             (np.zeros(8, "complex64"), TypeError, "out has the dtype complex64"),
                             (frozen, ValueError, "out is read-only"), (data, ValueError, "out shares memory"),
                             ([0] * 8, TypeError, "out is a list")):
        with pytest.raises(kind, match=words):
            plan.execute(data, out=out)


def test_lazy_conjugates_of_torch(random):
    from conftest import made
    kind = made("torch")
    x, data = kind.of(oracle.random_points(random, 1, 9)[0]), kind.of(oracle.random_complex(random, 9))
    assert np.array_equal(offgrid.nufft1(x, data.conj(), 6), offgrid.nufft1(x, data.conj().resolve_conj(), 6))
    negative = kind.torch.complex(x, -x).conj().imag
    assert negative.is_neg()
    assert np.array_equal(offgrid.nufft1(negative, data, 6), offgrid.nufft1(x, data, 6))


def test_results_outlive_plans_and_arrays_do_not_outlive_calls(random):
    x, data = oracle.random_points(random, 1, 9)[0], oracle.random_complex(random, 9)
    plan = offgrid.Plan(1, 6)
    plan.set_points(x.copy())
    kept = weakref.ref(plan)
    result = plan.execute(data.copy())
    watched = data.copy()
    alive = weakref.ref(watched)
    plan.execute(watched)
    del watched, plan
    gc.collect()
    assert alive() is None and kept() is None
    assert oracle.error(result, oracle.type1((x,), data, (6,))) < 1e-6


def test_kinds_may_mix_on_one_device(random):
    from conftest import made
    kind = made("torch")
    points, data = oracle.random_points(random, 1, 9), oracle.random_complex(random, 9)
    found = offgrid.nufft1(points, kind.of(data), 6)
    assert oracle.error(kind.back(found), oracle.type1(points, data, (6,))) < 1e-6


def test_capsules_are_seen_as_they_are(random):
    """What GPU arrays without a library of their own are read by; here with memory of the host."""
    from offgrid import _core
    matrix = oracle.random_complex(random, (3, 4), "complex64")
    view = _core.View(matrix.__dlpack__())
    assert (view.address, view.shape, view.dtype, view.gpu) == (matrix.ctypes.data, (3, 4), "complex64", -1)
    assert view.contiguous and not _core.View(matrix.T.__dlpack__()).contiguous
    assert _core.View(matrix[:1, :].__dlpack__()).contiguous


def test_memory_is_that_of_the_array(random):
    from offgrid import _core
    matrix = oracle.random_complex(random, (3, 4), "complex64")
    matrix.flags.writeable = False
    for array in (matrix, matrix[1], matrix[:0], np.zeros(5, np.float32), np.array(1.0)):
        assert _core.memory(array) == (array.ctypes.data, array.nbytes)
    for none in (3, [1.0], None):
        with pytest.raises(TypeError):
            _core.memory(none)
