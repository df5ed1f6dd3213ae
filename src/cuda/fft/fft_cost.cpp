#include "cuda/fft/fft_cost.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "cuda/fft/stockham_plan.hpp"

namespace offgrid::cuda {
namespace {

// The least time of a pass, however few its lines are: a thread works through its values, stage by stage. A part that
// is the same for all lengths is left out, because it decides about nothing.
double line_latency(std::int64_t n, bool f64) {
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

// Grids in 2D of longer lines outgrow the second-level cache. Their FFT takes 1.25 times as long per value, and spreading and
// interpolation have to wait for memory, too: 2160^2 cells of f64 instead of 1920^2 made an interpolation of 10^7 points of
// width 13 slower than one of width 14 on the smaller grid, 0.95 and 0.76 ms.
constexpr double cells_that_stay_cached = 2048.0 * 2048;
constexpr double uncached_cost = 2;

}  // namespace

// By lines, a value costs the same in every pass (stockham.cuh), and more in the two passes of an axis in parts. Grids with
// longer axes are transformed by cuFFT.
double fft_time(const Problem& problem, const Sizes& grid, std::int64_t transforms, Precision of_grid) {
  const bool f64 = of_grid == Precision::f64;
  double cells = 1;
  for (const std::int64_t n : grid) cells *= static_cast<double>(n);
  const AxisParts parts = problem.dim == 1 ? parts_of(grid[0]) : AxisParts{};
  if (parts.rows != 0) {
    const double alone =
        (line_latency(parts.rows, f64) + line_latency(parts.length, f64)) / static_cast<double>(transforms);
    return std::max(2 * cells * (f64 ? 17 : 10), alone);
  }
  if (*std::max_element(grid.begin(), grid.end()) > longest_line) return cells * (f64 ? 48 : 24);
  const double cached = f64 ? 9.5 : problem.dim == 2 ? 6.5 : 5;
  const double rate = problem.dim == 2 && cells > cells_that_stay_cached ? uncached_cost * cached : cached;
  double time = 0, values = cells;
  for (int axis = 0; axis < problem.dim; ++axis) {
    const double alone = line_latency(grid[axis], f64) / static_cast<double>(transforms);
    time += std::max(rate * values, alone);
    values = values * static_cast<double>(problem.modes[axis]) / static_cast<double>(grid[axis]);
  }
  return time;
}

}  // namespace offgrid::cuda
