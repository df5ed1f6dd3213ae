"""The Gram operator, density weights, conjugate gradients and the inverse, with every kind of array."""

import numpy as np
import offgrid
import oracle
import pytest

PRECISIONS = [("complex64", "float32", 1e-4), ("complex128", "float64", 1e-9)]


def matrix(points, shape, sign=1):
    """A: values at the points of all modes of a shape, (M, N)."""
    k = np.stack(np.meshgrid(*[np.arange(n) - n // 2 for n in shape], indexing="ij")).reshape(len(shape), -1)
    return np.exp(sign * 1j * np.stack(points).astype(float).T @ k)


def normal(points, shape, weights, f, sign=1):
    A = matrix(points, shape, sign)
    flat = f.reshape(-1, A.shape[1]).astype(complex)
    return (A.conj().T @ (weights[:, None] * (A @ flat.T))).T.reshape(f.shape)


@pytest.mark.parametrize("shape", [(17,), (8, 9), (1, 6), (5, 4, 3)])
@pytest.mark.parametrize("dtype,real,tol", PRECISIONS)
@pytest.mark.parametrize("method", ["auto", "convolution", "pair"])
def test_is_the_dense_product(random, shape, dtype, real, tol, method):
    points = oracle.random_points(random, len(shape), 60, real)
    f = oracle.random_complex(random, (2, 3, *shape), dtype)
    for weights in (None, random.uniform(0.1, 1, 60).astype(real), oracle.random_complex(random, 60, dtype)):
        gram = offgrid.gram(points, shape, weights, tol, transforms=6, sign=-1, gram=method)
        found = gram(f)
        given = np.ones(60) if weights is None else weights
        assert found.dtype == dtype and oracle.error(found, normal(points, shape, given, f, -1)) < tol
        assert (gram.shape, gram.tol, gram.dtype, gram.transforms) == (shape, tol, dtype, 6)
        assert method == "auto" or gram.get("convolution") == (method == "convolution")


def test_every_kind_of_array(kind, random):
    points = oracle.random_points(random, 2, 50)
    weights, f = random.uniform(0.5, 1, 50), oracle.random_complex(random, (7, 6))
    gram = offgrid.gram([kind.of(x) for x in points], (7, 6), kind.of(weights), 1e-9)
    assert oracle.error(kind.back(gram(kind.of(f))), normal(points, (7, 6), weights, f)) < 1e-9


def test_out_may_be_the_input(random):
    points, f = oracle.random_points(random, 2, 50), oracle.random_complex(random, (7, 6))
    gram = offgrid.gram(points, (7, 6))
    expected, out = gram(f), np.empty_like(f)
    assert gram(f, out) is out and np.array_equal(out, expected)
    assert gram(f, f) is f and np.allclose(f, expected, rtol=1e-12)
    apart = np.zeros((7, 12), complex)[:, ::2]
    gram(out, apart)
    assert np.allclose(apart, gram(out))


def test_a_partial_overlap_is_refused_in_words_that_allow_one_array(random):
    gram, memory = offgrid.gram(oracle.random_points(random, 2, 50), (7, 6)), np.zeros((8, 6), complex)
    with pytest.raises(offgrid.Error, match="overlap in memory; expected one array for both, or two that are apart"):
        gram(memory[:7], memory[1:])


def test_the_end_of_a_with_block_closes_an_operator(random):
    with offgrid.gram(oracle.random_points(random, 1, 50), 16) as gram:
        assert gram.get("points") == 50
    with pytest.raises(offgrid.Error, match="closed"):
        gram(np.zeros(16, complex))


def test_words_and_sizes_are_in_the_order_of_shape(random):
    gram = offgrid.gram(oracle.random_points(random, 2, 50), (7, 60), gram="convolution")
    assert "7 x 60 modes" in gram.describe() and "real spectrum" in gram.describe() and gram.get("grid1") >= 119
    assert "50 points" in repr(gram) and gram.real
    gram.close()
    with pytest.raises(offgrid.Error, match="closed"):
        gram.describe()


@pytest.mark.parametrize("arguments,message", [
    (dict(weights=np.ones(49)), r"weights has the shape \(49,\); expected \(50,\)"),
    (dict(weights=np.ones(50, np.float32)), "weights has the dtype float32; expected float64 or complex128"),
    (dict(weights=[1.0] * 50), "weights is a list"),
    (dict(gram="fast"), "gram"),
    (dict(tol=-1), "tolerance"),
    (dict(transforms=0), "transforms"),
    (dict(spread_only=True), "spread_only"),
    (dict(device="cuda:3"), "device is cuda:3"),
])
def test_what_is_refused(random, arguments, message):
    with pytest.raises(offgrid.Error, match=message):
        offgrid.gram(oracle.random_points(random, 2, 50), (7, 6), **arguments)


def test_modes_of_another_shape_or_dtype_are_refused(random):
    gram = offgrid.gram(oracle.random_points(random, 2, 50), (7, 6))
    with pytest.raises(ValueError, match=r"f has the shape \(6, 7\); expected \(7, 6\)"):
        gram(np.zeros((6, 7), complex))
    with pytest.raises(TypeError, match="f has the dtype complex64; expected complex128, the operator's"):
        gram(np.zeros((7, 6), np.complex64))


# --- conjugate gradients and the inverse ------------------------------------------------------------------------------------
def arrays(kind, *given):
    if kind.name == "dlpack":
        pytest.skip("an array that has only DLPack has no arithmetic")
    return [tuple(map(kind.of, one)) if isinstance(one, tuple) else kind.of(one) for one in given]


def test_conjugate_gradients_solve_with_every_kind(kind, random):
    points, f = oracle.random_points(random, 2, 400), oracle.random_complex(random, (7, 6))
    there, modes = arrays(kind, tuple(points), f)
    gram = offgrid.gram(there, (7, 6), tol=1e-12)
    found = offgrid.conjugate_gradients(gram, gram(modes), 60, rtol=1e-11)
    assert oracle.error(kind.back(found), f) < 1e-9
    unwatched = offgrid.conjugate_gradients(gram, gram(modes), 60, rtol=0)
    assert oracle.error(kind.back(unwatched), f) < 1e-9


def test_conjugate_gradients_of_zero_are_zero_and_say_when_they_stop(random):
    gram = offgrid.gram(oracle.random_points(random, 1, 100), 16)
    for rtol in (0, 1e-6):
        assert not offgrid.conjugate_gradients(gram, np.zeros(16, complex), 5, rtol=rtol).any()
    right, seen = oracle.random_complex(random, 16), []
    offgrid.conjugate_gradients(gram, right, 50, rtol=1e-3, callback=lambda *now: seen.append(now))
    assert [step for step, _ in seen] == list(range(1, len(seen) + 1)) and 1 < len(seen) < 50
    assert seen[-1][1] <= 1e-3 < seen[-2][1]
    few = []
    offgrid.conjugate_gradients(gram, right, 50, rtol=0, callback=lambda step, _: few.append(step) or step == 3)
    assert few == [1, 2, 3]


@pytest.mark.parametrize("truth", [True, np.True_, 1])
def test_anything_true_that_a_callback_returns_stops(random, truth):
    points, steps = oracle.random_points(random, 1, 100), []
    stop = lambda step, _: steps.append(step) or (truth if step == 2 else None)  # noqa: E731
    offgrid.conjugate_gradients(offgrid.gram(points, 16), oracle.random_complex(random, 16), 9, rtol=0, callback=stop)
    offgrid.density_weights(points, 16, 9, rtol=0, callback=stop)
    assert steps == [1, 2, 1, 2]


def test_a_start_and_a_right_hand_side_of_zeros_are_no_division_by_zero(random):
    gram = offgrid.gram(oracle.random_points(random, 1, 200), 16, tol=1e-12)
    start, seen = oracle.random_complex(random, 16), []
    found = offgrid.conjugate_gradients(gram, np.zeros(16, complex), 30, start=start,
                                        callback=lambda _, left: seen.append(left))
    assert np.linalg.norm(found) < 1e-6 * np.linalg.norm(start) and seen[0] == np.inf


def test_a_good_start_needs_no_step(random):
    gram = offgrid.gram(oracle.random_points(random, 1, 200), 16, tol=1e-12)
    f = oracle.random_complex(random, 16)
    found = offgrid.conjugate_gradients(gram, gram(f), 50, rtol=1e-8, start=f, callback=lambda *_: pytest.fail("a step"))
    assert np.array_equal(found, f)


@pytest.mark.parametrize("dtype,real,scale", [("complex64", "float32", 1e-30), ("complex64", "float32", 1e30),
                                              ("complex128", "float64", 1e-150), ("complex128", "float64", 1e150)])
def test_values_whose_squares_are_out_of_range_are_no_nan(kind, random, dtype, real, scale):
    points, f = oracle.random_points(random, 2, 400, real), oracle.random_complex(random, (7, 6), dtype)
    tol = 1e-5 if dtype == "complex64" else 1e-11
    right = offgrid.gram(points, (7, 6), tol=tol)(f) * np.dtype(real).type(scale)
    begin = f[::-1] * np.dtype(real).type(scale)
    there, given, start = arrays(kind, tuple(points), right, begin)
    gram = offgrid.gram(there, (7, 6), tol=tol)
    for more in (dict(rtol=tol), dict(rtol=0), dict(rtol=tol, start=start)):
        found = kind.back(offgrid.conjugate_gradients(gram, given, 60, **more)) / np.dtype(real).type(scale)
        assert found.dtype == dtype and oracle.error(found, f) < 10 * tol


@pytest.mark.parametrize("dtype,largest", [("complex64", 2.5e38), ("complex128", 1.3e308)])
def test_the_largest_values_of_a_dtype_are_no_nan(kind, dtype, largest):
    """The sum of the largest real and imaginary part was infinite."""
    right, near = np.full(6, largest * (1 + 1j), dtype), np.full(6, 0.5 * largest * (1 + 1j), dtype)
    given, start = arrays(kind, right, near)
    for more in (dict(rtol=1e-3), dict(rtol=0), dict(rtol=1e-3, start=start)):
        found = kind.back(offgrid.conjugate_gradients(lambda f: f, given, 1, **more))
        assert np.isfinite(found).all() and oracle.error(found / largest, right / largest) < 1e-6


def test_the_result_is_not_the_array_of_the_start(random):
    points, f = oracle.random_points(random, 1, 100), oracle.random_complex(random, 16)
    values = offgrid.nufft2(points, f)
    for more in (dict(iterations=0, rtol=0), dict(rtol=1e-3)):
        start = f.copy()
        found = offgrid.inverse(values, points, 16, start=start, **more)
        found[:] = 0
        assert np.array_equal(start, f)


@pytest.mark.parametrize("regularisation", [0, 3.0])
def test_the_inverse_is_the_weighted_least_squares_solution(random, regularisation):
    points, shape = oracle.random_points(random, 2, 150), (7, 6)
    weights, values = random.uniform(0.1, 2, 150), oracle.random_complex(random, 150)
    A = matrix(points, shape, -1)
    dense = np.linalg.solve(A.conj().T @ (weights[:, None] * A) + regularisation * np.eye(42),
                            A.conj().T @ (weights * values))
    found = offgrid.inverse(values, points, shape, weights, 1e-12, regularisation=regularisation, iterations=200, rtol=1e-12,
                            sign=-1)
    assert oracle.error(found, dense.reshape(shape)) < 1e-8


def test_the_inverse_with_coils(kind, random):
    points, shape, weights = oracle.random_points(random, 2, 60), (7, 6), random.uniform(0.1, 2, 60)
    coils, f = oracle.random_complex(random, (4, *shape)), oracle.random_complex(random, shape)
    values = offgrid.nufft2(points, coils * f, tol=1e-12)  # 60 points alone would not determine the modes well
    there, given, maps, weighed = arrays(kind, tuple(points), values, coils, weights)
    found = offgrid.inverse(given, there, shape, weighed, 1e-12, coils=maps, iterations=300, rtol=1e-12)
    assert oracle.error(kind.back(found), f) < 1e-6


@pytest.mark.parametrize("arguments,message", [
    (dict(values=np.zeros(4, complex)), r"values has the shape \(4,\); expected \(50,\)"),
    (dict(values=np.zeros(50)), "values has the dtype float64; expected complex128"),
    (dict(weights=np.zeros(50, complex)), "weights has the dtype complex128"),
    (dict(coils=np.zeros((3, 7, 6), complex)), r"values has the shape \(50,\); expected \(3, 50\)"),
    (dict(regularisation=-1), "regularisation is -1; expected 0 or more"),
    (dict(rtol=float("nan")), "rtol is nan"),
    (dict(iterations=-5), "iterations is -5; expected 0 or more"),
    (dict(coils=[np.zeros((7, 6), complex)]), "coils is a list; expected an array"),
    (dict(start=np.zeros(42, complex)), r"start has the shape \(42,\); expected \(7, 6\)"),
    (dict(start=np.zeros((7, 6))), "start has the dtype float64; expected complex128"),
    (dict(transforms=2), "transforms is no option of an inverse: it has as many vectors as coils"),
    (dict(values=np.ones(50, complex), weights=np.full(50, np.nan)), "the residual is not finite: there is NaN"),
    (dict(values=np.full(50, np.inf, complex)), "the residual is not finite"),
])
def test_what_the_inverse_refuses(random, arguments, message):
    points = oracle.random_points(random, 2, 50)
    with pytest.raises(offgrid.Error, match=message):
        offgrid.inverse(**{"values": np.zeros(50, complex), "points": points, "shape": (7, 6), **arguments})


def test_the_inverse_begins_where_it_is_told_to(kind, random):
    points, f = oracle.random_points(random, 2, 400), oracle.random_complex(random, (7, 6))
    there, given, start, far = arrays(kind, tuple(points), offgrid.nufft2(points, f, tol=1e-12), f, f[::-1])
    unwatched = offgrid.inverse(given, there, (7, 6), tol=1e-12, start=start, iterations=0)
    assert np.array_equal(kind.back(unwatched), f)
    from_solution = offgrid.inverse(given, there, (7, 6), tol=1e-12, start=start, callback=lambda *_: pytest.fail("a step"))
    assert oracle.error(kind.back(from_solution), f) < 1e-12
    from_far = offgrid.inverse(given, there, (7, 6), tol=1e-12, start=far, iterations=60, rtol=1e-11)
    assert oracle.error(kind.back(from_far), f) < 1e-9


def test_a_callback_that_raises_leaves_nothing_open(random, monkeypatch):
    made, points = [], oracle.random_points(random, 1, 100)

    class Kept:
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            made.append(self)

    def fail(step, _):
        raise KeyboardInterrupt

    monkeypatch.setattr("offgrid._solve.Gram", type("KeptGram", (Kept, offgrid.Gram), {}))
    monkeypatch.setattr("offgrid._solve.Plan", type("KeptPlan", (Kept, offgrid.Plan), {}))
    for call in (lambda: offgrid.inverse(np.ones(100, complex), points, 16, callback=fail),
                 lambda: offgrid.density_weights(points, 16, callback=fail)):
        with pytest.raises(KeyboardInterrupt):
            call()
    assert len(made) == 3
    for one in made:
        with pytest.raises(offgrid.Error, match="closed"):
            one.describe()


# --- density weights --------------------------------------------------------------------------------------------------------
def radial(spokes, samples):
    angles, radius = np.arange(spokes) * np.pi / spokes, np.linspace(-np.pi, np.pi, samples, endpoint=False)
    return np.outer(np.sin(angles), radius).ravel(), np.outer(np.cos(angles), radius).ravel()


def test_density_weights_of_spokes_are_a_ramp(kind):
    points = radial(64, 64)
    there, = arrays(kind, points)
    weights = kind.back(offgrid.density_weights(there, (32, 32), 30))
    radius = np.hypot(*points)
    ring = (radius > 0.3) & (radius < 2.8)
    slope = weights[ring] / radius[ring]
    assert weights.shape == (64 * 64,) and weights.dtype == np.float64 and abs(weights.sum() - np.pi / 4) < 0.1
    assert np.std(slope) < 0.05 * np.mean(slope)


def test_density_weights_make_the_adjoint_an_image_and_steps_fewer(random):
    points, shape = radial(64, 64), (32, 32)
    y, x = np.mgrid[-16:16, -16:16]
    image = np.exp(-(x**2 + y**2) / 40) + 0j
    values = offgrid.nufft2(points, image, tol=1e-9)
    weights = offgrid.density_weights(points, shape, rtol=1e-3)
    gridded = offgrid.nufft1(points, weights * values, shape, tol=1e-9, sign=-1)
    assert oracle.error(gridded, image) < 0.05

    def steps(given):
        seen = []
        offgrid.inverse(values, points, shape, given, rtol=1e-3, iterations=100, callback=lambda step, _: seen.append(step))
        return len(seen)

    assert 2 * steps(weights) < steps(None)


def test_density_weights_report_and_stop():
    seen = []
    offgrid.density_weights(radial(20, 32), (16, 16), 50, rtol=1e-2, callback=lambda *now: seen.append(now))
    assert 1 < len(seen) < 50 and seen[-1][1] <= 1e-2 < seen[-2][1]
    short = []
    offgrid.density_weights(radial(20, 32), (16, 16), 50, rtol=0, callback=lambda step, _: short.append(step) or step == 2)
    assert short == [1, 2]


def test_density_weights_heed_threads_and_refuse_unknown_options():
    points = radial(20, 32)
    expected = offgrid.density_weights(points, (16, 16), 5)
    heeded = offgrid.density_weights(points, (16, 16), 5, threads=1, deterministic=True, method="sm", bin1=16)
    unheeded = offgrid.density_weights(points, (16, 16), 5, sign=-1, width=9, mode_order="fft")
    assert np.allclose(heeded, expected, rtol=1e-12) and np.allclose(unheeded, expected, rtol=1e-12)
    for options, message in ((dict(threads=-1), "threads"), (dict(thread=1), "did you mean threads"),
                             (dict(transforms=2), 'option "transforms" is unknown; offgrid.options'),
                             (dict(iterations=-5), "iterations is -5; expected 0 or more")):
        with pytest.raises(offgrid.Error, match=message):
            offgrid.density_weights(points, (16, 16), **options)


def test_density_weights_of_no_points_divide_by_nothing():
    for dtype in (np.float32, np.float64):
        found = offgrid.density_weights(np.zeros((0, 2), dtype), (16, 16))
        assert found.shape == (0,) and found.dtype == dtype
