"""The name under which clients know the module of Plan and of the simple functions."""

from finufft._errors import err_handler
from finufft._options import setkwopts
from finufft._plan import Plan
from finufft._simple import (
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
    "Plan",
    "err_handler",
    "nufft1d1",
    "nufft1d2",
    "nufft1d3",
    "nufft2d1",
    "nufft2d2",
    "nufft2d3",
    "nufft3d1",
    "nufft3d2",
    "nufft3d3",
    "setkwopts",
]
