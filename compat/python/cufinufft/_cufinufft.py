"""The C library libcufinufft.so in this folder, by ctypes: its functions, its handles and its struct of options.

It loads where there is no GPU and no CUDA; plans cannot be made there.
"""

import ctypes
from ctypes import POINTER, c_double, c_float, c_int, c_int64, c_void_p
from pathlib import Path

c_int64_p = POINTER(c_int64)


def _load(name: str) -> ctypes.CDLL:
    path = Path(__file__).parent / name
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"cufinufft (of offgrid) could not load {path}: {error}") from error


lib = _load("libcufinufft.so")


class NufftOpts(ctypes.Structure):
    """The options, ``cufinufft_opts`` of cufinufft.h in versions 2.5 and 2.6: 88 bytes."""

    _fields_ = [
        ("upsampfac", c_double),
        ("gpu_method", c_int),
        ("gpu_sort", c_int),
        ("gpu_binsizex", c_int),
        ("gpu_binsizey", c_int),
        ("gpu_binsizez", c_int),
        ("gpu_obinsizex", c_int),
        ("gpu_obinsizey", c_int),
        ("gpu_obinsizez", c_int),
        ("gpu_maxsubprobsize", c_int),
        ("gpu_kerevalmeth", c_int),
        ("gpu_spreadinterponly", c_int),
        ("gpu_maxbatchsize", c_int),
        ("gpu_device_id", c_int),
        ("gpu_stream", c_void_p),
        ("modeord", c_int),
        ("gpu_np", c_int),
        ("debug", c_int),
    ]


CufinufftPlan = c_void_p
CufinufftPlanf = c_void_p
CufinufftPlan_p = POINTER(CufinufftPlan)
CufinufftPlanf_p = POINTER(CufinufftPlanf)
NufftOpts_p = POINTER(NufftOpts)


def _bind(name: str, *argtypes: type) -> "ctypes._NamedFuncPointer":
    function = lib[name]
    function.argtypes = argtypes
    function.restype = c_int
    return function


_default_opts = _bind("cufinufft_default_opts", NufftOpts_p)
_default_opts.restype = None

_make_plan_types = (c_int, c_int, c_int64_p, c_int, c_int)  # type, dim, n_modes, iflag, n_trans; then the tolerance
_make_plan = _bind("cufinufft_makeplan", *_make_plan_types, c_double, CufinufftPlan_p, NufftOpts_p)
_make_planf = _bind("cufinufftf_makeplan", *_make_plan_types, c_float, CufinufftPlanf_p, NufftOpts_p)

# plan, the number of points and their three addresses, the number of targets (an int of the C function) and theirs
_set_pts_types = (c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p)
_set_pts = _bind("cufinufft_setpts", *_set_pts_types)
_set_ptsf = _bind("cufinufftf_setpts", *_set_pts_types)

_exec_plan = _bind("cufinufft_execute", c_void_p, c_void_p, c_void_p)
_exec_planf = _bind("cufinufftf_execute", c_void_p, c_void_p, c_void_p)
_destroy_plan = _bind("cufinufft_destroy", c_void_p)
_destroy_planf = _bind("cufinufftf_destroy", c_void_p)
