// Points on their way to the ranks whose cells they are in. A point at z belongs to plane floor(g), g = z n / (2 pi), of the n planes
// of the whole grid; its owner gets the coordinate that it has in the owner's slab with halos,
//   z' = 2 pi (plane - first + halo + (g - plane)) / (own + 2 halo)
// No MPI in here.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "mpi/error.hpp"
#include "mpi/partition.hpp"

namespace offgrid::mpi::inside {

struct PlaneOfPoint {
  std::int64_t plane;
  double rest;  // g - plane, from 0 to 1
};

// 2 pi is more than one double holds: the second one keeps the last digits of points that are many periods away.
inline PlaneOfPoint find_plane(double z, std::int64_t planes) {
  constexpr double period = 2 * std::numbers::pi, period_rest = 2.4492935982947064e-16;
  const double periods = std::nearbyint(z / period);
  const double folded = std::fma(-periods, period_rest, std::fma(-periods, period, z));
  const double g = folded / period * static_cast<double>(planes), below = std::floor(g);
  std::int64_t plane = static_cast<std::int64_t>(below) % planes;
  if (plane < 0) plane += planes;
  return {plane, g - below};
}

// The slabs of all ranks.
struct Slabs {
  Blocks planes;
  std::int64_t halo = 0;

  [[nodiscard]] double coordinate(const PlaneOfPoint& point, int owner) const {
    const std::int64_t whole = point.plane - planes.first(owner) + halo;
    const double cells = static_cast<double>(planes.count(owner) + 2 * halo);
    return 2 * std::numbers::pi * ((static_cast<double>(whole) + point.rest) / cells);
  }
};

// The points of one rank, ordered by owner.
template <class T> struct Departure {
  std::vector<std::int64_t> order;   // point order[i] is the i-th that is sent
  std::vector<std::int64_t> counts;  // to each rank
  std::vector<T> last;  // coordinates along the slowest axis, as the owners need them, in the order of sending
};

template <class T> Departure<T> sort_by_owner(const Slabs& slabs, const T* z, std::int64_t count) {
  const auto parts = static_cast<std::size_t>(slabs.planes.parts);
  Departure<T> departure{.order = std::vector<std::int64_t>(static_cast<std::size_t>(count)),
                         .counts = std::vector<std::int64_t>(parts),
                         .last = std::vector<T>(static_cast<std::size_t>(count))};
  std::vector<PlaneOfPoint> where(static_cast<std::size_t>(count));
  std::vector<int> owners(static_cast<std::size_t>(count));
  for (std::size_t j = 0; j < where.size(); ++j) {
    if (!(std::abs(z[j]) <= 1e9))
      throw Error(OFFGRID_INVALID_ARGUMENT, "points: a coordinate is not finite, or is larger than 1e9 in size");
    where[j] = find_plane(static_cast<double>(z[j]), slabs.planes.length);
    owners[j] = slabs.planes.owner(where[j].plane);
    ++departure.counts[static_cast<std::size_t>(owners[j])];
  }
  std::vector<std::int64_t> next(parts);
  for (std::size_t part = 1; part < parts; ++part) next[part] = next[part - 1] + departure.counts[part - 1];
  for (std::size_t j = 0; j < where.size(); ++j) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(owners[j])]++);
    departure.order[at] = static_cast<std::int64_t>(j);
    departure.last[at] = parts == 1 ? z[j] : static_cast<T>(slabs.coordinate(where[j], owners[j]));
  }
  return departure;
}

}  // namespace offgrid::mpi::inside
