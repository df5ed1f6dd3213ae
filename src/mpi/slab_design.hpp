// Kernel, grid and deconvolution factors of a transform whose grid is cut into slabs: those that core would choose for the
// whole grid on one CPU, however large it is. This file and local_cpu.cpp are the ones that see cpu.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mpi/plan.hpp"

namespace offgrid::mpi::inside {

struct SlabDesign {
  int dim = 2;
  std::array<std::int64_t, 3> modes{1, 1, 1}, grid{1, 1, 1};
  int width = 0;
  double sigma = 0;
  double window = 0;                                 // the value of the option "window"
  std::array<std::vector<double>, 3> deconvolution;  // [axis][|k|], |k| = 0 .. N/2
  double expected_error = 0;
  bool fft_order = false, deterministic = false;
  int threads = 1;
};

// The same on all ranks: for so many points on all of them together, and the shortest vectors (in bytes) of their processors,
// since the choice of a grid depends on both.
SlabDesign design_slabs(const Request& request, std::int64_t points, int vector_bytes);
int vector_bytes_here();

}  // namespace offgrid::mpi::inside
