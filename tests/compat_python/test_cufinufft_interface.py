"""Package cufinufft without a GPU: what it says to clients, and what it hands to the library.

The library's functions are recorded in place of being called, since no plan can be made here; arrays on the CPU stand
in for those of a GPU by their ``__cuda_array_interface__``. test_cufinufft_gpu.py computes.
"""

import ctypes
import inspect

import numpy as np
import pytest

import cufinufft
import finufft
from cufinufft import _compat, _cufinufft


class Array:
    """An array of the interface and nothing else, made as cupy makes its own: Array(shape, dtype=)."""

    def __init__(self, shape, dtype="f4", host=None):
        self.host = np.zeros(shape, dtype) if host is None else host

    shape = property(lambda self: self.host.shape)
    dtype = property(lambda self: self.host.dtype)
    address = property(lambda self: self.host.ctypes.data)

    @property
    def __cuda_array_interface__(self):
        return {**self.host.__array_interface__, "strides": self.host.strides, "version": 3}

    def __getitem__(self, index):
        return Array((), host=self.host[index])

    def copy(self, order="C"):
        return Array((), host=self.host.copy(order))


@pytest.fixture
def calls(monkeypatch):
    """The calls of the library, as tuples of a name and the arguments; ``status`` is what they return."""

    class Calls(list):
        status = 0

    calls = Calls()

    def record(name):
        def function(*arguments):
            calls.append((name.rstrip("f") if name != "_make_planf" else "_make_plan", *arguments))
            return calls.status

        monkeypatch.setattr(_cufinufft, name, function)

    for name in ("_make_plan", "_set_pts", "_exec_plan", "_destroy_plan"):
        record(name)
        record(name + "f")
    return calls


def plan_of(nufft_type=1, n_modes=(8, 7), points=2, n_trans=1, **options):
    plan = cufinufft.Plan(nufft_type, n_modes, n_trans, **options)
    plan.setpts(*[Array(20)] * points, **({"s": Array(15), "t": Array(15)} if nufft_type == 3 else {}))
    return plan


def complex_(*shape):
    return Array(shape, "c8")


def gpu_count():
    """How many GPUs the driver has; 0 where it is missing."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int()
    found = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
    return count.value if found else 0


def test_import_and_errors_without_a_gpu(capfd):
    """Nothing but a RuntimeError where there is no GPU or no CUDA engine; with both, plans are made."""
    try:
        plan = cufinufft.Plan(1, (8, 7))
    except RuntimeError as error:
        assert str(error) == "Error creating plan."
        words = capfd.readouterr().err
        assert gpu_count() == 0 or any(why in words for why in ("built without its CUDA engine", "code for"))
    else:
        assert plan.dim == 2


def test_properties(calls):
    plan = cufinufft.Plan(1, np.array([8, 7]), 3)
    assert (plan.type, plan.dtype, plan.dim, plan.n_modes, plan.n_trans) == (1, np.complex64, 2, (8, 7), 3)
    assert isinstance(plan.n_modes, tuple)
    name, nufft_type, dim, sizes, sign, transforms, eps, *_ = calls[0]
    assert (name, nufft_type, dim, list(sizes), sign, transforms, eps) == ("_make_plan", 1, 2, [7, 8], 1, 3, 1e-6)


def test_default_signs(calls):
    for nufft_type, sign in ((1, 1), (2, -1), (3, 1)):
        cufinufft.Plan(nufft_type, 2 if nufft_type == 3 else (8, 7))
        assert calls[-1][4] == sign


def test_signatures():
    def names(function):
        return [(p.name, p.default) for p in inspect.signature(function).parameters.values() if p.name != "kwargs"]

    empty = inspect.Parameter.empty
    for dim in (1, 2, 3):
        points = [(name, empty) for name in "xyz"[:dim]]
        targets = [(name, empty) for name in "stu"[:dim]]
        functions = [getattr(cufinufft, f"nufft{dim}d{t}") for t in (1, 2, 3)]
        common = [("out", None), ("eps", 1e-6)]
        assert names(functions[0]) == [*points, ("data", empty), ("n_modes", None), *common, ("isign", 1)]
        assert names(functions[1]) == [*points, ("data", empty), *common, ("isign", -1)]
        assert names(functions[2]) == [*points, ("data", empty), *targets, *common, ("isign", 1)]
    assert dict(names(cufinufft.Plan))["dtype"] == "complex64"
    assert dict(names(cufinufft.Plan.setpts))["x"] is empty


def test_precision_of_a_simple_call_is_that_of_the_data(calls):
    result = cufinufft.nufft1d1(Array(20, "f8"), Array(20, "c16"), 8)
    assert result.dtype == np.complex128
    with pytest.raises(TypeError, match="does not have the correct dtype"):
        cufinufft.nufft1d1(Array(20, "f8"), complex_(20), 8)
    with pytest.raises(TypeError, match="Expected complex64 or complex128."):
        cufinufft.nufft1d1(Array(20), Array(20), 8)


def test_one_integer_means_one_dimension(calls):
    assert cufinufft.Plan(1, 8).n_modes == (8,)
    with pytest.raises(TypeError, match="is 1, but `y` was specified"):
        cufinufft.nufft2d1(Array(20), Array(20), complex_(20), 8)


def test_unknown_option():
    for name in ("foo", "fftw_lock_fun"):
        with pytest.raises(TypeError, match=f"Invalid option '{name}'"):
            cufinufft.Plan(1, (8,), **{name: None})


def test_options_reach_the_library(calls):
    plan = cufinufft.Plan(1, (8,), gpu_method=1, gpu_stream=64, upsampfac=1.25, gpu_spreadinterponly=1)
    options = plan._opts
    assert (options.gpu_method, options.gpu_stream, options.gpu_spreadinterponly) == (1, 64, 1)
    assert options.upsampfac == 1.25


def test_real_dtype_of_a_plan_warns(calls):
    """cunuSHT makes its plans with the dtype of the points."""
    for dtype, means, name in (("float32", "complex64", "_make_planf"), (np.float64, "complex128", "_make_plan")):
        with pytest.warns(DeprecationWarning, match=f"Real dtypes .*Converting to {means}") as caught:
            plan = cufinufft.Plan(1, (8,), dtype=dtype)
        assert plan.dtype == means and plan._make_plan is getattr(_cufinufft, name)
        assert caught[0].filename == __file__
    plan.setpts(Array(20, "f8"))
    assert plan.execute(Array(20, "c16")).dtype == np.complex128


def test_wrong_dtype_of_a_plan():
    for dtype in ("int32", "complex256", None):
        with pytest.raises(TypeError, match="Expected complex64 or complex128."):
            cufinufft.Plan(1, (8,), dtype=dtype)


SHAPES = {
    "`x` must be a vector": lambda: plan_of().setpts(Array((4, 5)), Array(20)),
    r"`y` must be of shape \(20,\)": lambda: plan_of().setpts(Array(20), Array(3)),
    "is 2, but `z` was specified": lambda: plan_of().setpts(Array(20), Array(20), Array(20)),
    r"`data` must be of shape \(1, 20\)": lambda: plan_of().execute(complex_(5)),
    r"`data` must be of shape \(3, 20\)": lambda: plan_of(n_trans=3).execute(complex_(2, 20)),
    r"`out` must be of shape \(8, 7\)": lambda: plan_of().execute(complex_(20), complex_(7, 8)),
    r"`out` must be of shape \(15,\)": lambda: plan_of(3, 2).execute(complex_(20), complex_(14)),
    "`x` does not have the correct dtype": lambda: plan_of().setpts(Array(20, "f8"), Array(20)),
    "`data` does not have the correct dtype": lambda: plan_of().execute(Array(20, "c16")),
    "following requirement: C": lambda: plan_of().execute(complex_(20), complex_(8, 14)[:, ::2]),
    "Invalid GPU array implementation": lambda: plan_of().setpts(np.zeros(20, "f4"), np.zeros(20, "f4")),
}


@pytest.mark.parametrize("text", SHAPES)
def test_wrong_arrays(calls, text):
    with pytest.raises(TypeError, match=text):
        SHAPES[text]()


def test_wrong_dimensions():
    with pytest.raises(ValueError, match="Only dimensions 1, 2, and 3 supported"):
        cufinufft.Plan(1, (8, 7, 6, 5))
    with pytest.raises(ValueError, match="must be a single number, the dimension"):
        cufinufft.Plan(3, (8, 7))
    with pytest.raises(ValueError, match="Invalid n_modes 'None'"):
        cufinufft.nufft1d1(Array(20), complex_(20))


def test_gaps_in_an_input_warn_and_are_copied(calls):
    plan = cufinufft.Plan(1, (8,))
    with pytest.warns(UserWarning, match="requirement: C. Copying array"):
        plan.setpts(Array(20)[::2])
    assert calls[-1][2] == 10


def test_gaps_in_an_input_of_pycuda_are_refused(calls):
    """pycuda's arrays cannot be copied into C order by their own means."""
    gpu_array = type("GPUArray", (Array,), {"__module__": "pycuda.gpuarray"})
    with pytest.raises(TypeError, match="`x` does not satisfy the following requirement: C"):
        cufinufft.Plan(1, (8,)).setpts(gpu_array((), host=np.zeros(20, "f4")[::2]))
    with pytest.raises(TypeError, match="`data` does not satisfy the following requirement: C"):
        plan_of().execute(gpu_array((), host=np.zeros(40, "c8")[::2]))
    plan_of().execute(gpu_array(20, "c8"))
    assert calls[-1][0] == "_exec_plan"


def test_library_errors(calls):
    plan = plan_of()
    calls.status = 15
    for text, call in (
        ("Error creating plan.", lambda: cufinufft.Plan(1, (8,))),
        ("Error setting non-uniform points.", lambda: plan.setpts(Array(20), Array(20))),
        ("Error executing plan.", lambda: plan.execute(complex_(20))),
    ):
        with pytest.raises(RuntimeError) as caught:
            call()
        assert str(caught.value) == text
        assert str(caught.value.__cause__) == "code 15: CUDA failed: is there a GPU that can be used?"
    calls.status = 0
    with pytest.raises(RuntimeError) as caught:
        cufinufft.Plan(1, (8,)).execute(complex_(20))
    assert str(caught.value) == "Error executing plan."


def test_order_of_coordinates_and_references(calls):
    x, y, s, t = Array(20), Array(20), Array(15), Array(15)
    plan = cufinufft.Plan(3, 2)
    plan.setpts(x, y, s=s, t=t)
    assert calls[-1][2:] == (20, y.address, x.address, None, 15, t.address, s.address, None)
    assert plan._references == [x, y, s, t] and (plan._nj, plan._nk) == (20, 15)


def test_order_of_data(calls):
    for nufft_type, shape in ((1, (20,)), (2, (8, 7))):
        data = complex_(*shape)
        out = plan_of(nufft_type).execute(data)
        executed = next(call for call in reversed(calls) if call[0] == "_exec_plan")
        pair = (data.address, out.address)
        assert executed[2:] == (pair if nufft_type == 1 else pair[::-1])


def test_private_members_that_mri_nufft_touches(calls):
    plan = plan_of()
    pointers = [_compat.get_array_ptr(Array(20)) for _ in "xy"]
    assert plan._setpts(plan._plan, 20, *pointers, None, 0, None, None, None) == 0


def test_class_of_versions_1(calls):
    """spinifel: f32 with eps 1e-12, set_pts(z, y, x), execute(c, f) with both arrays."""
    plan = cufinufft.cufinufft(2, (4, 5, 6), 1, 1e-12, isign=-1, dtype=np.float32, gpu_method=1)
    z, y, x = Array(20), Array(20), Array(20)
    plan.set_pts(z, y, x)
    assert calls[-1][3:6] == (x.address, y.address, z.address) and plan.references == [z, y, x]
    c, f = complex_(20), complex_(4, 5, 6)
    assert plan.execute(c, f) is None
    assert calls[-1][2:] == (c.address, f.address)
    with pytest.raises(TypeError, match="dtypes do not match"):
        plan.set_pts(Array(20, "f8"), y, x)
    with pytest.raises(TypeError, match="expects complex64 dtype"):
        plan.execute(Array(20, "c16"), f)
    with pytest.raises(TypeError, match="Expected np.float32 or np.float64."):
        cufinufft.cufinufft(1, (4,), dtype=np.complex64)


def test_points_of_versions_1_have_any_shape(calls):
    plan = cufinufft.cufinufft(1, (4, 5))
    y, x = Array((4, 5)), Array(20)
    plan.set_pts(y, x)
    assert calls[-1][2:6] == (20, x.address, y.address, None) and plan.references == [y, x]
    plan.execute(complex_(2, 10), complex_(4, 5))
    for wrong, text in (
        ((y, Array(19)), "Number of elements in kx and ky must be equal"),
        ((y,), "Plan dimension is 2, but ky was missing"),
        ((y, x, x), "Plan dimension is 2, but kz was given"),
    ):
        with pytest.raises(TypeError, match=text):
            plan.set_pts(*wrong)
    with pytest.warns(UserWarning, match="`ky` .*requirement: C. Copying array") as caught:
        plan.set_pts(y, Array(40)[::2])
    assert caught[0].filename == __file__


def test_struct_of_options():
    options = _cufinufft.NufftOpts()
    _cufinufft._default_opts(ctypes.byref(options))
    assert ctypes.sizeof(options) == 88
    assert _cufinufft.NufftOpts.gpu_stream.offset == 64 and _cufinufft.NufftOpts.debug.offset == 80
    assert (options.gpu_sort, options.gpu_maxsubprobsize, options.gpu_kerevalmeth) == (1, 1024, 1)


def test_version():
    assert cufinufft.__version__ == finufft.__version__
