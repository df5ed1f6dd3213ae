// The window phi: what one point spreads to the w grid cells around it. phi is even, supported on [-1, 1], phi(0) = 1.
//   prolate:     phi(z) = psi_0(c; z), the prolate spheroidal wave function of order zero, normalised at 0
//   semicircle:  phi(z) = exp(beta (sqrt(1 - z^2) - 1))
// A point at grid coordinate g gives cell j the value phi(2 (j - g) / w), so that mode k of a grid of n cells is seen
// through phihat(k) = (w/2) int phi(z) cos(pi w k z / n) dz, and the modes k + m n alias onto it with
//   e_k^2 = sum over m != 0 of (phihat(k + m n) / phihat(k))^2.
// Plan time only: kernel chooses a window, polynomial is what the engines evaluate.
#pragma once

#include <vector>

#include "core/kernel/quadrature.hpp"
#include "core/types.hpp"

namespace offgrid {

inline constexpr int min_width = 2, max_width = 16;
inline constexpr double min_sigma = 1.125, max_sigma = 2.5;  // what the error model covers

struct Window {
  WindowKind kind = WindowKind::prolate;
  int width = 0;         // w, in grid cells
  double sigma = 0;      // grid cells per mode, n / N
  double parameter = 0;  // c or beta
};

// The window of a kind whose parameter suits sigma. Throws if sigma <= 1 or the width is not in [2, 16]. Above
// max_sigma (small transforms on grids that cannot be smaller) the parameter is that of max_sigma.
Window make_window(WindowKind kind, double sigma, int width);

// phi and its transform. Real is double, or long double where results near rounding level are looked at.
template <class Real> class WindowFunction {
 public:
  explicit WindowFunction(const Window& window);
  Real operator()(Real z) const;

  // int phi(z) cos(frequency z) dz; the frequency of mode k is pi w k / n. Quick for |frequency| <= parameter, where the modes
  // of a plan are; elsewhere a quadrature is made for each call.
  Real transform(Real frequency) const;

 private:
  Window window_;
  std::vector<Real> series_;     // prolate: phi(z) = sum_j series_[j] T_2j(z)
  Real integral_ = 0;            // prolate: of phi
  Quadrature<Real> quadrature_;  // semicircle: nodes z > 0, and weights that include phi
};

struct AliasingError {
  double rms = 0;  // over the modes |k| <= N/2: the relative l2 error of a transform in 1D
  double max = 0;
};

// By direct summation: milliseconds, for tests and for the tables of kernel.cpp.
AliasingError aliasing_error(const Window& window);

}  // namespace offgrid
