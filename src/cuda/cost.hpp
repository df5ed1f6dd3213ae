// What the methods cost, for the choice of sigma and width. Picoseconds on an H200.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "cuda/line_plan.hpp"
#include "cuda/sweep_shape.hpp"

namespace offgrid::cuda {

struct SweepCosts {
  double point, axis_cell;  // a point; and a cell that it reaches along an axis
  double batch;             // points that are worked on together
  double product;           // of a point with a cell of the window
  double visit;             // of a cell of the grid: it is added to, or read
};

// Of what depends on the grid and the width; what all designs have in common is left out of some.
constexpr SweepCosts sweep_costs(int dim, bool to_modes, bool f64) {
  if (dim == 2 && to_modes) return f64 ? SweepCosts{26, 0, 0, 0.078, 5} : SweepCosts{5, 0.6, 0, 0.055, 1};
  if (dim == 2) return f64 ? SweepCosts{55, 0.5, 600, 0.09, 3} : SweepCosts{6, 0, 100, 0.055, 3};
  if (to_modes) return f64 ? SweepCosts{8, 0.73, 0, 0.082, 2.5} : SweepCosts{5, 0, 115, 0.075, 2.6};
  return f64 ? SweepCosts{30, 0, 180, 0.1, 2.2} : SweepCosts{4, 0, 400, 0.1, 1};
}

inline constexpr double scattered_result = 55;  // at least: results go to random places in memory
inline constexpr double gathered_result = 10;   // where they are brought into order in the end (policy.hpp)
inline constexpr double wide_visit = 1;         // what a grid of f64 costs more than one of f32

// Points are few in a box of a large grid, and what they reach is not in the cache.
inline double too_large(double cells) { return 100 * std::max(0.0, cells - 0x1p27); }

// Whether strengths of f32 are added up in f64, on a grid of f64.
inline bool spreads_wide(const Problem& problem) {
  return problem.precision == Precision::f32 && problem.type == 1 && problem.tolerance < wide_sums_tolerance;
}

inline double sweep_time(const Problem& problem, double count, double cells, int width) {
  const bool f64 = problem.precision == Precision::f64, to_modes = problem.type == 1;
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
         cells * halo * (costs.visit + (spreads_wide(problem) ? wide_visit : 0)) + too_large(cells);
}

// A point costs in every tile that it reaches.
inline double owner_time(const Problem& problem, double count, double cells, int width) {
  const bool f64 = problem.precision == Precision::f64, to_modes = problem.type == 1;
  const double tiles = std::pow(1 + (width - 1) / static_cast<double>(owner_tile), problem.dim);
  const double a_tile = f64 ? (to_modes ? 90 : 95) : to_modes ? 59 : 69;
  return count * tiles * a_tile + cells * (f64 ? 3.5 : 2.5);
}

inline double points_time(const Problem& problem, const Sizes& grid, int width, const Options& options) {
  const auto count = static_cast<double>(expected_points(problem, options));
  const double cells = static_cast<double>(grid[0]) * static_cast<double>(grid[1]) * static_cast<double>(grid[2]);
  const bool to_modes = problem.type == 1;
  const bool f64 = problem.precision == Precision::f64;
  const bool ours = options.method == Method::automatic;
  // As many vectors as method.cpp will see, unless memory makes the batch smaller, and then the grids are large anyway.
  const std::int64_t together = options.batch > 0 ? std::min(options.batch, options.transforms) : options.transforms;
  if (options.method == Method::owner || (ours && owners_win(problem.dim, count, cells, together)))
    return owner_time(problem, count, cells, width);
  if (problem.dim == 1) return count * (!to_modes ? 15 + width : f64 ? 36 + 1.6 * width : 20 + 1.2 * width);
  // Where a thread a point reads. But f64 in 2D goes with the sweep's choice of a grid.
  const bool reads_alone =
      !to_modes && !sweep_reads(problem.dim, width, f64, count / cells) && (problem.dim == 3 || !f64);
  const bool sweeps = (ours || options.method == Method::sweep) && !reads_alone;
  if (sweeps) return sweep_time(problem, count, cells, width);
  const double reached = std::pow(width, problem.dim);
  if (to_modes) return count * (30 + 5.5 * reached);
  if (problem.dim == 2 && !f64) return count * (gathered_result + 2 + 0.43 * reached) + 5 * cells;
  if (problem.dim == 2) return count * (gathered_result + 10 + reached) + 4 * cells;
  const double conflicts = grid[0] % 128 == 0 ? 1.25 : 1;  // rows that meet in the cache
  if (f64) return count * conflicts * std::max(40 + 4 * reached, scattered_result) + 4 * cells;
  const double a_result = gathers_results(3, width, f64) ? 30 : std::max(30 + 0.55 * reached, scattered_result);
  return count * conflicts * a_result + 9 * cells + too_large(cells);
}

// What a pass takes at least, however few its lines are: a thread works through its values, stage by stage. What all lengths
// have in common is left out.
inline double line_latency(std::int64_t n, bool f64) {
  using Latencies = std::array<std::array<double, std::size(line_sizes)>, 2>;
  static constexpr Latencies latencies = [] {
    Latencies all{};
    for (const std::size_t wide : {0, 1})
      for (std::size_t i = 0; i < std::size(line_sizes); ++i) {
        const LinePlan plan = line_plan(line_sizes[i], wide == 1 ? 8 : 4);
        all[wide][i] = (wide == 1 ? 7e4 : 5e4) * plan.room() / plan.threads;
      }
    return all;
  }();
  return latencies[f64 ? 1 : 0][std::lower_bound(line_sizes, std::end(line_sizes), n) - line_sizes];
}

// A value of a line, in every pass (line_fft.cuh); grids with longer lines go through cuFFT.
inline double fft_time(const Problem& problem, const Sizes& grid, const Options& options) {
  const bool f64 = problem.precision == Precision::f64 || spreads_wide(problem);
  double cells = 1;
  for (const std::int64_t n : grid) cells *= static_cast<double>(n);
  if (*std::max_element(grid.begin(), grid.end()) > std::end(line_sizes)[-1]) return cells * (f64 ? 48 : 24);
  double time = 0, values = cells;
  for (int axis = 0; axis < problem.dim; ++axis) {
    const double alone = line_latency(grid[axis], f64) / static_cast<double>(options.transforms);
    time += std::max(values * (f64 ? 9.5 : problem.dim == 2 ? 6.5 : 5), alone);
    values = values * static_cast<double>(problem.modes[axis]) / static_cast<double>(grid[axis]);
  }
  return time;
}

inline BackendTraits cost_traits() {
  BackendTraits traits{"cuda", 8, 8};
  traits.batch_bytes = std::int64_t{256} << 20;
  traits.most_vectors = 65535;  // rows of a launch
  traits.f32_rounding = 1.5;    // the sweep rounds products of two kernel values, and of a value and a strength, to f32
  traits.points_time = points_time, traits.fft_time = fft_time;
  // Subproblems grow with the points until their sums are as long as they themselves (engine.cpp).
  traits.longest_sum = [](std::int64_t points) { return std::sqrt(static_cast<double>(points)); };
  traits.grid_sizes = line_sizes, traits.fine_sigmas = true;
  return traits;
}

}  // namespace offgrid::cuda
