#include "core/solve/gram_design.hpp"

#include <algorithm>

#include "core/design/cost.hpp"
#include "core/design/design_memory.hpp"
#include "core/validate.hpp"

namespace offgrid {
namespace {

constexpr std::int64_t shortest_line = 2;  // of an FFT

std::int64_t kernel_modes(std::int64_t modes) { return modes == 0 ? 0 : 2 * modes - 1; }

}  // namespace

Sizes kernel_modes(const Problem& problem) {
  Sizes modes{1, 1, 1};
  for (int axis = 0; axis < problem.dim; ++axis) modes[axis] = kernel_modes(problem.modes[axis]);
  return modes;
}

Design make_convolution_design(const Problem& problem, const Options& options, const BackendTraits& traits) {
  Design design;
  drop_axes(problem, design);
  design.options = options;
  for (int axis = 0; axis < design.dim(); ++axis)
    design.grid[axis] =
        next_size(std::max(shortest_line, kernel_modes(design.problem.modes[axis])), design.dim(), traits);
  checked_product("grid", design.grid[0], design.grid[1], design.grid[2], options.transforms, 2 * design.real_bytes());
  design.batch = vectors_together(static_cast<double>(grid_bytes(design)), options, traits);
  return design;
}

Design kernel_design(const Design& design) {
  Design kernel = design;
  kernel.problem.modes = kernel_modes(design.problem);
  kernel.options.transforms = kernel.batch = 1;
  kernel.options.mode_order = ModeOrder::centred;
  return kernel;
}

// A transform of one point on the grid of the convolution is its FFT and little else.
GramCosts gram_costs(const Design& convolution, const Problem& problem, const Options& options,
                     const BackendTraits& traits) {
  constexpr int narrowest = 2;
  GramCosts costs;
  for (const int type : {1, 2}) {
    Problem one_way = convolution.problem, transform = problem;
    one_way.type = transform.type = type;
    Options one_point = convolution.options;
    one_point.points_hint = 1;
    costs.convolution += transform_cost(one_way, convolution.grid, narrowest, one_point, traits);
    costs.pair += estimate_design(transform, options, traits).cost;
  }
  costs.pair += traits.call_cost / static_cast<double>(options.transforms);  // it is two calls
  return costs;
}

}  // namespace offgrid
