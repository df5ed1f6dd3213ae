"""Nonuniform FFTs on the CPU: offgrid under the names of FINUFFT's Python package.

``nufft1d1`` .. ``nufft3d3`` transform in one call, and ``Plan`` keeps what several transforms share. The names, the
arguments, the defaults and the errors are FINUFFT's; the transforms are offgrid's. ``offgrid_version`` tells the two
apart. docs/from-finufft.md of offgrid says what differs.
"""

from finufft._finufft import offgrid_version
from finufft._interfaces import (
    Plan,
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
]

# The version of FINUFFT whose behaviour this package has, read by clients. It is the newest one on PyPI: what clients
# are tested with, and what pip takes for "finufft". In 2.6 a tolerance out of reach becomes an error, in 2.5 it warns.
__version__ = "2.5.1"
