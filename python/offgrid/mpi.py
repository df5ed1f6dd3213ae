"""Transforms on the ranks of MPI, by liboffgrid_mpi and the communicators of mpi4py. Imported on its own.

    Plan(comm, type, shape)            offgrid.Plan with the points spread over the ranks: all modes on every rank, or slabs
    gram(comm, points, shape, weights) the operator A* W A of the points of all ranks
    use_device(comm)                   one GPU for each rank of a machine, round-robin

>>> from mpi4py import MPI
>>> import numpy as np, offgrid.mpi
>>> x, y = np.random.default_rng(MPI.COMM_WORLD.rank).uniform(-np.pi, np.pi, (2, 1000))
>>> plan = offgrid.mpi.Plan(MPI.COMM_WORLD, 1, (64, 48), tol=1e-9)
>>> plan.set_points((x, y))
>>> modes = plan.execute(np.ones(1000, complex))
>>> bool(abs(modes[32, 24] - 1000 * MPI.COMM_WORLD.size) < 1e-4)
True

The library is looked for in the package's folder, where pip puts it if MPI was found, then by the system's loader; the
environment variable OFFGRID_MPI_LIBRARY gives its path. docs/scaling.md says what is exchanged and what it costs.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int

from offgrid._mpi_gram import Gram as Gram
from offgrid._mpi_gram import gram
from offgrid._mpi_plan import Plan
from offgrid._mpi_ranks import MPI, library, ranks_of

__all__ = ["Plan", "gram", "use_device"]


def use_device(comm: MPI.Intracomm) -> int:
    """Makes the GPU of this rank's number on its machine the current one of this thread, round-robin where there are fewer GPUs
    than ranks. Gives its number, or -1 where there is no GPU or liboffgrid_mpi was built without CUDA. Arrays must be made
    there: hand the number to cupy (cupy.cuda.Device(number).use()) or torch (torch.cuda.set_device(number)).

    >>> from mpi4py import MPI
    >>> import offgrid.mpi
    >>> offgrid.mpi.use_device(MPI.COMM_WORLD) >= -1
    True
    """
    device = c_int(-1)
    library.call("offgrid_mpi_use_device", ranks_of(comm).handle, ctypes.byref(device))
    return device.value
