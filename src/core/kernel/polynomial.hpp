// The window as the engines evaluate it: one polynomial for each of the w cells that a point reaches. A point at grid
// coordinate g reaches the cells i0 + i, i = 0..w-1, with i0 = ceil(g - w/2). Its position in its cell is
//   t = 2 (i0 - g + w/2) - 1  in [-1, 1).
// Cell i receives phi((2i + 1 + t) / w - 1), which is approximated by p_i(t) = sum_q coefficient(q, i) t^q.
// Cell w-1-i mirrors cell i exactly: p_{w-1-i}(t) = p_i(-t). For an odd width the middle polynomial is even.
// The polynomials are fitted when the design is made, to the error that kernel.hpp asks for.
#pragma once

#include <vector>

#include "core/kernel/window.hpp"

namespace offgrid {

struct Polynomial {
  int width = 0;
  int degree = 0;
  std::vector<double> coefficients;  // [degree + 1, width]: [power][piece]

  [[nodiscard]] double coefficient(int power, int piece) const { return coefficients[power * width + piece]; }
  [[nodiscard]] double operator()(int piece, double t) const;
};

// No polynomial fitted to kernel.hpp's polynomial_error has a higher degree: for storage fixed at compile time.
constexpr int max_degree(int width, Precision precision) {
  const int enough = precision == Precision::f32 ? 8 : (width + 13) / 2;
  return width + 1 < enough ? width + 1 : enough;
}

// Of lowest degree such that the rms of p - phi is at most error times the rms of phi.
Polynomial fit_polynomial(const Window& window, double error);

}  // namespace offgrid
