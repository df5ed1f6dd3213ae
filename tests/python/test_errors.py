"""What bad input gets: TypeError and ValueError before anything runs, offgrid.Error with a status from the library."""

import pickle

import numpy as np
import offgrid
import pytest

X = np.zeros(5)
C = np.ones(5, complex)


def refused(kind, words, call, *arguments, **settings):
    with pytest.raises(kind, match=words) as caught:
        call(*arguments, **settings)
    return caught.value


@pytest.mark.parametrize("kind, words, points, strengths, shape", [
    (TypeError, "points is a int", 3, C, 4),
    (TypeError, r"points\[0\] is a str", ("x",), C, 4),
    (TypeError, "strengths is a list", (X,), [1j] * 5, 4),
    (TypeError, r"points\[0\] has the dtype int64; expected float32 or float64", (np.zeros(5, int),), C, 4),
    (TypeError, r"points\[0\] has the dtype >f8", (X.astype(">f8"),), C, 4),
    (TypeError, r"points\[1\] has the dtype float32, points\[0\] float64", (X, X.astype("f4")), C, (4, 4)),
    (TypeError, "points has the dtype float32; expected float64", (X.astype("f4"),), C, 4),
    (TypeError, "strengths has the dtype float64; expected complex64 or complex128", (X,), X, 4),
    (TypeError, "shape is 'four'", (X,), C, "four"),
    (TypeError, "shape is 4.5", (X,), C, 4.5),
    (ValueError, "shape has 4 axes", (X,) * 4, C, (2, 2, 2, 2)),
    (ValueError, r"shape\[1\] is -2", (X, X), C, (4, -2)),
    (ValueError, "points has 1 arrays; expected 2", (X,), C, (4, 4)),
    (ValueError, r"points has the shape \(5, 3\); expected \(M, 2\)", np.zeros((5, 3)), C, (4, 4)),
    (ValueError, r"points\[0\] has the shape \(5, 1\); expected one axis", (X.reshape(5, 1),), C, 4),
    (ValueError, r"points\[1\] has 4 points, points\[0\] 5", (X, X[1:]), C, (4, 4)),
    (ValueError, r"strengths has the shape \(4,\); expected it to end in \(5,\)", (X,), C[1:], 4),
    (ValueError, r"strengths has the shape \(\)", (X,), np.array(1j), 4),
])
def test_type1_arguments(kind, words, points, strengths, shape):
    refused(kind, words, offgrid.nufft1, points, strengths, shape)


@pytest.mark.parametrize("kind, words, points, modes", [
    (ValueError, r"modes has the shape \(4,\); expected at least 2 axes", (X, X), np.ones(4, complex)),
    (ValueError, "points has 4 axes", np.zeros((5, 4)), np.ones((2, 2, 2, 2), complex)),
    (ValueError, "points has 0 axes", (), np.ones(4, complex)),
    (TypeError, "modes is a NoneType", (X,), None),
    (TypeError, "modes has the dtype int64", (X,), np.ones(4, int)),
])
def test_type2_arguments(kind, words, points, modes):
    refused(kind, words, offgrid.nufft2, points, modes)


@pytest.mark.parametrize("words, settings", [
    ("tolerance is 0", {"tol": 0}), ("tolerance is nan", {"tol": float("nan")}), ("tolerance is -1", {"tol": -1}),
    ("option sign = 2", {"sign": 2}),
    ("option mode_order = \"middle\"", {"mode_order": "middle"}), ("option upsampling = 0.5", {"upsampling": 0.5}),
    ("option transforms = 0", {"transforms": 0}), ("type is 7", {"type": 7})])
def test_the_library_refuses_with_a_status(words, settings):
    error = refused(offgrid.Error, words, offgrid.Plan, **{"type": 1, "shape": (4, 4), **settings})
    assert error.status is offgrid.Status.INVALID_ARGUMENT and isinstance(error, ValueError)


@pytest.mark.parametrize("kind, words, settings", [
    (TypeError, "tol is 'small'", {"tol": "small"}), (TypeError, "transforms is 1.5", {"transforms": 1.5}),
    (TypeError, "dtype is 'int32'", {"dtype": "int32"}), (ValueError, "device is 'tpu'", {"device": "tpu"}),
    (TypeError, "type is 'one'", {"type": "one"}), (TypeError, "threads is None", {"threads": None})])
def test_plan_arguments(kind, words, settings):
    refused(kind, words, offgrid.Plan, **{"type": 1, "shape": (4, 4), **settings})


@pytest.mark.parametrize("call", [lambda **options: offgrid.Plan(1, 4, **options),
                                  lambda **options: offgrid.nufft1((X,), C, 4, **options),
                                  lambda **options: offgrid.nufft2((X,), C, **options)])
@pytest.mark.parametrize("name, meant", [("colour", ""), ("sgn", "sign"), ("isign", "sign"), ("eps", "tol"),
                                         ("modeord", "mode_order"), ("nthreads", "threads"), ("upsampfac", "upsampling")])
def test_unknown_keywords_are_type_errors_that_name_what_was_meant(call, name, meant):
    error = refused(TypeError, f'option "{name}" is unknown', call, **{name: 1})
    assert isinstance(error, offgrid.Error) and error.status is offgrid.Status.INVALID_ARGUMENT
    assert (f"did you mean {meant}?" in str(error)) if meant else ("did you mean" not in str(error))


def calls_of_finufft():
    f = np.ones((4, 4), complex)
    return [lambda: offgrid.nufft1(X, X, C, (4, 4)), lambda: offgrid.nufft1(X, X, C, (4, 4), 1e-6),
                lambda: offgrid.nufft1(X, X, X, C, (4, 4, 4)), lambda: offgrid.nufft2(X, X, f),
                lambda: offgrid.nufft2(X, X, f, 1e-6), lambda: offgrid.nufft2(X, X, X, f),
                lambda: offgrid.Plan(1, (4, 4)).set_points(X, X)]


@pytest.mark.parametrize("call", calls_of_finufft())
def test_calls_of_someone_who_comes_from_finufft(call):
    assert isinstance(refused(TypeError, r"points come as one tuple \(x, y\)", call), offgrid.Error)


def test_too_many_arguments_are_refused():
    refused(TypeError, "at most 4", offgrid.nufft1, (X,), C, 4, 1e-6, 1)
    refused(TypeError, "at most 4", offgrid.nufft3, (X,), C, (X,), 1e-6, 1)
    refused(TypeError, "at most 3", offgrid.nufft2, (X,), C, 1e-6, 1)


@pytest.mark.parametrize("name", ["dtype", "transforms"])
def test_what_the_data_says_cannot_be_given_twice(name):
    refused(TypeError, name, offgrid.nufft1, (X,), C, 4, **{name: 1})


def test_points_that_are_not_finite_leave_the_earlier_ones():
    plan = offgrid.Plan(1, 4)
    plan.set_points(X)
    error = refused(offgrid.Error, "points", plan.set_points, np.full(5, np.nan))
    assert error.status is offgrid.Status.INVALID_ARGUMENT
    assert np.allclose(plan.execute(C), 5)


def test_a_size_that_no_memory_holds():
    error = refused(offgrid.Error, None, offgrid.Plan, 1, (2**40, 2**40))
    assert error.status in (offgrid.Status.INVALID_ARGUMENT, offgrid.Status.OUT_OF_MEMORY)


@pytest.mark.parametrize("kind, words, settings", [
    (offgrid.ArgumentValueError, "tolerance", {"tol": -1}), (offgrid.ArgumentTypeError, "tol is", {"tol": "x"})])
def test_errors_survive_pickling(kind, words, settings):
    error = pickle.loads(pickle.dumps(refused(offgrid.Error, words, offgrid.Plan, 1, 4, **settings)))
    assert type(error) is kind and error.status is offgrid.Status.INVALID_ARGUMENT and words in str(error)
    state = refused(offgrid.Error, "no points", offgrid.Plan(1, 4).execute, C)
    assert pickle.loads(pickle.dumps(state)).status is offgrid.Status.WRONG_STATE and "no points" in str(state)


def test_out_of_another_shape_says_both_shapes():
    refused(ValueError, r"out has the shape \(5, 4\); expected \(4, 5\)", offgrid.nufft1, (X, X), C, (4, 5),
            out=np.zeros((5, 4), complex))
    refused(TypeError, r"out is a list; expected the kind of the data, of the shape \(4,\)", offgrid.nufft1, X, C, 4, out=[0])


def test_a_gpu_that_is_not_there():
    if "cuda 0" in offgrid.devices():
        pytest.skip("there is a GPU here")
    error = refused(offgrid.Error, None, offgrid.Plan, 1, 4, device="cuda")
    assert error.status is offgrid.Status.DEVICE_ERROR
