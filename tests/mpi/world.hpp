// The ranks that mpirun has started, the same object for all tests.
#pragma once

#include "offgrid/mpi.hpp"

// The status of this process' first attempt, on all ranks without a place for the handle: it initialises MPI.
inline offgrid_status first_status() {
  static const offgrid_status status = offgrid_mpi_comm_create(nullptr, nullptr);
  return status;
}

inline const offgrid::mpi::World& world() {
  (void)first_status();
  static const offgrid::mpi::World ranks;
  return ranks;
}

// Whether this rank has a GPU; it then is the current one.
inline bool has_gpu() {
  int device = -1;
  offgrid::mpi::detail::check(offgrid_mpi_use_device(world().handle(), &device));
  return device >= 0;
}
