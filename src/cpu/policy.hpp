// The tuned numbers of the CPU engine. Found with `offgrid bench` and bench/compare_finufft.py on a Zen 4 core
// (32 KiB L1, 1 MiB L2); the choices only cost speed elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/design.hpp"
#include "core/types.hpp"

namespace offgrid::cpu {

// Points are sorted into boxes of grid cells. A counting sort into many boxes misses the cache at every point; a box that
// with its halo outgrows the first-level cache slows spreading down. Which matters more depends on the work per point.
struct SortPolicy {
  Sizes box_log2{};                                       // sides of the smallest boxes, powers of two
  std::int64_t few_boxes = 0;                             // boxes grow until there are no more than this,
  std::int64_t roomy = 0;                                 // or until they have this many cells,
  std::int64_t max_boxes = 1 << 16;                       // and further while there are more than this
  std::int64_t max_points = (std::int64_t{1} << 32) - 1;  // of one sorted set: its indices have 32 bits
  bool in_order = false;                                  // one box: the points stay as they came
  bool may_crowd = false;                                 // whether to measure how crowded they are,
  double allowed_error = 0;                               // of sums, as closely as this takes (crowding.hpp)
};

// A 1D grid that fits in the second-level cache is quick to reach anywhere; sorting would cost more than it saves.
inline constexpr std::int64_t in_order_bytes = std::int64_t{4} << 20;

struct SortCase {
  int dim, width;
  std::int64_t real_bytes, cells, points;
  bool must_sort = false, clustered = false;
};

constexpr SortPolicy sort_policy(const SortCase& c) {
  const bool small = c.cells * 2 * c.real_bytes <= in_order_bytes;
  if (c.dim == 1 && small && c.points >= c.cells / 4 && !c.must_sort) return {.in_order = true};
  if (c.dim == 1) return {.box_log2 = {10, 0, 0}};
  if (c.dim == 2) return {.box_log2 = {4, 3, 0}, .few_boxes = 1 << 10, .roomy = 4096};
  const bool heavy = c.width * c.width * c.width * c.real_bytes > 1200;
  return {.box_log2 = {3, 2, 2}, .few_boxes = 1 << 10, .roomy = heavy || c.clustered ? 0 : 4096};
}

// Blocks of boxes that one thread spreads at a time. A block reaches width - 1 cells into the next one, never further.
constexpr int block_log2(int dim, int width) {
  if (dim == 1) return 13;
  return width <= 9 ? 3 : 4;
}

inline constexpr std::int64_t fold_chunk = 256;  // points folded at a time, in first-level cache
inline constexpr std::int64_t max_spare_bytes = std::int64_t{256}
                                                << 20;  // memory that set_points may keep for its next call
inline constexpr std::size_t least_kept_bytes = std::size_t{128} << 10;   // of a block that plans leave to later ones,
inline constexpr std::int64_t most_kept_bytes = std::int64_t{256} << 20;  // and of all of them
inline constexpr std::int64_t item_points = 4096;         // points in a unit of work, unless a block is dense
inline constexpr std::int64_t dense_block_points = 8192;  // a block under this is never shared by threads
inline constexpr std::int64_t fewest_part_points =
    1024;  // crowded points that are added up in one go, where that suffices,
inline constexpr std::int64_t careful_part_points = 128;  // and where parts are then added up in twice the precision
inline constexpr double clustered_overlap = 0.1;     // of neighbours in order: from here on they wait for each other
inline constexpr std::int64_t clustered_points = 8;  // a column that they reach, so that copies of it pay
inline constexpr int row_copies = 4;                 // that clustered points take turns to add to
inline constexpr int chunk_points = 16;              // points whose kernel values are held at a time

// Sums over all pairs (direct_sum.cpp). The costs were measured beside plans by grids of 20 to 1000 points, 1D to 3D.
inline constexpr std::int64_t direct_chunk = 128;  // terms whose phases are held at a time, in first-level cache,
inline constexpr std::int64_t direct_values = 8;   // for each of so many values
inline constexpr DirectCosts direct_costs{.pair = 1, .axis = 0.12, .vector = 0.13};

// Nanoseconds on one core, for the choice of sigma and width.
inline BackendTraits cost_traits(int vector_bytes) {
  BackendTraits traits{"cpu", vector_bytes, std::min(vector_bytes, 32)};
  traits.point = 8;
  traits.kernel_axis = 0.25;
  traits.row_vector = 0.4;
  traits.fft = 1;
  traits.cell = 16;
  traits.direct.fill(direct_costs);
  traits.longest_sum = [](std::int64_t points) {
    constexpr std::int64_t few_more = 64;  // threads that add up their own sums
    return static_cast<double>(std::min(points, careful_part_points + few_more));
  };
  traits.batch_bytes = std::int64_t{768} << 10;  // of the second-level cache; the rest is for points and strengths
  return traits;
}

}  // namespace offgrid::cpu
