// What the search measures of a case: errors over the tolerance, against two norms.
#pragma once

#include <cmath>

namespace cli {

struct Ratios {
  double of_largest;  // against the largest output that is possible
  double relative;    // l2, relative to the output or to what random data would have, whichever is larger
};

// `error` belongs to `largest`, and `l2` to `norm`.
inline Ratios ratios_of(double tolerance, long double error, long double largest, long double l2, long double norm) {
  const auto over = [&](long double a, long double b) {
    return b == 0 ? (a == 0 ? 0.0 : HUGE_VAL) : static_cast<double>(a / b) / tolerance;
  };
  return {over(error, largest), over(l2, norm)};
}

}  // namespace cli
