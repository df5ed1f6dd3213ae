"""offgrid: nonuniform FFTs of types 1, 2 and 3 in one, two and three dimensions, on CPUs and NVIDIA GPUs.

    nufft1(points, strengths, shape)   points to modes      modes[k] = sum over j of strengths[j] exp(-i k.x[j])
    nufft2(points, modes)              modes to points      strengths[j] = sum over k of modes[k] exp(+i k.x[j])
    nufft3(points, strengths, targets) points to targets    values[k] = sum over j of strengths[j] exp(+i s[k].x[j])
    Plan                               the same for many data on the same points, and the adjoints
    spread(points, strengths, shape)   points to the cells of a grid, without a transform
    interpolate(points, cells)         cells to points, the transpose of spread
    gram(points, shape, weights)       the operator A* W A, A of type 2: what normal equations have
    inverse(values, points, shape)     modes from values at points, by least squares; density_weights(points, shape)
    LinearOperator(plan)               for the solvers of scipy and cupyx
    options(), devices()               every option explained; where transforms can run
    offgrid.torch, offgrid.jax         nufft1, nufft2 and nufft3 with gradients; imported on their own
    offgrid.mpi                        plans on the ranks of MPI, with mpi4py; imported on its own

>>> import numpy as np, offgrid
>>> x, y = np.random.default_rng(1).uniform(-np.pi, np.pi, (2, 1000))
>>> modes = offgrid.nufft1((x, y), np.ones(1000, complex), (64, 48), tol=1e-9)
>>> strengths = offgrid.nufft2((x, y), modes, tol=1e-9)

Arrays come from numpy, cupy, torch, jax or anything with DLPack; results are of the same kind, on the same device.

Errors are offgrid.Error, with a status (offgrid.Status); wrong types and unknown keywords are offgrid.ArgumentTypeError, a
TypeError, and wrong values offgrid.ArgumentValueError, a ValueError. A tolerance out of reach is an offgrid.AccuracyWarning.
"""

from offgrid import _core
from offgrid._cache import clear_cache
from offgrid._error import AccuracyWarning as AccuracyWarning
from offgrid._error import ArgumentTypeError as ArgumentTypeError
from offgrid._error import ArgumentValueError as ArgumentValueError
from offgrid._error import Error as Error
from offgrid._error import Status as Status
from offgrid._gram import Gram as Gram
from offgrid._gram import gram
from offgrid._operator import LinearOperator
from offgrid._plan import Plan
from offgrid._solve import conjugate_gradients, density_weights, inverse
from offgrid._transforms import interpolate, nufft1, nufft2, nufft3, spread

__version__ = _core.version()
# What help(offgrid) shows. The classes of errors are public too; their inherited methods would fill pages there.
__all__ = ["LinearOperator", "Plan", "clear_cache", "conjugate_gradients", "density_weights", "devices", "gram",
           "interpolate", "inverse", "nufft1", "nufft2", "nufft3", "options", "spread"]


def options() -> str:
    """Every option, its values and its meaning, one in each line. bin1, bin2, bin3 count from the last axis.

    >>> import offgrid
    >>> "mode_order (centred|fft)" in offgrid.options()
    True
    """
    return _core.options_help()


def devices() -> str:
    """The engines that are built in and the devices that they find, one in each line.

    >>> import offgrid
    >>> offgrid.devices().startswith("cpu")
    True
    """
    return _core.devices()
