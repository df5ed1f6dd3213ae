#include "core/kernel/polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace offgrid {
namespace {

using Series = std::vector<double>;  // coefficients of T_0, T_1, .. in t

constexpr int spare_terms = 3;  // expanded beyond max_degree, to see what is cut off

// Values at the Chebyshev nodes t_m = cos(pi (m + 1/2) / count), to coefficients.
class ChebyshevTransform {
 public:
  explicit ChebyshevTransform(int count) : count_(count), cosines_(4 * count) {
    for (int m = 0; m < 4 * count; ++m) cosines_[m] = std::cos(std::numbers::pi * m / (2 * count));
  }
  [[nodiscard]] double node(int m) const { return cosines_[2 * m + 1]; }
  [[nodiscard]] Series operator()(const std::vector<double>& values) const {
    Series series(count_);
    for (int j = 0; j < count_; ++j) {
      double sum = 0;
      for (int m = 0; m < count_; ++m) sum += values[m] * cosines_[j * (2 * m + 1) % (4 * count_)];
      series[j] = sum * (j == 0 ? 1 : 2) / count_;
    }
    return series;
  }

 private:
  int count_;
  std::vector<double> cosines_;  // of pi m / (2 count)
};

// Pieces 0 .. (w-1)/2; the others are their mirror images.
std::vector<Series> expand_pieces(const Window& window) {
  const WindowFunction<double> phi(window);
  const int count = max_degree(window.width, Precision::f64) + spare_terms;
  const ChebyshevTransform transform(count);
  std::vector<Series> pieces;
  std::vector<double> values(count);
  for (int piece = 0; piece < (window.width + 1) / 2; ++piece) {
    for (int m = 0; m < count; ++m) values[m] = phi((2 * piece + 1 + transform.node(m)) / window.width - 1);
    pieces.push_back(transform(values));
    if (2 * piece + 1 < window.width) continue;
    for (int j = 1; j < count; j += 2) pieces.back()[j] = 0;  // the middle piece is even, to the last bit
  }
  return pieces;
}

// By Parseval: the mean square over t of what degrees >= first add, summed over the pieces.
double tail_energy(const std::vector<Series>& pieces, int first) {
  double energy = 0;
  for (const Series& series : pieces) {
    for (std::size_t j = first; j < series.size(); ++j) energy += series[j] * series[j] * (j == 0 ? 1 : 0.5);
  }
  return energy;
}

int lowest_degree(const std::vector<Series>& pieces, double error) {
  const double noise = 1.2e-16;  // what rounding leaves in the coefficients
  const double allowed = std::pow(std::max(error, noise), 2) * tail_energy(pieces, 0);
  int degree = static_cast<int>(pieces[0].size()) - spare_terms;
  while (degree > 1 && tail_energy(pieces, degree) <= allowed) --degree;
  return degree;
}

// sum_j series[j] T_j(t) up to a degree, in powers of t: T_{j+1} = 2 t T_j - T_{j-1}.
std::vector<double> to_monomials(const Series& series, int degree) {
  std::vector<double> powers(degree + 1, 0.0), previous(degree + 2, 0.0), current(degree + 2, 0.0),
      next(degree + 2, 0.0);
  current[0] = 1;  // T_0; T_{-1} = T_1 = t
  previous[1] = 1;
  for (int j = 0; j <= degree; ++j) {
    for (int q = 0; q <= j; ++q) powers[q] += series[j] * current[q];
    next[0] = -previous[0];
    for (int q = 1; q <= degree; ++q) next[q] = 2 * current[q - 1] - previous[q];
    previous.swap(current);
    current.swap(next);
  }
  return powers;
}

}  // namespace

double Polynomial::operator()(int piece, double t) const {
  double value = 0;
  for (int power = degree; power >= 0; --power) value = value * t + coefficient(power, piece);
  return value;
}

Polynomial fit_polynomial(const Window& window, double error) {
  const std::vector<Series> pieces = expand_pieces(window);
  const int width = window.width, degree = lowest_degree(pieces, error);
  Polynomial polynomial{width, degree, std::vector<double>((degree + 1) * width)};
  for (int piece = 0; piece < (width + 1) / 2; ++piece) {
    const std::vector<double> powers = to_monomials(pieces[piece], degree);
    for (int power = 0; power <= degree; ++power) {
      const double sign = power % 2 == 0 ? 1 : -1;
      polynomial.coefficients[power * width + width - 1 - piece] = sign * powers[power];
      polynomial.coefficients[power * width + piece] = powers[power];  // the middle piece keeps this one
    }
  }
  return polynomial;
}

}  // namespace offgrid
