// The points that the accuracy table and the benchmark use. A coordinate is a pure function of (set, axis, number of
// the point), so arrays are filled in parallel and are the same everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axes.hpp"

namespace cli {

enum class PointSet {
  uniform,    // in [-pi, pi)^d
  clustered,  // uniform in [0, 8 pi / N]^d: a few cells of the grid hold them all
  nodes,      // exactly where grids have their nodes
  edges,      // +-pi and the numbers next to it, among ordinary points
  far,        // in [-1e8, 1e8]^d, many periods away
  repeated,   // one point, again and again
  radial      // on spokes through the origin, densest there
};

inline constexpr PointSet all_point_sets[] = {PointSet::uniform, PointSet::clustered, PointSet::nodes, PointSet::edges,
                                              PointSet::far,     PointSet::repeated,  PointSet::radial};

const char* name_of(PointSet set);

struct PointRequest {
  PointSet set = PointSet::uniform;
  std::int64_t count = 0;
  std::vector<std::int64_t> modes;               // N1, .. Nd
  std::vector<std::vector<std::int64_t>> grids;  // for `nodes`: n1, .. nd of every grid whose nodes to take
  std::uint64_t seed = 1;
};

template <class T> Points<T> make_points(const PointRequest& request);

}  // namespace cli
