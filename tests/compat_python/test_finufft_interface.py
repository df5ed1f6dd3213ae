"""Package finufft, the differences that compat keeps: defaults, dtypes, texts of errors, warnings, private members."""

import ctypes
import inspect
import warnings

import numpy as np
import pytest

import finufft
from finufft import _finufft, _interfaces

X = np.linspace(-3, 3, 20)
S = np.linspace(-5, 5, 15)
C = np.exp(1j * X)


def plan_of(nufft_type=1, n_modes=(8, 7), points=2, n_trans=1, **options):
    plan = finufft.Plan(nufft_type, n_modes, n_trans, **options)
    plan.setpts(*[X] * points, **({"s": S, "t": S} if nufft_type == 3 else {}))
    return plan


def zeros(*shape):
    return np.zeros(shape, complex)


def test_default_dtype_and_properties():
    plan = finufft.Plan(1, np.array([8, 7]), 3)
    assert (plan.type, plan.dtype, plan.dim, plan.n_trans) == (1, np.complex128, 2, 3)
    assert isinstance(plan.n_modes, ctypes.Array) and list(plan.n_modes) == [7, 8]
    for name in ("type", "dtype", "dim", "n_modes", "n_trans"):
        with pytest.raises(AttributeError):
            setattr(plan, name, 1)


def test_signatures():
    def names(function):
        return [(p.name, p.default) for p in inspect.signature(function).parameters.values() if p.name != "kwargs"]

    empty = inspect.Parameter.empty
    common = [("out", None), ("eps", 1e-6)]
    for dim in (1, 2, 3):
        points = [(name, empty) for name in "xyz"[:dim]]
        targets = [(name, empty) for name in "stu"[:dim]]
        functions = [getattr(finufft, f"nufft{dim}d{t}") for t in (1, 2, 3)]
        assert names(functions[0]) == [*points, ("c", empty), ("n_modes", None), *common, ("isign", 1)]
        assert names(functions[1]) == [*points, ("f", empty), *common, ("isign", -1)]
        assert names(functions[2]) == [*points, ("c", empty), *targets, *common, ("isign", 1)]
        assert all(function.__doc__ for function in functions)
    assert names(finufft.Plan) == [
        ("nufft_type", empty),
        ("n_modes_or_dim", empty),
        ("n_trans", 1),
        ("eps", 1e-6),
        ("isign", None),
        ("dtype", "complex128"),
    ]


def test_precision_of_a_simple_call_is_that_of_x():
    assert finufft.nufft1d1(X.astype("f4"), C.astype("c8"), 8).dtype == np.complex64
    with pytest.raises(TypeError, match="complex128 was given, but complex64 was expected"):
        finufft.nufft1d1(X.astype("f4"), C, 8)
    with pytest.raises(RuntimeError, match="x dtype should be float64"):
        finufft.nufft1d1(X.astype(int), C, 8)


def test_one_integer_means_all_axes():
    assert finufft.nufft2d1(X, X, C, 8).shape == (8, 8)
    assert finufft.nufft3d1(X, X, X, C, np.int64(5)).shape == (5, 5, 5)


def test_unknown_option_warns():
    with pytest.warns(Warning, match='finufft_opts does not have attribute "foo"'):
        finufft.Plan(1, (8,), foo=3)


def test_formulas_of_kernels_of_finufft_2_5_are_taken():
    wanted = finufft.nufft1d1(X, C, 8)
    for formula in range(10):
        np.testing.assert_array_equal(finufft.nufft1d1(X, C, 8, spread_kerformula=formula), wanted)
    for formula in (-1, 10):
        with pytest.raises(RuntimeError, match="spread_kerformula option invalid"):
            finufft.nufft1d1(X, C, 8, spread_kerformula=formula)


@pytest.mark.parametrize("name", ["fftw_lock_fun", "fftw_unlock_fun", "fftw_lock_data"])
def test_locks_of_fftw_are_refused(name):
    with pytest.raises(TypeError, match=f"Invalid option '{name}': FFTW locks are not exposed in Python"):
        finufft.Plan(1, (8,), **{name: None})


@pytest.mark.parametrize("name", ["spread_thread", "spread_kerevalmeth", "spread_kerpad"])
def test_deprecated_option_warns(name):
    with pytest.warns(DeprecationWarning, match=name):
        finufft.nufft1d1(X, C, 8, **{name: 1})


def test_tolerance_out_of_reach_warns():
    for dtype, eps in (("complex128", 1e-20), ("complex64", 1e-12)):
        with pytest.warns(Warning, match="eps tolerance too small to achieve"):
            finufft.Plan(1, (8,), eps=eps, dtype=dtype)
    with pytest.raises(RuntimeError, match="eps tolerance too small"):
        finufft.Plan(1, (8,), eps=1e-20, allow_eps_too_small=0)


# Of FINUFFT 2.5.1: whether it warns, by precision, tolerance and upsampfac.
TOLERANCES = [
    ("complex64", 1.19e-7, 0, True),
    ("complex64", 1.2e-7, 0, False),
    ("complex64", 1.2e-7, 1.25, False),
    ("complex64", 1.2e-7, 1.05, True),
    ("complex64", 1e-5, 1.05, False),
    ("complex128", 2.2e-16, 0, True),
    ("complex128", 2.3e-16, 0, False),
    ("complex128", 2.3e-16, 2.0, True),
    ("complex128", 1e-15, 2.0, False),
    ("complex128", 1e-15, 0, False),
    ("complex128", 1.7e-10, 1.25, False),
    ("complex128", 1e-10, 1.25, True),
    ("complex128", 1e-12, 1.5, False),
    ("complex128", 1e-13, 1.5, True),
]


@pytest.mark.parametrize("dtype, eps, upsampfac, warns", TOLERANCES)
def test_warns_of_a_tolerance_where_finufft_does(dtype, eps, upsampfac, warns):
    x = X.astype(np.dtype(dtype).char.lower())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plan = finufft.Plan(1, (8,), eps=eps, dtype=dtype, upsampfac=upsampfac)
        assert len(caught) == warns
        plan.setpts(x)
        f = plan.execute(C.astype(dtype))
        finufft.nufft1d1(x, C.astype(dtype), 8, eps=eps, upsampfac=upsampfac)
    assert [str(warning.message) for warning in caught] == 2 * warns * ["FINUFFT eps tolerance too small to achieve"]
    if warns:
        assert caught[0].filename == __file__
    reached = 2e-3 if upsampfac == 1.05 else 2e-5
    np.testing.assert_allclose(f, np.exp(1j * np.outer(np.arange(-4, 4), x)) @ C, atol=reached)


@pytest.mark.parametrize("dtype, real", [("complex64", np.float32), ("complex128", np.float64)])
def test_the_tolerance_that_aspire_asks_for_does_not_warn(dtype, real):
    """ASPIRE clamps its 1e-8 to the precision. Under -W error a warning would end it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for eps in (1e-8, 0):
            plan = finufft.Plan(2, (8, 7), 1, max(eps, np.finfo(real).eps), -1, dtype=dtype)
            plan.setpts(*[X.astype(real)] * 2)
            plan.execute(zeros(8, 7).astype(dtype))


def test_tolerance_that_the_kernel_cannot_reach_is_said_once_on_stderr(capfd):
    """It is over the precision of the numbers, and known when points are set."""
    plan = finufft.Plan(1, (8,), eps=1.3e-7, dtype="complex64")
    for said in (1, 0):
        plan.setpts(X.astype("f4"))
        assert capfd.readouterr().err.count("the tolerance 1.3e-07 cannot be reached") == said


def test_showwarn_0_prints_nothing(capfd):
    """The warnings of Python stay, and an error is printed where there is one."""
    for eps, upsampfac in ((1e-20, 0), (1e-15, 1.25)):
        with pytest.warns(Warning, match="eps tolerance too small to achieve") as caught:
            finufft.nufft1d1(X, C, 8, eps=eps, upsampfac=upsampfac, showwarn=0)
        assert len(caught) == 1
        assert capfd.readouterr().err == ""


def test_tolerance_below_the_precision_prints_a_warning_and_no_error(capfd):
    with pytest.warns(Warning, match="eps tolerance too small to achieve"):
        finufft.Plan(1, (8,), eps=1e-20)
    err = capfd.readouterr().err
    assert "[finufft] warning: the tolerance" in err and "error" not in err


def test_tolerances_of_clients_do_not_warn(recwarn):
    finufft.Plan(1, (8,), eps=1e-14)
    finufft.Plan(1, (8,), eps=1.2e-6, dtype="complex64")
    assert not recwarn.list


@pytest.mark.parametrize("dtype, means", [("single", "complex64"), ("float32", "complex64"), ("double", "complex128")])
def test_real_dtype_of_a_plan_warns(dtype, means):
    with pytest.warns(DeprecationWarning, match="Real dtypes are deprecated"):
        assert finufft.Plan(1, (8,), dtype=dtype).dtype == means


@pytest.mark.parametrize("dtype", ["int32", "complex256", None])
def test_wrong_dtype_of_a_plan(dtype):
    with pytest.raises(RuntimeError, match="must be single or double"):
        finufft.Plan(1, (8,), dtype=dtype)


WRONG_DTYPES = [
    lambda: plan_of().setpts(X.astype("f4"), X),
    lambda: plan_of().execute(C.real),
    lambda: plan_of().execute(C.astype("c8")),
    lambda: plan_of().execute(C, out=np.zeros((8, 7))),
    lambda: plan_of(3, 2).setpts(X, X, s=S, t=S.astype("f4")),
    # also beyond the plan's axes, and targets of a type 1
    lambda: plan_of(1, (8,), 1).setpts(X, X.astype("f4")),
    lambda: plan_of(1, (8,), 1).setpts(X, None, X.astype("f4")),
    lambda: plan_of(1, (8,), 1).setpts(X, s=S.astype("f4")),
    lambda: plan_of(3, 2).setpts(X, X, s=S, t=S, u=S.astype("f4")),
]


@pytest.mark.parametrize("call", WRONG_DTYPES)
def test_wrong_dtype_of_an_array(call):
    with pytest.raises(TypeError, match="does not have the correct dtype"):
        call()


SHAPES = {
    "n_modes dimension must be 1, 2, or 3": lambda: finufft.Plan(1, (8, 7, 6, 5)),
    "must be one number, the dimension": lambda: finufft.Plan(3, (2, 2)),
    "x must be a vector": lambda: plan_of().setpts(X[None], X),
    "y must be a vector": lambda: plan_of().setpts(X),
    "y must have same length as x": lambda: plan_of().setpts(X, X[:3]),
    "s must be a vector": lambda: plan_of(3, 2).setpts(X, X),
    "t must have same length as s": lambda: plan_of(3, 2).setpts(X, X, s=S, t=S[:3]),
    "c.ndim must be 1 or 2 if n_trans == 1": lambda: plan_of().execute(C[None, None]),
    "c.size must be same as x.size if n_trans == 1": lambda: plan_of().execute(C[:5]),
    "c.ndim must be 2 if n_trans > 1": lambda: plan_of(n_trans=2).execute(C),
    r"c.shape must be \(n_trans, x.size\) if n_trans > 1": lambda: plan_of(n_trans=2).execute(zeros(3, 20)),
    "problem dimension or the problem dimension": lambda: plan_of(2).execute(zeros(56)),
    r"f.shape\[0\] must be 1 for type 1 or 2": lambda: plan_of(2).execute(zeros(3, 8, 7)),
    "f.ndim must be same as the problem dimension . 1": lambda: plan_of(2, n_trans=2).execute(zeros(8, 7)),
    r"f.shape\[0\] must be n_trans": lambda: plan_of(2, n_trans=2).execute(zeros(3, 8, 7)),
    "f.shape is not consistent with n_modes": lambda: plan_of().execute(C, out=zeros(7, 8)),
    "f.size of must be nk if n_trans == 1": lambda: plan_of(3, 2).execute(C, out=zeros(14)),
    r"f.shape must be \(n_trans, nk\)": lambda: plan_of(3, 2, n_trans=2).execute(zeros(2, 20), out=zeros(2, 14)),
    "c.size must be divisible by x.size": lambda: finufft.nufft1d1(X, C[:5], 8),
    "must supply n_modes or output vector": lambda: finufft.nufft1d1(X, C),
    "n_modes must be a tuple or an integer": lambda: finufft.nufft1d1(X, C, 8.0),
    "elements of input n_modes must be integer": lambda: finufft.nufft1d1(X, C, (8.0,)),
    "n_modes dimension does not match problem dimension": lambda: finufft.nufft2d1(X, X, C, (8,)),
    "input n_modes and output n_modes do not match": lambda: finufft.nufft1d1(X, C, 9, out=zeros(8)),
    "input n_trans and output n_trans do not match": lambda: finufft.nufft1d1(X, C, out=zeros(2, 8)),
    "must be either dim": lambda: finufft.nufft2d2(X, X, zeros(8)),
    "setpts must be called before execute": lambda: finufft.Plan(1, (8,)).execute(C),
}


@pytest.mark.parametrize("text", SHAPES)
def test_wrong_shape(text):
    with pytest.raises(RuntimeError, match="^FINUFFT .*" + text):
        SHAPES[text]()


def test_gaps_in_an_input_warn_and_are_copied():
    with pytest.warns(UserWarning, match="requirement: C. Copying array"):
        plan = finufft.Plan(1, (8,))
        plan.setpts(X[::2])
    with pytest.warns(UserWarning, match="`data` .*requirement: C. Copying array"):
        f = plan.execute(C[::2])
    np.testing.assert_array_equal(f, finufft.nufft1d1(X[::2].copy(), C[::2].copy(), 8))


def test_gaps_in_an_output_are_refused():
    with pytest.raises(TypeError, match="following requirement: C"):
        plan_of().execute(C, out=zeros(8, 14)[:, ::2])
    out = zeros(8, 7)
    out.flags.writeable = False
    with pytest.raises(TypeError, match="following requirement: W"):
        plan_of().execute(C, out=out)


LIBRARY_ERRORS = {
    "opts.upsampfac not > 1.0": lambda: finufft.Plan(1, (8,), upsampfac=0.9),
    "number of transforms ntrans invalid": lambda: finufft.Plan(1, (8,), 0),
    "transform type invalid": lambda: finufft.Plan(4, (8,)),
    "number of dimensions dim invalid": lambda: finufft.Plan(3, 4),
}


@pytest.mark.parametrize("text", LIBRARY_ERRORS)
def test_library_error(text):
    with pytest.raises(RuntimeError, match="^FINUFFT " + text):
        LIBRARY_ERRORS[text]()


def test_code_1_only_warns():
    with pytest.warns(Warning, match="eps tolerance too small"):
        _interfaces.err_handler(1)
    for code in range(2, 28):
        with pytest.raises(RuntimeError):
            _interfaces.err_handler(code)


def test_keeps_references_to_points_under_their_names():
    x, y, z = X.copy(), X + 1, X + 2
    s, t, u = S.copy(), S + 1, S + 2
    plan = finufft.Plan(3, 3)
    plan.setpts(x, y, z, s, t, u)
    assert plan._xj is x and plan._yj is y and plan._zj is z
    assert plan._s is s and plan._t is t and plan._u is u
    plan = finufft.Plan(1, (8, 7))
    plan.setpts(x, y)
    assert plan._xj is x and plan._yj is y and plan._zj is None and (plan._nj, plan._nk) == (20, 0)


def test_private_members_that_clients_touch():
    assert finufft._interfaces.Plan is finufft.Plan
    assert _finufft.lib.omp_get_max_threads() >= 1
    assert finufft.__version__.startswith("2.5.") and not finufft.__version__ >= "2.6.0"


@pytest.mark.parametrize("suffix, real, data", [("", "f8", "c16"), ("f", "f4", "c8")])
def test_private_setpts_takes_arrays_and_addresses(suffix, real, data):
    """FINUFFT's own binding takes arrays, and clients hand over arrays of no dimension for axes that there are not."""
    setpts = getattr(_finufft, f"_setpts{suffix}")
    x, none = X.astype(real), np.array(0, real)
    plan = finufft.Plan(1, (8,), dtype=data)
    plan.setpts(x + 1)
    wanted = finufft.nufft1d1(x, C.astype(data), 8)
    for one, other in ((x, none), (x.ctypes.data, None)):
        assert setpts(plan._inner_plan, 20, one, other, other, 0, other, other, other) == 0
        np.testing.assert_array_equal(plan.execute(C.astype(data)), wanted)
    with pytest.raises(ctypes.ArgumentError, match="array must have data type"):
        setpts(plan._inner_plan, 20, X.astype("f4" if real == "f8" else "f8"), none, none, 0, none, none, none)


def test_struct_of_options():
    options = _finufft.FinufftOpts()
    _finufft._default_opts(ctypes.byref(options))
    assert ctypes.sizeof(options) == 96
    assert _finufft.FinufftOpts.upsampfac.offset == 40
    assert _finufft.FinufftOpts.allow_eps_too_small.offset == 68
    assert _finufft.FinufftOpts.fftw_lock_data.offset == 88
    assert (options.showwarn, options.spread_sort, options.spread_nthr_atomic) == (1, 2, -1)
