#include "core/validate.hpp"

#include <cmath>

#include "core/kernel/window.hpp"

namespace offgrid {
namespace {

template <class... Parts> [[noreturn]] void refuse(const Parts&... parts) {
  throw Error(Status::invalid_argument, text(parts...));
}

}  // namespace

void validate(const Problem& problem, const Options& options) {
  if (problem.type < 1 || problem.type > 3) refuse("type is ", problem.type, ", expected 1, 2 or 3");
  if (problem.type == 3 && options.spread_only) refuse("spread_only is on, expected off for type 3");
  if (problem.type == 3 && options.window == WindowKind::semicircle)
    refuse("window is semicircle, expected auto or prolate for type 3");
  if (problem.dim < 1 || problem.dim > max_dim) refuse("dim is ", problem.dim, ", expected 1, 2 or 3");
  for (int axis = 0; axis < problem.dim; ++axis)
    if (problem.modes[axis] < 0) refuse("modes[", axis, "] is ", problem.modes[axis], ", expected 0 or more");
  if (std::isnan(problem.tolerance) || problem.tolerance <= 0)
    refuse("tolerance is ", problem.tolerance, ", expected a number over 0, such as 1e-6");
  if (!options.spread_only && options.upsampling > max_sigma)
    refuse("upsampling is ", options.upsampling, ", expected over 1, at most ", max_sigma,
           "; only a plan with spread_only takes more");
  const bool paper_window = options.window == WindowKind::semicircle;
  if (paper_window && options.upsampling != 0 && options.upsampling < 1.25)
    refuse("upsampling is ", options.upsampling, ", expected at least 1.25 with the semicircle window");
  // Sizes in bytes must not overflow: a complex number has up to 16 bytes, and a grid of upsampling 2.5 along three
  // axes has up to 15.6 cells per mode.
  checked_product("modes x transforms", problem.modes[0], problem.modes[1], problem.modes[2], options.transforms,
                  16 * 16);
}

}  // namespace offgrid
