// Which method runs. One function chooses, for the cost of a design (cost.hpp) before there is one, and for the engine when
// points are set. It follows the direction that runs.
#pragma once

#include "core/design.hpp"
#include "cuda/method/method.hpp"

namespace offgrid::cuda {

inline constexpr std::int64_t most_cells_of_an_axis = 0x7fffffff;

// Throws invalid_argument where an axis is longer than the kernels can count.
GridShape shape_of(const Sizes& grid, int dim);

// The request of a design in one direction with a number of points; and that of a transform whose cost is only
// estimated. Both throw invalid_argument where an axis of the grid is longer than the kernels can count.
MethodRequest method_request(const Design& design, const DeviceLimits& device, std::int64_t points,
                             Direction direction);
MethodRequest method_request(const TransformShape& shape, const DeviceLimits& device);

// The method that runs, and the precision of its sums.
struct MethodPick {
  const SpreadMethod* unit;
  bool fixed_point;
  bool wide;
};
MethodPick pick_method(const MethodRequest& request);

// The same with all that follows from it: bins, subproblems and the sort. Where the method does not fit after all,
// GM-sort takes its place.
MethodChoice choose_method(const MethodRequest& request);

}  // namespace offgrid::cuda
