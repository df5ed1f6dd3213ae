// The ranks that mpirun has started, the same object for all tests.
#pragma once

#include "offgrid/mpi.hpp"

inline const offgrid::mpi::World& world() {
  static const offgrid::mpi::World ranks;
  return ranks;
}
