// Points and values that the tests put in: random vectors from a seed, and the point sets that broke other libraries.
// Standard library only, so that the tests of the C interface can use them too.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace support {

using Sizes = std::vector<std::int64_t>;

inline std::int64_t product(const Sizes& sizes) {
  std::int64_t all = 1;
  for (const std::int64_t size : sizes) all *= size;
  return all;
}

// M points, one array an axis.
template <class T> struct PointSet {
  std::vector<std::vector<T>> axis;
  [[nodiscard]] int dim() const { return static_cast<int>(axis.size()); }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(axis[0].size()); }
};

template <class T> std::vector<std::complex<T>> random_values(std::int64_t count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<T> part(-1, 1);
  std::vector<std::complex<T>> values(count);
  for (auto& value : values) value = {part(generator), part(generator)};
  return values;
}

// Points whose coordinate on each axis is coordinate(j), called in the order of the points.
template <class T, class F> PointSet<T> make_points(int dim, std::int64_t count, F coordinate) {
  PointSet<T> points{std::vector<std::vector<T>>(dim, std::vector<T>(count))};
  for (std::int64_t j = 0; j < count; ++j)
    for (auto& axis : points.axis) axis[j] = static_cast<T>(coordinate(j));
  return points;
}

template <class T> PointSet<T> points_between(double low, double high, int dim, std::int64_t count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> anywhere(low, high);
  return make_points<T>(dim, count, [&](std::int64_t) { return anywhere(generator); });
}

template <class T> PointSet<T> uniform_points(int dim, std::int64_t count, unsigned seed = 1) {
  return points_between<T>(-3, 3, dim, count, seed);  // inside (-pi, pi) after rounding to T, too
}

// All of them in a box of 1e-3: one bin gets every point.
template <class T> PointSet<T> clustered_points(int dim, std::int64_t count, unsigned seed = 1) {
  return points_between<T>(1, 1.001, dim, count, seed);
}

template <class T>
PointSet<T> choose_from(const std::vector<T>& coordinates, int dim, std::int64_t count, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  return make_points<T>(dim, count, [&](std::int64_t) { return coordinates[generator() % coordinates.size()]; });
}

// Exactly on the nodes 2 pi i / cells of a grid, as nearly as T can say it.
template <class T> PointSet<T> points_on_nodes(const Sizes& cells, std::int64_t count, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  PointSet<T> points;
  for (const std::int64_t n : cells) {
    auto& axis = points.axis.emplace_back(count);
    for (T& x : axis) {
      const auto node = static_cast<double>(generator() % static_cast<std::uint64_t>(n)) - static_cast<double>(n / 2);
      x = static_cast<T>(2 * std::numbers::pi * node / static_cast<double>(n));
    }
  }
  return points;
}

// Where folding goes wrong: the ends of the period and their neighbours, both zeros, and denormals.
template <class T> std::vector<T> delicate_coordinates() {
  const T pi = std::numbers::pi_v<T>, tiny = std::numeric_limits<T>::denorm_min(),
          small = std::numeric_limits<T>::min();
  std::vector<T> all{T(0), T(-0.0), tiny, -tiny, small, -small, pi / 2, -pi / 2};
  for (const T end : {pi, -pi, 2 * pi, -2 * pi, 3 * pi, -3 * pi})
    all.insert(all.end(), {end, std::nextafter(end, T(-100)), std::nextafter(end, T(100))});
  return all;
}

template <class T> PointSet<T> spiral_points(int dim, std::int64_t count) {
  PointSet<T> points{std::vector<std::vector<T>>(dim, std::vector<T>(count))};
  for (std::int64_t j = 0; j < count; ++j) {
    const double radius = std::numbers::pi * static_cast<double>(j) / static_cast<double>(count);
    for (int a = 0; a < dim; ++a)
      points.axis[a][j] = static_cast<T>(radius * std::cos(2.4 * static_cast<double>(j) + 1.5 * a));
  }
  return points;
}

// The points in another order: result j is point order[j].
template <class T> PointSet<T> reordered(const PointSet<T>& points, const std::vector<std::int64_t>& order) {
  PointSet<T> result{std::vector<std::vector<T>>(points.dim())};
  for (int a = 0; a < points.dim(); ++a)
    for (const std::int64_t j : order) result.axis[a].push_back(points.axis[a][j]);
  return result;
}

}  // namespace support
