"""Nonuniform FFTs on NVIDIA GPUs: offgrid under the names of cuFINUFFT's Python package.

``nufft1d1`` .. ``nufft3d3`` transform in one call, and ``Plan`` keeps what several transforms share; the class
``cufinufft`` is the one of versions 1.x. Arrays may be cupy's, torch's, numba's, pycuda's or anything's with
``__cuda_array_interface__``. docs/from-finufft.md of offgrid says what differs from cuFINUFFT.
"""

from cufinufft._legacy import cufinufft
from cufinufft._plan import Plan
from cufinufft._simple import (
    nufft1d1,
    nufft1d2,
    nufft1d3,
    nufft2d1,
    nufft2d2,
    nufft2d3,
    nufft3d1,
    nufft3d2,
    nufft3d3,
)

__all__ = [
    "nufft1d1",
    "nufft1d2",
    "nufft1d3",
    "nufft2d1",
    "nufft2d2",
    "nufft2d3",
    "nufft3d1",
    "nufft3d2",
    "nufft3d3",
    "Plan",
    "cufinufft",
]

__version__ = "2.5.1"  # that of finufft/__init__.py, which says why
