#include <cmath>
#include <cstdio>
#include <offgrid/offgrid.hpp>

int main() {
  // Points anywhere on the 2 pi periodic square, one complex strength per point.
  const std::size_t count = 10000;
  std::vector<double> x(count), y(count);
  std::vector<std::complex<double>> strengths(count), modes(64 * 48), back(count);
  for (std::size_t j = 0; j < count; ++j) {
    x[j] = 3 * std::sin(1.7 * double(j));
    y[j] = 3 * std::cos(2.3 * double(j));
    strengths[j] = {std::cos(0.3 * double(j)), 1};
  }

  // Type 1: points to 64 x 48 modes, with a relative l2 error of at most 1e-9.
  offgrid::Plan<double> plan({.type = 1, .modes = {64, 48}, .tolerance = 1e-9});
  plan.set_points({x, y});
  plan.execute(strengths, modes);

  // The adjoint, modes to points, from the same plan and the same sorted points.
  plan.adjoint(modes, back);

  const std::complex<double> f = modes[24 * 64 + 32];  // k = (0, 0): the sum of the strengths
  std::printf("%sf(0, 0) = %.6f %+.6f i\n", plan.describe().c_str(), f.real(), f.imag());
  return std::abs(f.imag() - count) < 1e-3 ? 0 : 1;
}
