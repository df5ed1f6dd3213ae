// The exact fold: from a coordinate anywhere to a cell and a place inside it.
//   g = n * frac(x / 2 pi)        i0 = ceil(g - w/2) mod n        t = 2 (i0 - g + w/2) - 1 in [-1, 1)
// x / 2 pi and the product with n are carried in double-double, so that t is good to the last bit at any n.
#pragma once

#include <cstdint>

namespace offgrid::cuda {

// Up to here two constants of 2 pi are exact. Farther out the coordinate is first taken modulo the double nearest to
// 2 pi: its own spacing is coarser than that error long before it matters.
constexpr double exact_range = 1e9;

struct Folded {
  std::uint32_t cell;
  double t;
};

__device__ inline Folded fold(double x, std::uint32_t n, int width) {
  const auto cells = static_cast<double>(n), half_width = 0.5 * width;
  constexpr double turn_high = 0x1.45f306dc9c883p-3, turn_low = -0x1.6b01ec5417056p-57;  // 1 / (2 pi)
  if (fabs(x) > exact_range) x = remainder(x, 6.283185307179586);
  const double turns = __dmul_rn(x, turn_high);  // not contracted: wherever a point is folded, its cell is the same
  const double tail = fma(x, turn_low, fma(x, turn_high, -turns));
  const double fraction = turns - rint(turns);
  const double g = __dmul_rn(fraction, cells);
  const double low = fma(tail, cells, fma(fraction, cells, -g));
  const double i0 = ceil(g - half_width);
  const double t = 2 * (((i0 - g) - low) + half_width) - 1;
  const double wrapped = i0 < 0 ? i0 + cells : i0;
  // Never outside of the grid, whatever x is: NaN converts to 0.
  const double last = cells - 1;
  return {static_cast<std::uint32_t>(fmin(fmax(wrapped, 0.0), last)), t};
}

}  // namespace offgrid::cuda
