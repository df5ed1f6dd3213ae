// The points as the kernels read them: an array of packed records in the order of the sort, and the grid that they
// refer to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/types.hpp"

namespace offgrid::cuda {

struct GridShape {
  std::uint32_t n[max_dim];  // cells per axis; 1 for axes beyond the dimension
  std::uint64_t cells;       // of all axes together
};

// A record holds the index of the point in the caller's arrays and, per axis, the first cell i0 that the point reaches
// and its position t in [-1, 1) in that cell (core/kernel/polynomial.hpp). There are three kinds of records:
//   joined        one word of 32 bits per axis: the cell, above `fraction_bits` bits of (t + 1) / 2. Used for f32 where that
//                 is exact enough
//   low           t as a number, and the cells of all axes together in one word, each in as many bits as its axis needs
//   low_and_high  the same with a second word, where the cells need more than 32 bits
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
  std::int64_t first, count;  // `first` is the caller's point that has index 0 in the records
  int shift[max_dim + 1];     // bits of the axes before this one
  int fraction_bits;          // of joined records; 0: the records are of another kind

#ifdef __CUDACC__
  // The index of the i-th packed point, which comes first in records of every kind.
  __device__ std::uint32_t index(std::uint32_t i) const {
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
  std::uint32_t size[max_dim];   // cells of a bin along each axis
  std::uint32_t count[max_dim];  // bins along each axis
  [[nodiscard]] std::int64_t total() const { return std::int64_t{count[0]} * count[1] * count[2]; }
};

}  // namespace offgrid::cuda
