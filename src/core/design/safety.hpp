// How much room a choice leaves between what it expects and the tolerance, which is a bound.
#pragma once

#include "core/error.hpp"
#include "core/options.hpp"
#include "core/text.hpp"
#include "core/types.hpp"

namespace offgrid {

// The error model may be 3 % low, and the polynomial adds a little.
inline constexpr double safety = 0.94;
inline constexpr double loosest_tolerance = 0.5;
inline constexpr double almost_best = 1.25;  // times the lowest error

struct ErrorOutlook {
  double expected, reachable;
};

// With `strict`, refuses a tolerance that is out of reach.
inline void require_reachable(const Problem& problem, const Options& options, const ErrorOutlook& error) {
  if (!options.strict || error.expected <= problem.tolerance) return;
  throw Error(Status::invalid_argument, text("tolerance is ", problem.tolerance, ", but only ", error.reachable,
                                             " can be reached here (strict is on)"));
}

}  // namespace offgrid
