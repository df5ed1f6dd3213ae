// The exact fold: from a coordinate anywhere to a cell and a place inside it.
//   g = n * frac(x / 2 pi)        i0 = ceil(g - w/2) mod n        t = 2 (i0 - g + w/2) - 1 in [-1, 1)
// x / 2 pi and the product with n are carried in double-double, so that t is good to the last bit at any n.
#pragma once

#include <cstdint>

namespace offgrid::cuda {

struct Folded {
  std::uint32_t cell;
  double t;
};
struct FoldAxis {
  double cells, half_width;
  int n;  // cells
};

// Added to a number below 2^51 it rounds that to an integer, the low word of the sum. Roundings and conversions of f64
// have a quarter of the speed of sums.
constexpr double rounder = 0x1.8p52;
__device__ inline int low_word(double sum) { return __double2loint(sum); }

// |x| <= largest_coordinate; the cell of any other x is one of the grid's, too.
__device__ inline Folded fold(double x, const FoldAxis& axis) {
  const double cells = axis.cells, half_width = axis.half_width;
  constexpr double turn_high = 0x1.45f306dc9c883p-3, turn_low = -0x1.6b01ec5417056p-57;  // 1 / (2 pi)
  const double turns = __dmul_rn(x, turn_high);  // not contracted: wherever a point is folded, its cell is the same
  const double tail = fma(x, turn_low, fma(x, turn_high, -turns));
  const double fraction = turns - __dsub_rn(__dadd_rn(turns, rounder), rounder);
  const double g = __dmul_rn(fraction, cells);
  const double low = fma(tail, cells, fma(fraction, cells, -g));
  const double rounded = __dadd_ru(g - half_width, rounder), i0 = __dsub_rn(rounded, rounder);
  const double t = 2 * (((i0 - g) - low) + half_width) - 1;
  const int cell = low_word(rounded);
  return {static_cast<std::uint32_t>(min(max(cell < 0 ? cell + axis.n : cell, 0), axis.n - 1)), t};
}

}  // namespace offgrid::cuda
