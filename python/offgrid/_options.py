"""The options of the library and the numbers of a plan, for signatures and for checkers of types.

Written by docs/options_python.py (./dev docs) from the library's table of options; do not edit.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union


class Options(TypedDict, total=False):
    """Keywords of nufft1, nufft2 and Plan."""

    sign: int
    """sign of i in the exponent; 0: -1 for type 1, +1 for type 2"""
    mode_order: Literal["centred", "centered", "fft"]
    """modes from -N/2 up ("centered" is taken too), or from 0 up as an FFT has them"""
    strict: Union[bool, Literal["off", "on"]]
    """refuse a tolerance that cannot be reached"""
    deterministic: Union[bool, Literal["off", "on"]]
    """the same bits from run to run; slower spreading on a GPU, on a CPU with a fixed number of threads always so"""
    points_hint: int
    """points to expect, for the choice of the grid; 0: as many as modes"""
    upsampling: float
    """sigma, grid cells a mode, over 1; 0: chosen"""
    width: int
    """width of the kernel in cells, from 2; 0: chosen"""
    window: Literal["auto", "prolate", "semicircle"]
    """the kernel's shape; semicircle is the paper's, with its width rule"""
    batch: int
    """vectors worked on together; 0: chosen"""
    threads: int
    """threads of the CPU engine; 0: what OpenMP would take"""
    method: Literal["auto", "gm", "gm_sort", "sm", "sweep", "owner"]
    """on a GPU: the paper's GM, GM-sort and SM, or by tensor cores a sweep or owners of tiles"""
    bin1: int
    """on a GPU, cells of a bin along x; 0: chosen"""
    bin2: int
    """the same along y"""
    bin3: int
    """the same along z"""
    subproblem: int
    """on a GPU, points a block spreads; 0: chosen"""
    shared_bytes: int
    """on a GPU, shared memory that a block may take; 0: all that there is"""


DEFAULTS: dict[str, Any] = {
    "sign": 0,
    "mode_order": "centred",
    "strict": False,
    "deterministic": False,
    "points_hint": 0,
    "upsampling": 0.0,
    "width": 0,
    "window": "auto",
    "batch": 0,
    "threads": 0,
    "method": "auto",
    "bin1": 0,
    "bin2": 0,
    "bin3": 0,
    "subproblem": 0,
    "shared_bytes": 0,
}

Number = Literal[
    "upsampling",
    "width",
    "grid1",
    "grid2",
    "grid3",
    "expected_error",
    "reachable_tolerance",
    "workspace_bytes",
    "memory_bytes",
    "peak_bytes",
    "points",
    "transforms",
]
