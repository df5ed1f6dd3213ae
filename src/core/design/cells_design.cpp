#include "core/design/cells_design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/design/cost.hpp"
#include "core/design/design_memory.hpp"
#include "core/design/safety.hpp"
#include "core/kernel/kernel.hpp"
#include "core/text.hpp"

namespace offgrid {
namespace {

// Rounding of f32 on the engine where it is the coarsest (BackendTraits::f32_rounding), so that the kernel is the same on all.
constexpr double coarsest_f32 = 1.5;

struct Widths {
  int first, last;
};
Widths widths_for(const Options& options) {
  if (options.width != 0) return {options.width, options.width};
  return {min_width, max_width};
}

double sigma_of(const Options& options) {
  return options.upsampling != 0 ? options.upsampling : default_sigma_of_cells;
}

WindowKind kind_of(const Options& options) {
  return options.window == WindowKind::semicircle ? WindowKind::semicircle : WindowKind::prolate;
}

// Relative l2, all dimensions, rounding included.
double error_of(const Problem& problem, const Window& window) {
  const double coarser = problem.precision == Precision::f32 ? coarsest_f32 : 1;
  const double aliasing = std::sqrt(problem.dim) * window_error(window.kind, window.sigma, window.width);
  return std::hypot(aliasing, coarser * rounding_of_cells(problem));
}

double error_of_width(const Problem& problem, const Options& options, int width) {
  return error_of(problem, make_window(kind_of(options), sigma_of(options), width));
}

double lowest_error(const Problem& problem, const Options& options) {
  const Widths widths = widths_for(options);
  double lowest = std::numeric_limits<double>::infinity();
  for (int width = widths.first; width <= widths.last; ++width)
    lowest = std::min(lowest, error_of_width(problem, options, width));
  return lowest;
}

// Where the tolerance is out of reach, the narrowest kernel that comes almost as near as any.
int narrowest(const Problem& problem, const Options& options) {
  const Widths widths = widths_for(options);
  const double target = safety * std::min(problem.tolerance, loosest_tolerance);
  const double wanted = std::max(target, almost_best * lowest_error(problem, options));
  int width = widths.first;
  while (width < widths.last && error_of_width(problem, options, width) > wanted) ++width;
  return width;
}

void require_room(const Problem& problem, int width) {
  for (int axis = 0; axis < problem.dim; ++axis) {
    if (problem.modes[axis] >= width) continue;
    throw Error(Status::invalid_argument, text("cells: an axis has ", problem.modes[axis], " cells, expected at least ",
                                               width, ", the width of the kernel"));
  }
}

}  // namespace

Window window_of_cells(const Problem& problem, const Options& options) {
  const bool by_the_paper = kind_of(options) == WindowKind::semicircle && options.width == 0;
  const int width = by_the_paper ? semicircle_width(problem.tolerance, sigma_of(options)) : narrowest(problem, options);
  require_room(problem, width);
  return make_window(kind_of(options), sigma_of(options), width);
}

double reachable_tolerance_of_cells(const Problem& problem, const Options& options) {
  if (kind_of(options) == WindowKind::semicircle) return error_of(problem, window_of_cells(problem, options)) / safety;
  return almost_best * lowest_error(problem, options) / safety;
}

Design make_cells_design(const Problem& problem, const Options& options, const BackendTraits& traits) {
  Design design;
  design.asked = problem;
  design.problem = problem;
  design.options = options;
  design.window = window_of_cells(problem, options);
  design.grid = problem.modes;
  design.expected_error = error_of(problem, design.window);
  design.reachable_tolerance = reachable_tolerance_of_cells(problem, options);
  require_reachable(problem, options, {design.expected_error, design.reachable_tolerance});
  design.batch = vectors_together(static_cast<double>(grid_bytes(design)), options, traits);
  require_grid_memory(design, traits);
  design.polynomial = fit_polynomial(design.window, polynomial_error(design.window, problem.precision));
  design.goal = std::max(problem.tolerance, design.expected_error);
  design.most_points = std::int64_t{1} << 62;  // no number of points needs another design
  return design;
}

void require_possible_cells(const Problem& problem, const Options& options, const BackendTraits& traits) {
  Design design;
  design.problem = problem;
  design.options = options;
  design.grid = problem.modes;
  design.batch = std::clamp<std::int64_t>(options.batch, 1, options.transforms);
  const Window window = window_of_cells(problem, options);
  require_grid_memory(design, traits);
  require_reachable(problem, options, {error_of(problem, window), reachable_tolerance_of_cells(problem, options)});
}

}  // namespace offgrid
