"""The options of the library and the numbers of a plan, for signatures and for checkers of types.

Written by docs/options_python.py (./dev docs) from the library's table of options; do not edit.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union


class Options(TypedDict, total=False):
    """Keywords of nufft1, nufft2, nufft3 and Plan."""

    sign: int
    """sign of i in the exponent; 0, the default, is -1 for type 1 and +1 for types 2 and 3"""
    mode_order: Literal["centred", "centered", "fft"]
    """centred (or centered): k runs from -floor(N/2) up; fft: k runs from 0 up, then through the negative ones, as in an FFT"""
    strict: Union[bool, Literal["off", "on"]]
    """refuse a tolerance that cannot be reached"""
    deterministic: Union[bool, Literal["off", "on"]]
    """equal results, bit by bit, in every run. On a GPU this makes spreading slower. On the CPU it changes nothing: results are always equal for the same number of threads"""
    spread_only: Union[bool, Literal["off", "on"]]
    """only spread (type 1) or interpolate (type 2): the plan's sizes are the cells of the grid, without FFT and deconvolution. upsampling, 2 by default, then is a parameter of the kernel; sign and mode_order have no effect"""
    points_hint: int
    """how many points to expect: the grid is then chosen when the plan is made; 0: it is chosen when points are set"""
    upsampling: float
    """sigma, how much finer the internal grid is: it has about sigma N cells along an axis of N modes. A larger sigma makes the FFT slower and the kernel narrower; 0: the library chooses"""
    width: int
    """how many cells of the grid the kernel covers along each axis; 0: the library chooses"""
    window: Literal["auto", "prolate", "semicircle"]
    """the kernel's shape; semicircle is the one of the cuFINUFFT paper, with the paper's rule for the width"""
    batch: int
    """how many vectors are worked on together; 0: the library chooses"""
    threads: int
    """threads of the CPU engine; 0: as many as OpenMP would take"""
    gram: Literal["auto", "convolution", "pair"]
    """of a Gram operator: how it is applied, as a convolution on a grid of twice the modes or as a pair of transforms; auto takes what costs less. Other plans do not heed it"""
    type3: Literal["auto", "grid", "direct"]
    """of a type 3: by two grids, or direct, which sums over all pairs of points and targets; auto takes what costs less. Other plans do not heed it, nor does one that is made from boxes"""
    method: Literal["auto", "gm", "gm_sort", "sm", "sweep", "owner"]
    """on a GPU: how points are spread and interpolated. gm, gm_sort and sm are the paper's methods; sweep and owner use tensor cores"""
    bin1: int
    """on a GPU: cells of a bin along x, the axis that is contiguous in memory; 0: the library chooses"""
    bin2: int
    """on a GPU: the same along y"""
    bin3: int
    """on a GPU: the same along z, the slowest axis"""
    subproblem: int
    """on a GPU: how many points one thread block spreads; 0: the library chooses"""
    shared_bytes: int
    """on a GPU: how much shared memory one thread block may take; 0: all that there is"""


DEFAULTS: dict[str, Any] = {
    "sign": 0,
    "mode_order": "centred",
    "strict": False,
    "deterministic": False,
    "spread_only": False,
    "points_hint": 0,
    "upsampling": 0.0,
    "width": 0,
    "window": "auto",
    "batch": 0,
    "threads": 0,
    "gram": "auto",
    "type3": "auto",
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
    "targets",
    "transforms",
]
