// Who has what: an axis cut into one part per rank, and the planes that the halos of a slab stand for. No MPI in here.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/anywhere.hpp"

namespace offgrid::mpi::inside {

// `length` indices in `parts` consecutive parts. The first length % parts of them have one more than the others; where there
// are more parts than indices the last ones are empty.
struct Blocks {
  std::int64_t length = 0;
  int parts = 1;

  [[nodiscard]] OFFGRID_ANYWHERE std::int64_t first(int part) const {
    const std::int64_t larger = length % parts;
    return length / parts * part + (part < larger ? part : larger);
  }
  [[nodiscard]] OFFGRID_ANYWHERE std::int64_t count(int part) const { return first(part + 1) - first(part); }
  [[nodiscard]] OFFGRID_ANYWHERE int owner(std::int64_t index) const {
    const std::int64_t small = length / parts, larger = length % parts, in_larger = larger * (small + 1);
    if (index < in_larger) return static_cast<int>(index / (small + 1));
    return static_cast<int>(larger + (index - in_larger) / small);
  }
};

// Consecutive planes of a halo that one rank owns.
struct HaloRun {
  int owner;
  std::int64_t plane;        // of the slab with its halos, the first one
  std::int64_t owner_plane;  // of the owner's slab without halos
  std::int64_t count;
};

// The halos of a part's slab: `halo` planes below it and as many above it, periodic. A halo may be wider than the slabs beside
// it, and may come round to the slab itself. An empty part has no halos, since no point is in it.
inline std::vector<HaloRun> halo_runs(const Blocks& blocks, int part, std::int64_t halo) {
  std::vector<HaloRun> runs;
  const std::int64_t own = blocks.count(part), first = blocks.first(part) - halo;
  for (std::int64_t plane = 0; own > 0 && plane < own + 2 * halo; ++plane) {
    if (plane == halo) plane += own;
    if (plane >= own + 2 * halo) break;
    const std::int64_t index = ((first + plane) % blocks.length + blocks.length) % blocks.length;
    const int owner = blocks.owner(index);
    const HaloRun next{owner, plane, index - blocks.first(owner), 1};
    const bool follows = !runs.empty() && runs.back().owner == owner &&
                         runs.back().plane + runs.back().count == plane &&
                         runs.back().owner_plane + runs.back().count == next.owner_plane;
    if (follows)
      ++runs.back().count;
    else
      runs.push_back(next);
  }
  return runs;
}

}  // namespace offgrid::mpi::inside
