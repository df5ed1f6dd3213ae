#include "core/cost.hpp"

#include "core/smooth.hpp"

namespace offgrid {
namespace {

double spreading_cost(const Problem& problem, int width, const BackendTraits& traits) {
  const int lanes = problem.precision == Precision::f32 ? traits.lanes_f32 : traits.lanes_f64;
  const double vectors = (2 * width + lanes - 1) / lanes;
  double rows = 1;
  for (int axis = 1; axis < problem.dim; ++axis) rows *= width;
  return traits.point + traits.kernel_axis * problem.dim * (width + 2) + traits.row_vector * rows * vectors;
}

// Axis after axis, the slowest first; each is cropped to its modes before the next one is transformed.
double fft_cost_of_grid(const Problem& problem, const Sizes& grid) {
  double cost = 0;
  for (int axis = problem.dim - 1; axis >= 0; --axis) {
    double lines = 1;
    for (int other = 0; other < problem.dim; ++other)
      if (other != axis) lines *= static_cast<double>(other > axis ? problem.modes[other] : grid[other]);
    cost += lines * static_cast<double>(grid[axis]) * (fft_cost(grid[axis]) + 4);  // 4: a pass over memory
  }
  return cost;
}

}  // namespace

double transform_cost(const Problem& problem, const Sizes& grid, int width, std::int64_t points,
                      const BackendTraits& traits) {
  const int lanes = problem.precision == Precision::f32 ? traits.lanes_f32 : traits.lanes_f64;
  double cells = 1;
  for (int axis = 0; axis < problem.dim; ++axis) cells *= static_cast<double>(grid[axis]);
  return static_cast<double>(points) * spreading_cost(problem, width, traits) +
         (traits.fft * fft_cost_of_grid(problem, grid) + traits.cell * cells) / lanes;
}

}  // namespace offgrid
