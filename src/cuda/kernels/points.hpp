// The points as the kernels read them: a stream of packed records in the method's order, and the grid that they refer to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/types.hpp"

namespace offgrid::cuda {

// Cells of the axes beyond the dimension: 1.
struct GridShape {
  std::uint32_t n[max_dim];
  std::uint64_t cells;
};

// A point has a cell, (i0x, i0y, i0z), and a place t in it as in core/polynomial.hpp, an axis. They are
//   joined  in one word of 32 bits an axis, the cell above `fraction_bits` bits of (t + 1) / 2: f32 where that is exact
//           enough
//   apart   t as a number, and the cells of all axes in as many bits as the grid needs: in `low`, and in `high` too where
//           those are more than 32
// index: place of the point in the caller's arrays.
enum class CellKind { joined, low, low_and_high };

constexpr std::size_t record_alignment(std::size_t bytes) { return bytes % 16 == 0 || bytes % 16 > 8 ? 16 : 8; }

template <class T, int D, CellKind> struct Record;
template <class T, int D> struct alignas(record_alignment(4 + 4 * D)) Record<T, D, CellKind::joined> {
  std::uint32_t index, words[D];
};
template <class T, int D> struct alignas(record_alignment(8 + D * sizeof(T))) Record<T, D, CellKind::low> {
  std::uint32_t index, low;
  T t[D];
};
template <class T, int D> struct alignas(record_alignment(12 + D * sizeof(T))) Record<T, D, CellKind::low_and_high> {
  std::uint32_t index, low;
  T t[D];
  std::uint32_t high;
};

template <class T> struct PackedPoints {
  const void* records;
  std::uint32_t record_bytes;
  std::int64_t first, count;  // indices are counted from `first`
  int shift[max_dim + 1];     // bits of the axes before this one
  int fraction_bits;          // 0: apart

#ifdef __CUDACC__
  __device__ std::uint32_t index(std::uint32_t i) const {  // first in all records
    return *reinterpret_cast<const std::uint32_t*>(static_cast<const char*>(records) + std::uint64_t{i} * record_bytes);
  }
#endif
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
