"""The C library libfinufft.so in this folder, by ctypes: its functions, its handles and its struct of options.

``lib`` also finds what the library itself links, such as ``omp_get_max_threads`` of OpenMP, which clients call.
"""

import ctypes
from ctypes import POINTER, c_double, c_float, c_int, c_longlong, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

c_longlong_p = POINTER(c_longlong)


def _load(name: str) -> ctypes.CDLL:
    path = Path(__file__).parent / name
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"finufft (of offgrid) could not load {path}: {error}") from error


lib = _load("libfinufft.so")


class FinufftOpts(ctypes.Structure):
    """The options, ``finufft_opts`` of finufft.h in version 2.6: 96 bytes, as in 2.5, where one of them was padding."""

    _fields_ = [
        ("modeord", c_int),
        ("spreadinterponly", c_int),
        ("debug", c_int),
        ("spread_debug", c_int),
        ("showwarn", c_int),
        ("nthreads", c_int),
        ("fftw", c_int),
        ("spread_sort", c_int),
        ("spread_kerevalmeth", c_int),
        ("spread_kerpad", c_int),
        ("upsampfac", c_double),
        ("spread_thread", c_int),
        ("maxbatchsize", c_int),
        ("spread_nthr_atomic", c_int),
        ("spread_max_sp_size", c_int),
        ("spread_kerformula", c_int),
        ("allow_eps_too_small", c_int),
        ("fftw_lock_fun", c_void_p),
        ("fftw_unlock_fun", c_void_p),
        ("fftw_lock_data", c_void_p),
    ]


FinufftPlan = c_void_p
FinufftPlanf = c_void_p
FinufftPlan_p = POINTER(FinufftPlan)
FinufftPlanf_p = POINTER(FinufftPlanf)
FinufftOpts_p = POINTER(FinufftOpts)


def _bind(name: str, *argtypes: type) -> "ctypes._NamedFuncPointer":
    function = lib[name]
    function.argtypes = argtypes
    function.restype = c_int
    return function


_default_opts = _bind("finufft_default_opts", FinufftOpts_p)
_default_opts.restype = None

_makeplan_types = (c_int, c_int, c_longlong_p, c_int, c_int)  # type, dim, n_modes, iflag, n_trans; then the tolerance
_makeplan = _bind("finufft_makeplan", *_makeplan_types, c_double, FinufftPlan_p, FinufftOpts_p)
_makeplanf = _bind("finufftf_makeplan", *_makeplan_types, c_float, FinufftPlanf_p, FinufftOpts_p)


class _Doubles:
    """Coordinates as an argument: numpy's array, which FINUFFT's own binding takes, or an address, or None."""

    _array: Any = np.ctypeslib.ndpointer(c_double)

    @classmethod
    def from_param(cls, value: Any) -> Any:
        return cls._array.from_param(value) if isinstance(value, np.ndarray) else c_void_p.from_param(value)


class _Floats(_Doubles):
    _array = np.ctypeslib.ndpointer(c_float)


def _setpts_types(axis: type) -> tuple[type, ...]:
    """plan, the number of points and their three axes, the number of targets and theirs"""
    return c_void_p, c_longlong, axis, axis, axis, c_longlong, axis, axis, axis


_setpts = _bind("finufft_setpts", *_setpts_types(_Doubles))
_setptsf = _bind("finufftf_setpts", *_setpts_types(_Floats))

_execute = _bind("finufft_execute", c_void_p, c_void_p, c_void_p)
_executef = _bind("finufftf_execute", c_void_p, c_void_p, c_void_p)
_execute_adjoint = _bind("finufft_execute_adjoint", c_void_p, c_void_p, c_void_p)
_execute_adjointf = _bind("finufftf_execute_adjoint", c_void_p, c_void_p, c_void_p)
_destroy = _bind("finufft_destroy", c_void_p)
_destroyf = _bind("finufftf_destroy", c_void_p)


def _offgrid_version() -> str:
    if not hasattr(lib, "offgrid_version"):
        return "unknown"  # offgrid is linked into libfinufft.so, which shows FINUFFT's functions only
    function = lib["offgrid_version"]  # of liboffgrid.so, which libfinufft.so links
    function.restype = ctypes.c_char_p
    text: bytes = function()
    return text.decode()


offgrid_version = _offgrid_version()
