"""Keyword options: into the fields of FinufftOpts, with FINUFFT's warnings for names that are unknown or deprecated."""

import warnings
from ctypes import byref
from typing import Any

from finufft._finufft import FinufftOpts, _default_opts

FORMULAS = range(1, 10)  # values of spread_kerformula that FINUFFT 2.5 takes, each a kernel of its own

_names = {name for name, _ in FinufftOpts._fields_}
_locks = ("fftw_lock_fun", "fftw_unlock_fun", "fftw_lock_data")
_deprecated = ("spread_thread", "spread_kerevalmeth", "spread_kerpad")


def default_options() -> FinufftOpts:
    options = FinufftOpts()
    _default_opts(byref(options))
    return options


def setkwopts(opt: FinufftOpts, **kwargs: Any) -> None:
    """Sets the named fields of ``opt``. An unknown name changes nothing and warns, one of FFTW's locks is refused."""
    for name, value in kwargs.items():
        if name in _locks:
            raise TypeError(f"Invalid option '{name}': FFTW locks are not exposed in Python")
        if name not in _names:
            warnings.warn(f'Warning: finufft_opts does not have attribute "{name}"', Warning, stacklevel=4)
            continue
        if name in _deprecated:
            warnings.warn(f"finufft_opts: {name} is deprecated and has no effect", DeprecationWarning, stacklevel=4)
        setattr(opt, name, value)
