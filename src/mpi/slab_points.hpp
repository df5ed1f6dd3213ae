// Points on their way to the ranks whose cells they are in. A point at z belongs to plane floor(g), g = z n / (2 pi), of the n
// planes of the whole grid; its owner gets the coordinate that it has in the owner's slab with halos,
//   z' = 2 pi (plane - first + halo + (g - plane)) / (own + 2 halo)
// No MPI in here.
#pragma once

#include <cmath>
#include <numbers>

#include "mpi/error.hpp"
#include "mpi/partition.hpp"

namespace offgrid::mpi::inside {

struct PlaneOfPoint {
  std::int64_t plane;
  double rest;  // g - plane, from 0 to 1
};

// 2 pi is more than one double holds: the second one keeps the last digits of points that are many periods away.
OFFGRID_ANYWHERE inline PlaneOfPoint find_plane(double z, std::int64_t planes) {
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

  [[nodiscard]] OFFGRID_ANYWHERE double coordinate(const PlaneOfPoint& point, int owner) const {
    const std::int64_t whole = point.plane - planes.first(owner) + halo;
    const double cells = static_cast<double>(planes.count(owner) + 2 * halo);
    return 2 * std::numbers::pi * ((static_cast<double>(whole) + point.rest) / cells);
  }
};

// Coordinates beyond this size are refused; not finite ones are, too.
[[nodiscard]] OFFGRID_ANYWHERE inline bool is_coordinate(double z) { return z >= -1e9 && z <= 1e9; }
[[noreturn]] inline void refuse_coordinates() {
  throw Error(OFFGRID_INVALID_ARGUMENT, "points: a coordinate is not finite, or is larger than 1e9 in size");
}

// Where a point goes, and its coordinate along the slowest axis there. A rank alone keeps the caller's.
template <class T> struct Destination {
  int owner;
  T coordinate;
};
template <class T> [[nodiscard]] OFFGRID_ANYWHERE Destination<T> destination_of(const Slabs& slabs, T z) {
  if (slabs.planes.parts == 1) return {0, z};
  const PlaneOfPoint where = find_plane(static_cast<double>(z), slabs.planes.length);
  const int owner = slabs.planes.owner(where.plane);
  return {owner, static_cast<T>(slabs.coordinate(where, owner))};
}

}  // namespace offgrid::mpi::inside
