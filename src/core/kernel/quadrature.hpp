// Gauss-Legendre rules: sum_i weight[i] f(node[i]) is the integral of f over [-1, 1], exact for polynomials of degree
// below 2 count. Used at plan time for the transform of a window and for means over the band of modes.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace offgrid {

template <class Real> struct Quadrature { std::vector<Real> node, weight; };

// P_n(x) and its derivative, by the three-term recurrence.
template <class Real> void legendre(int n, Real x, Real& value, Real& derivative) {
  Real previous = 1;
  value = x;
  for (int k = 2; k <= n; ++k) {
    const Real next = ((2 * k - 1) * x * value - (k - 1) * previous) / k;
    previous = value;
    value = next;
  }
  derivative = n * (x * value - previous) / (x * x - 1);
}

template <class Real> Quadrature<Real> gauss_legendre(int count) {
  Quadrature<Real> rule{std::vector<Real>(count), std::vector<Real>(count)};
  for (int i = 0; i < (count + 1) / 2; ++i) {
    Real x = std::cos(std::numbers::pi_v<Real> * (i + Real(0.75)) / (count + Real(0.5)));
    Real value, derivative, step;
    do {  // Newton; an error of 1e-12 squares to less than rounding, even between the dense nodes at the ends
      legendre(count, x, value, derivative);
      step = value / derivative;
      x -= step;
    } while (std::abs(step) > Real(1e-12));
    legendre(count, x, value, derivative);
    rule.node[i] = -x;
    rule.node[count - 1 - i] = x;
    rule.weight[i] = rule.weight[count - 1 - i] = 2 / ((1 - x * x) * derivative * derivative);
  }
  return rule;
}

}  // namespace offgrid
