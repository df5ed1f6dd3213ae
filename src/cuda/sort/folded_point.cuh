// A point on its way from the caller's coordinates to its key in the sort and its record.
#pragma once

#include <cstdint>

#include "cuda/kernels/points.hpp"
#include "cuda/sort/fold.cuh"

namespace offgrid::cuda {

struct FoldArguments {
  FoldAxis axis[max_dim];
  Bins bins;
  std::uint32_t inverse_bin[max_dim];  // 2^bin_shift / size, rounded up
  int bin_shift[max_dim];
  int shift[max_dim + 1];  // as in PackedPoints
  std::int64_t count;
  int fraction_bits;
  std::uint32_t levels;  // different keys of a column (SortSpec); 0: there are no columns

  __device__ std::uint32_t bin(std::uint32_t cell, int axis) const {
    return static_cast<std::uint32_t>(std::uint64_t{cell} * inverse_bin[axis] >> bin_shift[axis]);
  }
  // The key of a point by which it is sorted. cell(axis) returns the point's cell along an axis.
  template <int D, class Cell> __device__ std::uint32_t key(Cell&& cell) const {
    std::uint32_t bin[max_dim]{};
#pragma unroll
    for (int axis = 0; axis < D; ++axis) bin[axis] = this->bin(cell(axis), axis);
    const std::uint32_t plane = bin[1] * bins.count[0] + bin[0];
    if (levels == 0) return bin[2] * (bins.count[1] * bins.count[0]) + plane;
    if (D == 2) return levels == 1 ? plane : plane * levels + cell(1) - bin[1] * bins.size[1];
    return plane * levels + bin[2];
  }
};

template <class T, int D> struct UnfoldedPoint {
  T axis[D];

  // Whether the point can be folded.
  __device__ bool is_near(const T* largest) const {
    bool all = true;
#pragma unroll
    for (int d = 0; d < D; ++d) all = all && fabs(axis[d]) <= largest[d];
    return all;
  }
  __device__ UnfoldedPoint<double, D> widened() const {
    UnfoldedPoint<double, D> wide;
#pragma unroll
    for (int d = 0; d < D; ++d) wide.axis[d] = static_cast<double>(axis[d]);
    return wide;
  }
};

template <class T> struct Coordinates {
  const T* axis[max_dim];
  T largest[max_dim];
  template <int D> __device__ UnfoldedPoint<T, D> read(std::int64_t i) const {
    UnfoldedPoint<T, D> point;
#pragma unroll
    for (int d = 0; d < D; ++d) point.axis[d] = axis[d][i];
    return point;
  }
};

template <class T, int D> struct FoldedPoint {
  Folded axis[D];

  // Needs point.is_near().
  __device__ FoldedPoint(const UnfoldedPoint<double, D>& point, const FoldArguments& a) {
#pragma unroll
    for (int d = 0; d < D; ++d) axis[d] = fold(point.axis[d], a.axis[d]);
  }

  __device__ explicit FoldedPoint(const Folded (&folded)[D]) {
#pragma unroll
    for (int d = 0; d < D; ++d) axis[d] = folded[d];
  }

  __device__ std::uint32_t key(const FoldArguments& a) const {
    return a.template key<D>([&](int d) { return axis[d].cell; });
  }

  template <CellKind K> __device__ Record<T, D, K> record(const FoldArguments& a, std::int64_t i) const {
    Record<T, D, K> record;
    record.index = static_cast<std::uint32_t>(i);
    if constexpr (K == CellKind::joined) {
      const int steps = 1 << a.fraction_bits;
      const double half_steps = 0.5 * steps;
#pragma unroll
      for (int d = 0; d < D; ++d) {
        const int fraction = low_word(__fma_rd(axis[d].t + 1, half_steps, rounder));
        record.words[d] =
            axis[d].cell << a.fraction_bits | static_cast<std::uint32_t>(min(max(fraction, 0), steps - 1));
      }
    } else {
      std::uint64_t cells = 0;
#pragma unroll
      for (int d = 0; d < D; ++d) {
        record.t[d] = static_cast<T>(axis[d].t);
        cells |= std::uint64_t{axis[d].cell} << a.shift[d];
      }
      record.low = static_cast<std::uint32_t>(cells);
      if constexpr (K == CellKind::low_and_high) record.high = static_cast<std::uint32_t>(cells >> 32);
    }
    return record;
  }
};

}  // namespace offgrid::cuda
