// The exact fold: from a coordinate anywhere to a cell and the position inside it, vectorised.
//   g = n * frac(turns(x))        i0 = ceil(g - w/2) mod n        t = 2 (i0 - g + w/2) - 1 in [-1, 1)
// The turns (AxisMap: x / 2 pi) and the product with n are carried in double-double, so that t is good to the last bit at any
// n and any x up to largest_coordinate. Chunks of single precision points within four periods do without the second double:
// t has 24 bits.
#pragma once

#include <array>
#include <cstdint>

#include "core/types.hpp"
#include "cpu/policy.hpp"
#include "cpu/sort/sort.hpp"

namespace offgrid::cpu {

// Weights that turn cells into the sort key (block by block, box by box) and the cell's address inside its block.
struct FoldAxis {
  AxisMap map;
  double cells = 1, half_width = 1;
  double block = 0, inverse_block = 0;  // cells of a block; 0 where the axis is not cut into blocks
  double inverse_box = 0;
  double block_weight = 0, box_weight = 0, cell_weight = 0;
};

struct FoldPlan {
  int dim = 1;
  std::array<FoldAxis, max_dim> axis;
};

template <class T> struct FoldedChunk {
  alignas(64) T t[max_dim][fold_chunk];
  alignas(64) std::uint32_t key[fold_chunk];
  alignas(64) std::uint32_t cell[fold_chunk];
};

// Points [first, first + count), count <= fold_chunk. All return false where a coordinate cannot be folded.
struct ChunkOfPoints {
  std::int64_t first, count;
};
template <class T>
bool fold_points(const FoldPlan& plan, const Points<T>& points, ChunkOfPoints which, FoldedChunk<T>& folded);

// Only the keys.
template <class T>
bool fold_keys(const FoldPlan& plan, const Points<T>& points, ChunkOfPoints which, FoldedChunk<T>& folded);

// 1D points that stay in order: folded and packed in one go. `packed` is where the chunk's first point belongs.
template <class T>
bool fold_in_order(const FoldPlan& plan, const Points<T>& points, ChunkOfPoints which, PackedPoint<T, 1>* packed);

}  // namespace offgrid::cpu
