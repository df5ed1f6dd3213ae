// What the methods cost, for the choice of sigma and width. Picoseconds on an H200.
#pragma once

#include <algorithm>
#include <cmath>

#include "cuda/sweep_shape.hpp"

namespace offgrid::cuda {

struct SweepCosts {
  double point, axis_cell;  // a point; and a cell that it reaches along an axis
  double batch;             // points that are worked on together
  double product;           // of a point with a cell of the window
  double visit;             // of a cell of the grid: it is added to, or read
};

// In 2D they push towards small grids: points in large ones are few in a box, and their FFT takes more passes.
constexpr SweepCosts sweep_costs(int dim, bool to_modes, bool f64) {
  if (dim == 2 && to_modes) return {55, 0.5, 600, 0.09, f64 ? 6.7 : 2.2};
  if (dim == 2) return f64 ? SweepCosts{55, 0.5, 600, 0.09, 3} : SweepCosts{6, 0, 100, 0.055, 3};
  if (to_modes) return f64 ? SweepCosts{8, 0.73, 0, 0.082, 2.5} : SweepCosts{5, 0, 115, 0.075, 2.6};
  return f64 ? SweepCosts{30, 0, 180, 0.1, 2.2} : SweepCosts{4, 0, 400, 0.1, 1};
}

inline constexpr double scattered_result = 55;          // at least: results go to random places in memory
inline constexpr double gathered_result = 10;           // where they are brought into order in the end (policy.hpp)
inline constexpr double wide_visit = 1, wide_cell = 9;  // what a grid of f64 costs more than one of f32
inline constexpr double large_cell = 70;  // beyond 2^27 cells FFTs take longer than the core's model of them

inline double sweep_time(const Problem& problem, double count, double cells, int width) {
  const bool f64 = problem.precision == Precision::f64, to_modes = problem.type == 1;
  const bool wide = !f64 && problem.tolerance < wide_sums_tolerance;
  const SweepCosts costs = sweep_costs(problem.dim, to_modes, f64);
  const SweepTiles tiles = sweep_tiles(problem.dim, width);
  const Sizes box = sweep_box(problem.dim, width);
  const double plane = 64.0 * tiles.octets * tiles.x_warps * tiles.m_tiles;
  const double planes = problem.dim == 3 ? tiles.planes * tiles.plane_warps : 1;
  const double boxed = static_cast<double>(box[0] * box[1]) * (problem.dim == 3 ? planes - width + 1 : 1);
  const double batch = std::clamp(boxed * count / cells, 1.0, 32.0);
  const double padding = batch < 32 ? 1 + 3.5 / batch : 1;  // to a multiple of 8
  // Warps wait for each other; tiles of one plane read more; and a block alone on its multiprocessor waits again.
  const bool teams = tiles.x_warps * tiles.plane_warps > 1, thin = problem.dim == 3 && tiles.planes % 2 == 1;
  const double shape = tiles.blocks == 1 ? 1.4 : teams ? 1.1 : thin ? 1.12 : 1;
  const double halo = plane / static_cast<double>(box[0] * box[1]);  // times that a cell is visited
  const double a_point = costs.point + costs.axis_cell * problem.dim * width + costs.batch / batch +
                         costs.product * shape * plane * planes * padding;
  const double a_result = problem.dim == 2 ? a_point + gathered_result : std::max(a_point, 1.1 * scattered_result);
  return count * (to_modes ? a_point : a_result) +
         cells * (halo * (costs.visit + (wide && to_modes ? wide_visit : 0)) + (wide ? wide_cell : 0)) +
         large_cell * std::max(0.0, cells - 0x1p27);
}

// A point costs in every tile that it reaches. Times 1.5, because here the core's model makes the FFT 1.5 times too dear;
// and cuFFT takes longer for sizes that are no multiple of 8.
inline double owner_time(const Problem& problem, double count, const Sizes& grid, int width) {
  const bool f64 = problem.precision == Precision::f64, to_modes = problem.type == 1;
  double tiles = 1, cells = 1, uneven = 0;
  for (int axis = 0; axis < problem.dim; ++axis) {
    tiles *= 1 + (width - 1) / static_cast<double>(owner_tile), cells *= static_cast<double>(grid[axis]);
    if (grid[axis] % 8 != 0) uneven = f64 ? 15 : 8;
  }
  const double a_tile = f64 ? (to_modes ? 90 : 95) : to_modes ? 59 : 69;
  return 1.5 * (count * tiles * a_tile + cells * (f64 ? 3.5 : 2.5)) + cells * uneven;
}

inline double points_time(const Problem& problem, const Sizes& grid, int width, const Options& options) {
  const auto count = static_cast<double>(expected_points(problem, options));
  const double cells = static_cast<double>(grid[0]) * static_cast<double>(grid[1]) * static_cast<double>(grid[2]);
  const bool to_modes = problem.type == 1;
  const bool f64 = problem.precision == Precision::f64;
  const bool ours = options.method == Method::automatic;
  if (options.method == Method::owner || (ours && owners_win(problem.dim, count, cells, options.transforms)))
    return owner_time(problem, count, grid, width);
  if (problem.dim == 1) return count * (!to_modes ? 15 + width : f64 ? 36 + 1.6 * width : 20 + 1.2 * width);
  // Where a thread a point reads. But f64 in 2D goes with the sweep's choice of a grid: what cuFFT takes for larger ones
  // would have to be known better.
  const bool reads_alone =
      !to_modes && !sweep_reads(problem.dim, width, f64, count / cells) && (problem.dim == 3 || !f64);
  const bool sweeps = (ours || options.method == Method::sweep) && !reads_alone;
  if (sweeps) return sweep_time(problem, count, cells, width);
  const double reached = std::pow(width, problem.dim);
  if (to_modes) return count * (30 + 5.5 * reached);
  if (problem.dim == 2 && !f64) return count * (gathered_result + 2 + 0.42 * reached) + 12 * cells;
  if (problem.dim == 2) return count * (gathered_result + 10 + reached) + 4 * cells;
  return count * std::max(40 + (f64 ? 4 : 0.8) * reached, scattered_result) + 4 * cells;
}

inline BackendTraits cost_traits() {
  BackendTraits traits{"cuda", 8, 8};
  traits.fft = 1.25, traits.cell = 6;
  traits.batch_bytes = std::int64_t{256} << 20;
  traits.most_vectors = 65535;  // rows of a launch
  traits.f32_rounding = 1.5;    // the sweep rounds products of two kernel values, and of a value and a strength, to f32
  traits.points_time = points_time, traits.fine_sigmas = true;
  return traits;
}

}  // namespace offgrid::cuda
