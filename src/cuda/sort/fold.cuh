// The exact fold: from a coordinate anywhere to a cell and the position t of the point inside it.
//   g = n * frac(turns(x))        i0 = ceil(g - w/2) mod n        t = 2 (i0 - g + w/2) - 1 in [-1, 1)
// The turns (AxisMap: x / 2 pi) and their product with n are carried in double-double arithmetic, so that t is exact to
// the last bit for any n.
#pragma once

#include <cstdint>

#include "core/types.hpp"

namespace offgrid::cuda {

struct Folded {
  std::uint32_t cell;
  double t;
};
struct FoldAxis {
  AxisMap map;
  double cells, half_width;
  int n;  // cells
};

// Adding it to a number below 2^51 rounds that number to an integer, which is the low word of the sum. This is faster
// than the instructions that round and convert f64, which have a quarter of the speed of additions.
constexpr double rounder = 0x1.8p52;
__device__ inline int low_word(double sum) { return __double2loint(sum); }

// Returns a - b - difference without rounding, where difference is a - b as it was rounded.
__device__ inline double difference_error(double a, double b, double difference) {
  const double taken = __dsub_rn(a, difference);  // what was subtracted in place of b
  return __dadd_rn(__dsub_rn(a, __dadd_rn(difference, taken)), __dsub_rn(taken, b));
}

// Needs |x| <= map.largest. For any other x the result is wrong, but its cell still is one of the grid.
__device__ inline Folded fold(double x, const FoldAxis& axis) {
  const double cells = axis.cells, half_width = axis.half_width;
  const double rate = axis.map.rate, from_centre = __dsub_rn(x, axis.map.centre);
  // Products and sums that decide about the cell are not contracted: every kernel finds the same cell for a point.
  const double turns = __dmul_rn(from_centre, rate);
  double tail = fma(from_centre, axis.map.rate_low, fma(from_centre, rate, -turns));
  if (axis.map.centre != 0) tail = fma(difference_error(x, axis.map.centre, from_centre), rate, tail);
  const double fraction = turns - __dsub_rn(__dadd_rn(turns, rounder), rounder);
  const double g = __dmul_rn(fraction, cells);
  const double low = fma(tail, cells, fma(fraction, cells, -g));
  const double rounded = __dadd_ru(g - half_width, rounder), i0 = __dsub_rn(rounded, rounder);
  const double t = 2 * (((i0 - g) - low) + half_width) - 1;
  const int cell = low_word(rounded);
  return {static_cast<std::uint32_t>(min(max(cell < 0 ? cell + axis.n : cell, 0), axis.n - 1)), t};
}

}  // namespace offgrid::cuda
