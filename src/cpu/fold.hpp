// The exact fold: from a coordinate anywhere to a cell and a place inside it, vectorised.
//   g = n * frac(x / 2 pi)        i0 = ceil(g - w/2) mod n        t = 2 (i0 - g + w/2) - 1 in [-1, 1)
// x / 2 pi and the product with n are carried in double-double, so that t is good to the last bit at any n.
#pragma once

#include <array>
#include <cstdint>

#include "core/types.hpp"
#include "cpu/policy.hpp"

namespace offgrid::cpu {

// Up to here two constants of 2 pi are exact. Farther out the coordinate is first taken modulo the double nearest to 2
// pi: its own spacing is coarser than that error long before it matters.
inline constexpr double exact_range = 1e9;

// Weights that turn cells into the sort key (block by block, box by box) and the cell's address inside its block.
struct FoldAxis {
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
  alignas(64) double key[fold_chunk];   // whole numbers
  alignas(64) double cell[fold_chunk];  // whole numbers
};

// Folds points [first, first + count), count <= fold_chunk. False where a coordinate is not finite.
template <class T>
bool fold_points(const FoldPlan& plan, const Points<T>& points, std::int64_t first, std::int64_t count,
                 FoldedChunk<T>& folded);

}  // namespace offgrid::cpu
