"""A wrong program with offgrid.mpi: the marked lines, and no others, are refused."""

import numpy as np
import offgrid.mpi
from mpi4py import MPI

plan = offgrid.mpi.Plan(MPI.COMM_WORLD, 1, (6, 4), layout="replicated")
offgrid.mpi.Plan(MPI.COMM_WORLD, 1, (6, 4), layout="pencils")  # wrong
offgrid.mpi.Plan(MPI.COMM_WORLD, 1, (6, 4), result="here")  # wrong
offgrid.mpi.Plan(1, 1, (6, 4))  # wrong
plan.execute([1, 2, 3])  # wrong
plan.tol = 1  # wrong
plan.get("second_sum")  # wrong
offgrid.mpi.gram(MPI.COMM_WORLD, np.zeros(3), 4, device="cuda")  # wrong
