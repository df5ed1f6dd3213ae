// What the methods cost, for the choice of sigma and width. Picoseconds on an H200.
#pragma once

#include <algorithm>
#include <cmath>

#include "cuda/sweep_shape.hpp"

namespace offgrid::cuda {

inline double points_time(const Problem& problem, const Sizes& grid, int width, const Options& options) {
  const auto count = static_cast<double>(expected_points(problem, options));
  const bool f64 = problem.precision == Precision::f64, to_modes = problem.type == 1;
  if (problem.dim == 1) return count * (to_modes ? 10 + 9 * width : 20 + 4 * width);
  if (options.method != Method::automatic && options.method != Method::sweep)
    return count * (30 + std::pow(width, problem.dim) * (to_modes ? 5.5 : 1.7));
  const double cells = static_cast<double>(grid[0]) * static_cast<double>(grid[1]) * static_cast<double>(grid[2]);
  const SweepTiles tiles = sweep_tiles(problem.dim, width);
  const Sizes box = sweep_box(problem.dim, width);
  const double plane = 64.0 * tiles.octets * tiles.x_warps * tiles.m_tiles;
  const double planes = problem.dim == 3 ? tiles.planes * tiles.plane_warps : 1;
  const double boxed = static_cast<double>(box[0] * box[1]) * (problem.dim == 3 ? planes - width + 1 : 1);
  const double batch = std::clamp(boxed * count / cells, 1.0, 32.0);  // points that are worked on together
  const double padding = std::ceil(batch / 8) * 8 / batch;
  const double products = 0.09 * plane * planes * padding;
  const double halo = plane / static_cast<double>(box[0] * box[1]);  // times that a cell is added to, or read
  const double visit = to_modes ? (f64 ? 6.7 : 2.2) : (f64 ? 3.0 : 1.5);
  return count * (55 + 0.5 * problem.dim * width + 600 / batch + products) + cells * halo * visit;
}

inline BackendTraits cost_traits() {
  BackendTraits traits{"cuda", 8, 8};
  traits.fft = 1.25, traits.cell = 6;
  traits.batch_bytes = std::int64_t{256} << 20;
  traits.most_vectors = 65535;  // rows of a launch
  traits.points_time = points_time;
  return traits;
}

}  // namespace offgrid::cuda
