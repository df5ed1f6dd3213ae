// The points as the kernels read them: a stream of packed records in the method's order, and the grid that they refer to.
#pragma once

#include <array>
#include <cstdint>

#include "core/types.hpp"

namespace offgrid::cuda {

// Cells of the axes beyond the dimension: 1.
struct GridShape {
  std::uint32_t n[max_dim];
  std::uint64_t cells;
};

// One array a field. A point has a cell, (i0x, i0y, i0z), and a place t in it as in core/polynomial.hpp, an axis. They are
//   joined  in one word of 32 bits an axis, the cell above `fraction_bits` bits of (t + 1) / 2: f32 where that is exact
//           enough; `t` then holds such words
//   apart   t as a number, and the cells of all axes in as many bits as the grid needs: in `low`, and in `high` too where
//           those are more than 32
// index: place of the point in the caller's arrays, counted from `first`; null where the points are in the caller's order.
template <class T> struct PackedPoints {
  const T* t[max_dim];
  const std::uint32_t* low;
  const std::uint32_t* high;
  const std::uint32_t* index;
  std::int64_t first, count;
  int shift[max_dim + 1];  // bits of the axes before this one
  int fraction_bits;       // 0: apart
};

// A piece of a bin: points [first, first + count) of a set.
struct Subproblem {
  std::uint32_t bin, count;
  std::uint32_t first;
};

struct Bins {
  std::uint32_t size[max_dim];   // cells
  std::uint32_t count[max_dim];  // bins an axis
  [[nodiscard]] std::int64_t total() const { return std::int64_t{count[0]} * count[1] * count[2]; }
};

}  // namespace offgrid::cuda
