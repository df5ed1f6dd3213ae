#include "core/design/cost.hpp"

#include <algorithm>

#include "core/design/smooth.hpp"

namespace offgrid {
namespace {

double real_bytes(const Problem& problem) { return problem.precision == Precision::f32 ? 4 : 8; }

double spreading_cost(const Problem& problem, int width, const BackendTraits& traits) {
  const double cells = std::max(1.0, traits.row_bytes / (2 * real_bytes(problem)));
  const double vectors = 1 + (width - 1) / cells;  // of a row, on average over where it begins
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

std::int64_t vectors_together(double grid_bytes, const Options& options, const BackendTraits& traits) {
  const std::int64_t most = std::min(options.transforms, traits.most_vectors);
  if (options.batch > 0) return std::min(options.batch, most);
  const double fit = std::clamp(static_cast<double>(traits.batch_bytes) / grid_bytes, 1.0, static_cast<double>(most));
  return static_cast<std::int64_t>(fit);
}

double transform_cost(const Problem& problem, const Sizes& grid, int width, const Options& options,
                      const BackendTraits& traits) {
  const double lanes = traits.vector_bytes / real_bytes(problem);
  double cells = 1;
  for (int axis = 0; axis < problem.dim; ++axis) cells *= static_cast<double>(grid[axis]);
  const std::int64_t vectors = vectors_together(2 * real_bytes(problem) * cells, options, traits);
  if (traits.time) return traits.time({problem, grid, width, options, vectors, direction_of(problem)});
  const double at_points =
      static_cast<double>(expected_points(problem, options)) * spreading_cost(problem, width, traits);
  return at_points + (traits.fft * fft_cost_of_grid(problem, grid) + traits.cell * cells) / lanes;
}

}  // namespace offgrid
