"""offgrid: nonuniform FFTs of types 1 and 2 in one, two and three dimensions, on CPUs and NVIDIA GPUs.

>>> import numpy as np, offgrid
>>> x, y = np.random.default_rng(1).uniform(-np.pi, np.pi, (2, 1000))
>>> modes = offgrid.nufft1((x, y), np.ones(1000, complex), (64, 48), tol=1e-9)
>>> strengths = offgrid.nufft2((x, y), modes, tol=1e-9)

Arrays come from numpy, cupy, torch, jax or anything with DLPack; results are of the same kind, on the same device.
`offgrid.torch` and `offgrid.jax` have gradients; they are imported on their own.
"""

from offgrid import _core
from offgrid._cache import clear_cache
from offgrid._error import Error, Status
from offgrid._operator import LinearOperator
from offgrid._plan import Plan
from offgrid._transforms import nufft1, nufft2

__version__ = _core.version()
__all__ = ["Error", "LinearOperator", "Plan", "Status", "clear_cache", "devices", "nufft1", "nufft2", "options"]


def options() -> str:
    """Every option, its values and its meaning, one a line. Sizes for an axis (bin1, ..) count from the last axis.

    >>> import offgrid
    >>> "mode_order (centred|fft)" in offgrid.options()
    True
    """
    return _core.options_help()


def devices() -> str:
    """The engines that are built in and the devices that they find, one a line.

    >>> import offgrid
    >>> offgrid.devices().startswith("cpu")
    True
    """
    return _core.devices()
