// How many lanes make a team that works on one point (team.cuh), by an estimate of the instructions that it takes.
#pragma once

#include "cuda/kernels/integers.hpp"

namespace offgrid::cuda {

// Instructions of a warp per point: small teams share the overhead among more points, large ones waste fewer lanes.
constexpr int team_cost(int dim, int width, int lanes) {
  const int x = smaller(width, lanes), y = dim > 1 ? larger(1, smaller(width, lanes / x)) : 1;
  const int z = dim > 2 ? larger(1, smaller(width, lanes / (x * y))) : 1;
  const auto steps = [](int cells, int taken) { return (cells + taken - 1) / taken; };
  int visits = steps(width, x);
  if (dim > 1) visits *= steps(width, y);
  if (dim > 2) visits *= steps(width, z);
  const int evaluation = steps(dim * width, lanes) * (2 * width + 10);
  return (50 + evaluation + 8 * visits) * lanes / 32;
}

// Adding in shared memory without bank conflicts takes a team of at least four lanes.
constexpr int spread_lanes(int dim, int width) {
  int best = 32;
  for (int lanes = 16; lanes >= 4; lanes /= 2)
    if (lanes >= width && team_cost(dim, width, lanes) <= team_cost(dim, width, best)) best = lanes;
  return best;
}

inline constexpr int spread_threads = 256;     // of a block of GM and GM-sort
inline constexpr int most_tile_threads = 512;  // of a block of SM

}  // namespace offgrid::cuda
