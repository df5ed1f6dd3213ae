#include "point_sets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "random.hpp"

namespace cli {
namespace {

using std::numbers::pi;

double turn_fraction(std::int64_t spoke, double step) {
  const double turns = static_cast<double>(spoke) * step;
  return turns - std::floor(turns);
}

// Golden-angle spokes in 2D, their 3D relative (two irrational steps), and a line denser at the origin in 1D.
double radial_coordinate(const PointRequest& request, std::size_t axis, std::int64_t j) {
  const auto samples = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(request.count))));
  const std::int64_t spoke = j / samples;
  const double along = (static_cast<double>(j % samples) + 0.5) / static_cast<double>(samples);
  const double radius = pi * (2 * along - 1);
  if (request.modes.size() == 1) return radius * std::abs(2 * along - 1) * (1 - turn_fraction(spoke, 0.618034));
  if (request.modes.size() == 2) {
    const double angle = 2 * pi * turn_fraction(spoke, 111.246 / 360);
    return radius * (axis == 0 ? std::cos(angle) : std::sin(angle));
  }
  const double height = 2 * turn_fraction(spoke, 0.4656) - 1, angle = 2 * pi * turn_fraction(spoke, 0.6823);
  if (axis == 2) return radius * height;
  return radius * std::sqrt(1 - height * height) * (axis == 0 ? std::cos(angle) : std::sin(angle));
}

double node_coordinate(const PointRequest& request, const CounterRandom& random, std::size_t axis, std::int64_t j) {
  const auto& grid = request.grids[static_cast<std::size_t>(j) % request.grids.size()];
  const auto size = static_cast<double>(grid[axis]);
  return 2 * pi * (std::floor(random.uniform(static_cast<std::uint64_t>(j)) * size) - std::floor(size / 2)) / size;
}

// +-pi, and one step of T to either side. Every other point is an ordinary one: modulo 2 pi the edges are one place, and
// the error of a type 2 at one place is a matter of chance, not an l2 error.
template <class T> T edge_coordinate(const CounterRandom& random, std::int64_t j) {
  if (j % 2 == 1) return static_cast<T>(random.uniform(static_cast<std::uint64_t>(j), -pi, pi));
  const std::uint64_t choice = random.bits(static_cast<std::uint64_t>(j)) % 6;
  const auto edge = static_cast<T>(choice % 2 == 0 ? pi : -pi);
  if (choice < 2) return edge;
  return std::nextafter(edge, choice < 4 ? T{0} : 2 * edge);
}

template <class T>
T coordinate(const PointRequest& request, const CounterRandom& random, std::size_t axis, std::int64_t j) {
  const auto index = static_cast<std::uint64_t>(j);
  switch (request.set) {
    case PointSet::uniform:
      return static_cast<T>(random.uniform(index, -pi, pi));
    case PointSet::clustered:
      return static_cast<T>(random.uniform(index) * 8 * pi / static_cast<double>(request.modes[axis]));
    case PointSet::nodes:
      return static_cast<T>(node_coordinate(request, random, axis, j));
    case PointSet::edges:
      return edge_coordinate<T>(random, j);
    case PointSet::far:
      return static_cast<T>(random.uniform(index, -1e8, 1e8));
    case PointSet::repeated:
      return static_cast<T>(random.uniform(0, -pi, pi));
    case PointSet::radial:
      return static_cast<T>(radial_coordinate(request, axis, j));
  }
  return 0;
}

}  // namespace

const char* name_of(PointSet set) {
  switch (set) {
    case PointSet::uniform:
      return "uniform";
    case PointSet::clustered:
      return "clustered";
    case PointSet::nodes:
      return "nodes";
    case PointSet::edges:
      return "edges";
    case PointSet::far:
      return "far";
    case PointSet::repeated:
      return "repeated";
    case PointSet::radial:
      return "radial";
  }
  return "";
}

template <class T> Points<T> make_points(const PointRequest& request) {
  Points<T> points(request.modes.size(), request.count);
  for (std::size_t axis = 0; axis < request.modes.size(); ++axis) {
    const CounterRandom random(request.seed * 3 + axis);
    auto& values = points.coordinates[axis];
    oracle::parallel_ranges(request.count, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j)
        values[static_cast<std::size_t>(j)] = coordinate<T>(request, random, axis, j);
    });
  }
  return points;
}

template Points<float> make_points<float>(const PointRequest&);
template Points<double> make_points<double>(const PointRequest&);

}  // namespace cli
