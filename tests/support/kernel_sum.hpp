// Direct sums of a kernel in long double, what a plan with spread_only computes:
//   to cells   cells[l] = sum over j of strengths[j] prod over axes of phi(2 (l_a - g_ja) / w),  g_ja = x_ja n_a / (2 pi)
//   to points  strengths[j] = sum over l of cells[l] of the same products
// over the cells with -w/2 <= l - g < w/2, periodic. Several vectors follow one another.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "core/kernel/window.hpp"
#include "oracle.hpp"

namespace support {

class KernelSum {
 public:
  using Real = long double;

  KernelSum(const offgrid::Window& window, Sizes cells)
      : phi_(window), half_(Real(window.width) / 2), cells_(std::move(cells)) {}

  [[nodiscard]] Real at(Real distance) const { return phi_(distance / half_); }

  template <class T>
  [[nodiscard]] Sums to_cells(const PointSet<T>& points, const std::vector<std::complex<T>>& strengths) const {
    const std::size_t count = product(cells_), vectors = vectors_of(strengths.size(), points.count());
    Wide sums(count * vectors);
    for_each_pair(points, [&](std::int64_t j, std::size_t cell, Real weight) {
      for (std::size_t v = 0; v < vectors; ++v)
        sums[v * count + cell] += weight * std::complex<Real>(strengths[v * points.count() + j]);
    });
    return Sums(sums.begin(), sums.end());
  }

  template <class T>
  [[nodiscard]] Sums to_points(const PointSet<T>& points, const std::vector<std::complex<T>>& values) const {
    const std::size_t count = product(cells_), vectors = vectors_of(values.size(), product(cells_));
    Wide sums(points.count() * vectors);
    for_each_pair(points, [&](std::int64_t j, std::size_t cell, Real weight) {
      for (std::size_t v = 0; v < vectors; ++v)
        sums[v * points.count() + j] += weight * std::complex<Real>(values[v * count + cell]);
    });
    return Sums(sums.begin(), sums.end());
  }

 private:
  using Wide = std::vector<std::complex<Real>>;
  struct Reached {
    std::int64_t cell;
    Real weight;
  };

  static std::size_t vectors_of(std::size_t all, std::int64_t one) {
    return one == 0 ? 1 : all / static_cast<std::size_t>(one);
  }

  // The cells of an axis that a coordinate reaches.
  template <class T> [[nodiscard]] std::vector<Reached> along(int axis, T x) const {
    const std::int64_t n = cells_[axis];
    const Real g = Real(x) * Real(n) / (2 * std::numbers::pi_v<Real>);
    std::vector<Reached> reached;
    for (auto cell = static_cast<std::int64_t>(std::ceil(g - half_)); Real(cell) < g + half_; ++cell)
      reached.push_back({((cell % n) + n) % n, at(Real(cell) - g)});
    return reached;
  }

  template <class T, class Visit> void for_each_pair(const PointSet<T>& points, Visit visit) const {
    for (std::int64_t j = 0; j < points.count(); ++j) {
      std::array<std::vector<Reached>, 3> axes{{{{0, 1}}, {{0, 1}}, {{0, 1}}}};
      for (int a = 0; a < points.dim(); ++a) axes[a] = along(a, points.axis[a][j]);
      const std::int64_t nx = cells_[0], ny = cells_.size() > 1 ? cells_[1] : 1;
      for (const Reached& z : axes[2])
        for (const Reached& y : axes[1])
          for (const Reached& x : axes[0])
            visit(j, static_cast<std::size_t>((z.cell * ny + y.cell) * nx + x.cell), x.weight * y.weight * z.weight);
    }
  }

  offgrid::WindowFunction<Real> phi_;
  Real half_;
  Sizes cells_;
};

}  // namespace support
