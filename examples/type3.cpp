// Type 3 from C++: points that come in chunks, to targets that lie anywhere, in a plan that is made from boxes around them.
#include <cmath>
#include <cstdio>
#include <offgrid/offgrid.hpp>

int main() {
  const std::size_t chunks = 5, count = 2000, targets = 300;
  std::vector<double> s(targets), t(targets);
  for (std::size_t k = 0; k < targets; ++k) {
    s[k] = 80 * std::sin(1.3 * double(k));
    t[k] = 25 + 15 * std::cos(0.7 * double(k));
  }

  offgrid::Plan<double> plan({.type = 3, .dim = 2, .tolerance = 1e-9});
  plan.set_boxes({.low = {-1, 10}, .high = {1, 12}}, {.low = {-80, 10}, .high = {80, 40}});
  std::printf("the grids take %.1f MiB\n", plan.get("memory_bytes") / (1 << 20));
  plan.set_targets({s, t});

  std::complex<double> exact = 0;  // at the last target
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    std::vector<double> x(count), y(count);
    std::vector<std::complex<double>> strengths(count);
    for (std::size_t j = 0; j < count; ++j) {
      x[j] = std::sin(1.7 * double(j + chunk * count));
      y[j] = 11 + std::cos(2.3 * double(j + chunk * count));
      strengths[j] = {1, 0.5 * x[j]};
      exact += strengths[j] * std::polar(1.0, s.back() * x[j] + t.back() * y[j]);
    }
    plan.set_points({x, y});
    plan.add(strengths);
  }

  std::vector<std::complex<double>> values(targets);
  plan.finish(values);
  std::printf("f = %.6f %+.6f i, by the sum %.6f %+.6f i\n", values.back().real(), values.back().imag(), exact.real(),
              exact.imag());
  return std::abs(values.back() - exact) < 1e-9 * chunks * count ? 0 : 1;
}
