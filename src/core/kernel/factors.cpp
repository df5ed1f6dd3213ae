#include "core/kernel/factors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace offgrid {
namespace {

constexpr int block_size = 64;
using Block = std::array<double, block_size>;

// values[i] <- sum_j series[j] T_j(values[i]) by Clenshaw's recurrence. A block at a time runs in vector registers.
void chebyshev_sums(const std::vector<double>& series, Block& values) {
  Block next{}, after{};
  for (std::size_t j = series.size() - 1; j > 0; --j) {
    for (int i = 0; i < block_size; ++i) {
      const double current = 2 * values[i] * next[i] - after[i] + series[j];
      after[i] = next[i];
      next[i] = current;
    }
  }
  for (int i = 0; i < block_size; ++i) values[i] = values[i] * next[i] - after[i] + series[0];
}

// Inside a piece the factors are a polynomial in t in [-1, 1] to rounding: over 1/256 of an axis their logarithm changes by
// less than 0.1, and the Chebyshev series of exp(0.1 t) has lost 1e-16 of its size at degree 9.
constexpr int piece_degree = 8, piece_nodes = piece_degree + 1;
constexpr int pieces_of_axis = 256;
constexpr std::int64_t shortest_piece = 256;  // below this the polynomial costs as much as it saves
using Powers = std::array<double, piece_nodes>;

// The polynomial in powers of t that takes given values at the Chebyshev nodes of [-1, 1]. By way of its Chebyshev
// coefficients, which fall fast: the large coefficients of T_8 would amplify the rounding errors of values.
class Interpolation {
 public:
  Interpolation() {
    Powers previous{0, 1};  // T_{-1} = T_1 = t
    chebyshev_[0] = {1};
    for (int j = 0; j < piece_nodes; ++j) {
      for (int m = 0; m < piece_nodes; ++m)
        weight_[j][m] = (j == 0 ? 1.0 : 2.0) / piece_nodes * std::cos(std::numbers::pi * j * (m + 0.5) / piece_nodes);
      if (j == piece_degree) break;
      chebyshev_[j + 1][0] = -previous[0];
      for (int q = 1; q < piece_nodes; ++q) chebyshev_[j + 1][q] = 2 * chebyshev_[j][q - 1] - previous[q];
      previous = chebyshev_[j];
    }
  }
  [[nodiscard]] static double node(int m) { return std::cos(std::numbers::pi * (m + 0.5) / piece_nodes); }
  [[nodiscard]] Powers powers(const Block& values) const {
    Powers powers{};
    for (int j = 0; j < piece_nodes; ++j) {
      double coefficient = 0;
      for (int m = 0; m < piece_nodes; ++m) coefficient += weight_[j][m] * values[m];
      for (int q = 0; q <= j; ++q) powers[q] += coefficient * chebyshev_[j][q];
    }
    return powers;
  }

 private:
  std::array<Powers, piece_nodes> weight_{};     // [j][m]: of value m in the coefficient of T_j
  std::array<Powers, piece_nodes> chebyshev_{};  // [j][q]: of t^q in T_j
};

}  // namespace

FactorSeries::FactorSeries(const Window& window, std::int64_t modes, std::int64_t grid)
    : count_(modes / 2 + 1), last_(std::max(static_cast<double>(modes / 2), 1e-3)) {
  make_series(window, last_ / static_cast<double>(grid));
}

FactorSeries::FactorSeries(const Window& window, double turns_per_cell) : last_(1) {
  make_series(window, turns_per_cell);
}

// The logarithm is analytic up to the first zero of phihat, at a frequency above hypot(parameter, 2.4), which sets how fast
// the series converges. Long double, because phihat at the last mode may be 1e-4 of phihat(0).
void FactorSeries::make_series(const Window& window, double turns_per_cell) {
  const double last_frequency = std::numbers::pi * window.width * turns_per_cell;
  const double first_zero = std::hypot(window.parameter, 2.4) / last_frequency;
  const double s0 = 2 * first_zero * first_zero - 1;
  const int terms = 4 + static_cast<int>(37 / std::log(s0 + std::sqrt(s0 * s0 - 1)));  // 37 = log(1e16)
  const WindowFunction<long double> phi(window);
  std::vector<double> values(terms);
  for (int m = 0; m < terms; ++m) {
    const double half_angle = std::numbers::pi * (m + 0.5) / (2 * terms);  // s = cos(2 half_angle)
    const long double frequency = last_frequency * std::cos(half_angle);
    values[m] = static_cast<double>(-std::log(window.width * phi.transform(frequency) / 2));
  }
  coefficients_.assign(terms, 0.0);
  for (int j = 0; j < terms; ++j) {
    for (int m = 0; m < terms; ++m) coefficients_[j] += values[m] * std::cos(std::numbers::pi * j * (m + 0.5) / terms);
    coefficients_[j] *= (j == 0 ? 1.0 : 2.0) / terms;
  }
}

double FactorSeries::operator()(std::int64_t k) const {
  const double ratio = std::min(static_cast<double>(k), last_) / last_, s = 2 * ratio * ratio - 1;
  double next = 0, after = 0;
  for (std::size_t j = coefficients_.size() - 1; j > 0; --j)
    after = std::exchange(next, 2 * s * next - after + coefficients_[j]);
  return std::exp(s * next - after + coefficients_[0]);
}

void FactorSeries::scale(double by) { coefficients_[0] += std::log(by); }

void FactorSeries::evaluate(std::int64_t first, std::span<double> factors) const {
  const std::int64_t piece = count_ / pieces_of_axis;
  if (piece < shortest_piece) return evaluate_series(first, factors);
  while (!factors.empty()) {
    const auto size = std::min<std::size_t>(factors.size(), static_cast<std::size_t>(piece));
    evaluate_piece(first, factors.first(size));
    first += piece;
    factors = factors.subspan(size);
  }
}

void FactorSeries::evaluate_series(std::int64_t first, std::span<double> factors) const {
  Block block;
  for (; !factors.empty(); first += block_size) {
    for (int i = 0; i < block_size; ++i) {
      const double ratio = std::min(static_cast<double>(first + i), last_) / last_;
      block[i] = 2 * ratio * ratio - 1;
    }
    chebyshev_sums(coefficients_, block);
    const std::size_t size = std::min<std::size_t>(block_size, factors.size());
    for (std::size_t i = 0; i < size; ++i) factors[i] = std::exp(block[i]);
    factors = factors.subspan(size);
  }
}

void FactorSeries::evaluate_piece(std::int64_t first, std::span<double> factors) const {
  if (factors.size() < static_cast<std::size_t>(shortest_piece) / 4) return evaluate_series(first, factors);
  static const Interpolation interpolation;
  const double half = 0.5 * static_cast<double>(factors.size() - 1), middle = static_cast<double>(first) + half;
  Block block{};
  for (int m = 0; m < piece_nodes; ++m) {
    const double ratio = (middle + half * interpolation.node(m)) / last_;
    block[m] = 2 * ratio * ratio - 1;
  }
  chebyshev_sums(coefficients_, block);
  for (int m = 0; m < piece_nodes; ++m) block[m] = std::exp(block[m]);
  const Powers powers = interpolation.powers(block);
  constexpr std::size_t together = 8;  // sums that run side by side in registers
  for (std::size_t begin = 0; begin < factors.size(); begin += together) {
    std::array<double, together> t, value;
    for (std::size_t i = 0; i < together; ++i) t[i] = static_cast<double>(begin + i) / half - 1;
    value.fill(powers[piece_degree]);
    for (int q = piece_degree - 1; q >= 0; --q)
      for (std::size_t i = 0; i < together; ++i) value[i] = value[i] * t[i] + powers[q];
    const std::size_t size = std::min(together, factors.size() - begin);
    std::copy_n(value.begin(), size, factors.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

}  // namespace offgrid
