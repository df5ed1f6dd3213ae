// The ranks that mpirun has started, the same object for all tests.
#pragma once

#include "offgrid/mpi.hpp"

inline const offgrid::mpi::World& world() {
  static const offgrid::mpi::World ranks;
  return ranks;
}

// Whether this rank has a GPU; it then is the current one.
inline bool has_gpu() {
  int device = -1;
  offgrid::mpi::detail::check(offgrid_mpi_use_device(world().handle(), &device));
  return device >= 0;
}
