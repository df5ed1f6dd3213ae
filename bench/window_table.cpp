// Prints the tables of src/core/kernel/kernel.cpp, from the sums of window.cpp, in about 15 s. Run it when a window changes;
// tests/core/kernel_test fails if the tables no longer fit.
// A row is a Chebyshev fit of degree 3 in x = sqrt(1 - 1/sigma), from min_sigma to max_sigma.
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "core/kernel/window.hpp"

namespace {

using namespace offgrid;
using std::numbers::pi;

double mean_square(const WindowFunction<double>& phi, int width) {
  const auto rule = gauss_legendre<double>(48);
  double sum = 0;
  for (std::size_t i = 0; i < rule.node.size(); ++i) sum += rule.weight[i] * std::pow(phi(rule.node[i]), 2);
  return width / 2.0 * sum;
}

// log A1: the mean of phihat^2 over the grid is the integral of phi^2 over its cells (Parseval).
double log_amplification(const Window& window) {
  const WindowFunction<double> phi(window);
  const auto band = gauss_legendre<double>(48);
  double inverse = 0;
  for (std::size_t i = 0; i < band.node.size(); ++i) {
    const double frequency = pi * window.width / (2 * window.sigma) * (1 + band.node[i]) / 2;
    inverse += band.weight[i] / 2 / std::pow(window.width / 2.0 * phi.transform(frequency), 2);
  }
  return std::log(mean_square(phi, window.width) * inverse) / 2;
}

double log_error(const Window& window) {
  return std::log(aliasing_error(window).rms) + pi * window.width * std::sqrt(1 - 1 / window.sigma);
}

void print_table(const char* name, WindowKind kind, double (*quantity)(const Window&)) {
  constexpr int nodes = 20;
  const double low = std::sqrt(1 - 1 / min_sigma), high = std::sqrt(1 - 1 / max_sigma);
  std::printf("constexpr Table %s = {{\n", name);
  for (int width = min_width; width <= max_width; ++width) {
    std::array<double, 4> row{};
    for (int m = 0; m < nodes; ++m) {
      const double angle = pi * (m + 0.5) / nodes;
      const double x = (low + high + (high - low) * std::cos(angle)) / 2;
      const double value = quantity(make_window(kind, 1 / (1 - x * x), width));
      for (int j = 0; j < 4; ++j) row[j] += value * std::cos(j * angle) * (j == 0 ? 1 : 2) / nodes;
    }
    std::printf("    {%.4f, %.4f, %.4f, %.4f},  // %d\n", row[0], row[1], row[2], row[3], width);
  }
  std::printf("}};\n");
}

}  // namespace

int main() {
  print_table("prolate_table", WindowKind::prolate, log_error);
  print_table("semicircle_table", WindowKind::semicircle, log_error);
  print_table("amplification_table", WindowKind::prolate, log_amplification);
}
