"""A right program with offgrid.mpi: accepted by mypy --strict and pyright, with the types that it asserts."""

import numpy as np
import numpy.typing as npt
import offgrid.mpi
from mpi4py import MPI
from typing_extensions import assert_type

x: npt.NDArray[np.float64] = np.linspace(-3, 3, 10)
strengths: npt.NDArray[np.complex128] = np.ones(10, np.complex128)

with offgrid.mpi.Plan(MPI.COMM_WORLD, 1, (6, 4), 1e-9, layout="slabs", mode_order="fft") as plan:
    assert_type(plan, offgrid.mpi.Plan)
    plan.set_points((x, x))
    assert_type(plan.execute(strengths), npt.NDArray[np.complex128])
    assert_type(plan.local_modes, tuple[slice, ...])
    assert_type(plan.get("seconds_sum"), float)

type3 = offgrid.mpi.Plan(MPI.COMM_SELF, 3, 1, result="nowhere", dtype=np.complex128)
type3.set_points(x, x)
assert_type(type3.adjoint(strengths, out=np.empty(10, np.complex128)), npt.NDArray[np.complex128])

gram = offgrid.mpi.gram(MPI.COMM_WORLD, (x, x), (6, 4), weights=x, tol=1e-9, threads=2)
assert_type(gram(np.ones((6, 4), np.complex128)), npt.NDArray[np.complex128])
offgrid.LinearOperator(gram)
assert_type(offgrid.mpi.use_device(MPI.COMM_WORLD), int)
