// set_points on the CPU: fold every point exactly, sort by box, keep what execute needs packed in that order.
// A point becomes, per axis, its first cell i0 = ceil(g - w/2) and the place t in [-1, 1) of the kernel relative to it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "cpu/memory/memory.hpp"
#include "cpu/policy.hpp"
#include "cpu/range.hpp"
#include "cpu/spread/layout.hpp"

namespace offgrid::cpu {

// One sorted point. `cell` counts grid cells from its block's first cell.
template <class T, int D> struct PackedPoint {
  T t[D];
  std::uint32_t cell;
  std::uint32_t index;  // in the caller's arrays, from the set's first point
};

template <class T> constexpr std::int64_t packed_size(int dim) {
  return static_cast<std::int64_t>((dim * sizeof(T) + 8 + alignof(T) - 1) / alignof(T) * alignof(T));
}

// Boxes and blocks of a grid. A block is a pencil along x, cut out in y and z; in 1D an interval. Keys count the boxes
// of a block, then the next block's.
struct Tiling {
  Tiling(const Layout& layout, const SortPolicy& policy);

  int dim = 1;
  Sizes box_log2{};             // cells of a box
  std::int64_t block_log2 = 0;  // cells of a block in each axis that is cut
  Sizes blocks{1, 1, 1};        // blocks an axis
  std::int64_t boxes_in_block = 1, block_count = 1;

  [[nodiscard]] bool is_cut(int axis) const { return axis < dim && (axis > 0 || dim == 1); }
  [[nodiscard]] std::int64_t box_count() const { return boxes_in_block * block_count; }
  [[nodiscard]] std::int64_t bricks(int axis) const {  // boxes of a block along an axis that is cut
    return is_cut(axis) ? std::int64_t{1} << (block_log2 - box_log2[axis]) : 1;
  }
};

struct Block {
  std::int64_t first_point, points;
  std::int64_t first_cell;  // of the grid
  int colour;               // blocks of one colour touch no cell in common
};

// One sorted set of at most policy.max_points points.
struct SortedPoints {
  Buffer<std::byte> packed;   // PackedPoint<T, D>
  std::vector<Block> blocks;  // those with points, in order
  std::int64_t first_point = 0, count = 0;
  bool in_order = false;        // not sorted at all: the whole grid is one box
  std::int64_t block_side = 0;  // cells of a block in each axis that is cut into blocks
  std::int64_t box_side = 0;    // cells of a box along x
  double overlap = 0;           // how often a cell is added to, see crowding.hpp; 0 where that cannot matter
  double repeats = 1;           // the most points at one place, counted where it could matter

  // Of points in order:
  bool clustered = false;        // whether neighbours often add to the same cells, of which there are few
  std::vector<Range> columns{};  // of the grid that they can reach

  [[nodiscard]] std::int64_t column_count() const {
    std::int64_t total = 0;
    for (const Range& range : columns) total += range.size();
    return total;
  }
  [[nodiscard]] std::int64_t list_bytes() const { return capacity_bytes(blocks) + capacity_bytes(columns); }
  template <class T, int D> [[nodiscard]] const PackedPoint<T, D>* points() const {
    return reinterpret_cast<const PackedPoint<T, D>*>(packed.data());
  }
};

// Where packed points go: into the spare memory if it is large enough, because fresh memory would cost as much as the
// sort.
struct PointStorage {
  Buffer<std::byte> spare;
  MemoryCount* count = nullptr;  // of fresh memory
};

// Throws invalid_argument where a coordinate is not finite.
template <class T>
SortedPoints sort_points(const Points<T>& points, const Layout& layout, const SortPolicy& policy, int threads,
                         PointStorage& storage);

// The coordinates of axes that the grid does not have (types.hpp) are not used, but bad ones are refused all the same.
template <class T> void require_dropped_axes(const Points<T>& points, int dim, int threads);

// The points of a set sorted in single precision, for sums in double precision. The grids must have the same layout.
struct Conversion {
  int dim, threads;
};
template <class T>
SortedPoints convert_points(const SortedPoints& points, const Conversion& how, PointStorage& storage);

}  // namespace offgrid::cpu
