// Rounding errors of long sums. A grid cell adds up the contributions of all points that reach it, one by one, in the
// working precision; each addition is off by at most half a unit in the last place of the sum so far.
//   terms of random sign   the errors are random too, and grow with the square root of the number of terms
//   equal terms            while the sum stays between two powers of two, every addition rounds the same way. For a sum
//                          that grows evenly to n terms, the errors add up to at most
//                            sum over k of 2^floor(log2 k) / n  <=  0.375 n    half units in the last place,
//                          the bound being reached at n = 1.5 x 2^m
// Deconvolution then amplifies what the grid holds (kernel.hpp). The engines keep such errors within their share of the
// tolerance: they add up in more precision, or in parts. Strengths are not known when points are set, so that equal ones
// are assumed. Tested by tests/core/summation_test.
// Any number of chunks may be added up (Pointwise::add), so that each sum has its rounding errors beside it (Kahan):
//   term = next term - lost        sum = sum_before + term        lost = (sum - sum_before) - term
// Its error is at most two half units in the last place of the sum of the terms' sizes, however many there are.
#pragma once

#include <cmath>

#include "core/types.hpp"

namespace offgrid {

inline constexpr double equal_terms_rounding = 0.375;
inline constexpr double summation_share = 0.4;  // of the tolerance; the kernel's own error takes most of the rest

constexpr double half_ulp(Precision precision) { return precision == Precision::f32 ? 0x1p-24 : 0x1p-53; }

// Relative errors of a sum of n terms.
constexpr double equal_terms_error(double terms, Precision precision) {
  return equal_terms_rounding * terms * half_ulp(precision);
}
inline double random_terms_error(double terms, Precision precision) {
  return std::sqrt(0.5 * terms) * half_ulp(precision);
}

}  // namespace offgrid
