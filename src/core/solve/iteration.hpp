// When a solver stops, and whom it tells of its steps.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>

#include "core/error.hpp"
#include "core/text.hpp"

namespace offgrid {

struct Iteration {
  std::int64_t steps = 20;  // at most
  double enough = 0;        // it stops at this residual or change, relative; 0: only where that is 0
  std::function<bool(std::int64_t step, double residual)> report{};  // after each step; true: stop here
  // Whether a number has to be read after each step. Where not, a GPU gets all steps without a wait.
  [[nodiscard]] bool is_watched() const { return enough > 0 || report != nullptr; }
  // Whether this was the last step.
  [[nodiscard]] bool ends(std::int64_t step, double residual) const {
    const bool stopped = report != nullptr && report(step, residual);
    return stopped || residual <= enough;
  }
};

// A number that decides whether to go on.
inline double require_finite(const char* name, double value) {
  if (std::isfinite(value)) return value;
  throw Error(Status::invalid_argument, text("the ", name,
                                             " is not finite: there is NaN or infinity in what was given, or the "
                                             "numbers left the range of their precision"));
}

inline void require_iteration(const Iteration& iteration) {
  if (iteration.steps < 0)
    throw Error(Status::invalid_argument, text("iterations is ", iteration.steps, ", expected 0 or more"));
  if (std::isnan(iteration.enough)) throw Error(Status::invalid_argument, "rtol is not a number");
}

}  // namespace offgrid
