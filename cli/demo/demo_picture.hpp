// The picture that `offgrid demo` leaves: truth, gridding and conjugate gradients side by side; below them the samples
// of k-space and the two images' errors.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "axes.hpp"

namespace cli {

struct DemoPicture {
  std::int64_t pixels = 0;
  std::vector<double> truth, gridding, solved;
  double gridding_error = 0, solved_error = 0;
  std::vector<double> k_space;  // log of the magnitude where a sample fell, on the same raster as the panels' pixels

  [[nodiscard]] std::int64_t zoom() const { return pixels < 384 ? 2 : 1; }
  [[nodiscard]] std::int64_t side() const { return pixels * zoom(); }

  template <class T> void set_samples(const Points<T>& points, const std::vector<std::complex<T>>& samples) {
    k_space.assign(static_cast<std::size_t>(side() * side()), -1);
    const double scale = static_cast<double>(side()) / (2 * std::numbers::pi);
    for (std::size_t j = 0; j < samples.size(); ++j) {
      const auto column = static_cast<std::int64_t>((points.coordinates[0][j] + std::numbers::pi) * scale);
      const auto row = static_cast<std::int64_t>((points.coordinates[1][j] + std::numbers::pi) * scale);
      if (column < 0 || row < 0 || column >= side() || row >= side()) continue;
      k_space[static_cast<std::size_t>(row * side() + column)] =
          std::log10(1 + static_cast<double>(std::abs(samples[j])));
    }
  }

  void save(const std::string& path) const;
};

}  // namespace cli
