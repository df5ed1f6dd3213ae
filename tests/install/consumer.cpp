// One transform in double through the C++ header: the sum of the strengths is mode 0.
#include <offgrid/offgrid.hpp>

int main() {
  const std::vector<double> x{0.5, 1.0, 4.0};
  const std::vector<std::complex<double>> strengths{{1, 0}, {2, 0}, {3, 0}};
  std::vector<std::complex<double>> modes(8);
  offgrid::transform<double>({.type = 1, .modes = {8}, .tolerance = 1e-9}, {x}, strengths, modes);
  return std::abs(modes[4] - 6.0) < 1e-7 ? 0 : 1;
}
