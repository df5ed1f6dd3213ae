// What a pair (sigma, width) costs on an engine, in arbitrary units of time per transform. Only ratios matter: the
// choice between a fine grid with a small width and a coarse grid with a large one.
#pragma once

#include "core/design.hpp"

namespace offgrid {

// options.points_hint: points to expect, 0: as many as modes. grid: the sizes that sigma leads to.
double transform_cost(const Problem& problem, const Sizes& grid, int width, const Options& options,
                      const BackendTraits& traits);

// How many vectors are worked on together, on grids of `grid_bytes` bytes each.
std::int64_t vectors_together(double grid_bytes, const Options& options, const BackendTraits& traits);

}  // namespace offgrid
