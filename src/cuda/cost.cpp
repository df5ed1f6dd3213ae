#include "cuda/cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "cuda/direct_sum.hpp"
#include "cuda/fft/fft_cost.hpp"
#include "cuda/fft/stockham_plan.hpp"
#include "cuda/method/choice.hpp"

namespace offgrid::cuda {

double transform_time(const TransformShape& shape, const DeviceLimits& device) {
  const Sizes& grid = shape.grid;
  if (*std::max_element(grid.begin(), grid.end()) > most_cells_of_an_axis)
    return std::numeric_limits<double>::infinity();
  const MethodRequest request = method_request(shape, device);
  const MethodPick pick = pick_method(request);
  const Precision of_grid = pick.wide && request.to_modes() ? Precision::f64 : request.precision;
  return pick.unit->time(request, of_grid) + fft_time(shape.problem, grid, shape.options.transforms, of_grid);
}

BackendTraits cost_traits(const DeviceLimits& device) {
  BackendTraits traits{.name = "cuda"};
  traits.kept_as = text("cuda ", device.multiprocessors, " ", device.major, " ", device.code, " ", device.shared_bytes);
  traits.batch_bytes = std::int64_t{256} << 20;
  traits.most_vectors = 65535;  // rows of a launch
  traits.f32_rounding = 1.5;    // the sweep rounds products of two kernel values, and of a value and a strength, to f32
  traits.direct = direct_costs(device.multiprocessors);
  traits.call_cost = 6e6;  // 6 us: bench/gram_time.py, 64 x 64 modes
  traits.time = [device](const TransformShape& shape) { return transform_time(shape, device); };
  // Subproblems grow with the points until their sums are as long as they themselves (engine.cpp).
  traits.longest_sum = [](std::int64_t points) { return std::sqrt(static_cast<double>(points)); };
  traits.grid_sizes = line_sizes;
  traits.sizes_in_1d = lengths_in_1d();
  traits.fine_sigmas = true;
  return traits;
}

}  // namespace offgrid::cuda
