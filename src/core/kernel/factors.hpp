// The deconvolution factors of one axis, 1 / phihat(k) for |k| = 0 .. N/2, which undo what spreading does to each mode.
// They are a smooth function of k,
//   1 / phihat(k) = exp( sum over j of series[j] T_j(s) ),  s = 2 (k / last)^2 - 1,
// so that a design holds the few coefficients of this Chebyshev series and the engines evaluate it where they need the
// factors: on all their threads, or on the device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel/window.hpp"

namespace offgrid {

class FactorSeries {
 public:
  FactorSeries() = default;
  // Of an axis with `modes` modes on a grid of `grid` cells, modes < grid.
  FactorSeries(const Window& window, std::int64_t modes, std::int64_t grid);
  // The series alone, as a function of u = k / last: up to u = 1, where a mode makes `turns_per_cell` turns per cell.
  FactorSeries(const Window& window, double turns_per_cell);

  [[nodiscard]] std::int64_t count() const { return count_; }  // of factors, N/2 + 1
  [[nodiscard]] double last() const { return last_; }          // the largest |k|, or a little more than 0 for one mode
  [[nodiscard]] const std::vector<double>& coefficients() const { return coefficients_; }

  // The factors of k = first .. first + factors.size() - 1. Their relative error is at most 1e-14, and 2e-14 where they
  // range over four decades (sigma = 1.125, width 16). Long runs are cut into pieces, each with a polynomial of its own.
  void evaluate(std::int64_t first, std::span<double> factors) const;
  [[nodiscard]] double operator()(std::int64_t k) const;
  // Multiplies all factors by a number over 0.
  void scale(double by);
  bool operator==(const FactorSeries&) const = default;

 private:
  void make_series(const Window& window, double turns_per_cell);
  void evaluate_series(std::int64_t first, std::span<double> factors) const;
  void evaluate_piece(std::int64_t first, std::span<double> factors) const;

  std::int64_t count_ = 0;
  double last_ = 0;
  std::vector<double> coefficients_;
};

}  // namespace offgrid
