// The kernels of sort.cu.
#pragma once

#include <cstdint>

#include "cuda/fold.cuh"
#include "cuda/sort.hpp"

namespace offgrid::cuda {

inline constexpr int sort_threads = 256;

inline constexpr int permute_rounds = 4;  // points a thread moves, their reads under way together

// For reads and writes of 16 bytes, unless records would grow by more than a word.
constexpr std::size_t record_alignment(std::size_t bytes) { return (bytes + 15) / 16 * 16 - bytes <= 4 ? 16 : 8; }

// What the permutation moves.
template <class T, int D, CellKind> struct Record;
template <class T, int D> struct alignas(record_alignment(D * sizeof(T) + 4)) Record<T, D, CellKind::low> {
  T t[D];
  std::uint32_t cell;
};
template <class T, int D> struct Record<T, D, CellKind::low_and_high> {
  T t[D];
  std::uint64_t cell;
};
template <class T, int D> struct alignas(D == 3 ? 16 : 4 * D) Record<T, D, CellKind::joined> {
  std::uint32_t words[D];
};

struct FoldArguments {
  GridShape grid;
  Bins bins;
  double inverse_bin[max_dim];
  int shift[max_dim + 1];
  double half_width;
  std::int64_t count;
  int fraction_bits;
  bool columns;
};

template <class T> struct Coordinates { const T* axis[max_dim]; };

template <class T, int D, CellKind K> struct FoldedPoint {
  Record<T, D, K> record;
  std::uint32_t bin[max_dim];
  bool finite;

  __device__ FoldedPoint(const Coordinates<T>& x, const FoldArguments& a, std::int64_t i) : bin{}, finite(true) {
    if constexpr (K != CellKind::joined) record.cell = 0;
#pragma unroll
    for (int axis = 0; axis < D; ++axis) {
      const auto value = static_cast<double>(x.axis[axis][i]);
      finite = finite && isfinite(value);
      const Folded folded = fold(value, static_cast<double>(a.grid.n[axis]), a.half_width);
      bin[axis] = static_cast<std::uint32_t>((folded.cell + 0.5) * a.inverse_bin[axis]);
      if constexpr (K == CellKind::joined) {
        const auto steps = static_cast<double>(1u << a.fraction_bits);
        const double fraction = fmin(fmax(floor((folded.t + 1) * (0.5 * steps)), 0.0), steps - 1);
        record.words[axis] = folded.cell << a.fraction_bits | static_cast<std::uint32_t>(fraction);
      } else {
        record.t[axis] = static_cast<T>(folded.t);
        record.cell |= static_cast<decltype(record.cell)>(folded.cell) << a.shift[axis];
      }
    }
  }

  __device__ std::uint32_t key(const FoldArguments& a) const {
    const std::uint32_t plane = bin[1] * a.bins.count[0] + bin[0];
    return a.columns ? plane * a.bins.count[2] + bin[2] : bin[2] * (a.bins.count[1] * a.bins.count[0]) + plane;
  }
};

template <class T, int D, CellKind K>
__global__ void __launch_bounds__(sort_threads)
    fold_kernel(Coordinates<T> x, const __grid_constant__ FoldArguments a, Record<T, D, K>* records,
                std::uint32_t* keys, std::uint32_t* places, int* bad) {
  const std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i >= a.count) return;
  const FoldedPoint<T, D, K> point(x, a, i);
  if (!point.finite) *bad = 1;
  if (records != nullptr) records[i] = point.record;
  keys[i] = point.key(a);
  places[i] = static_cast<std::uint32_t>(i);
}

template <class T>
__global__ void __launch_bounds__(sort_threads) look_kernel(Coordinates<T> x, int dim, std::int64_t count, int* bad) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * sort_threads)
    for (int axis = 0; axis < dim; ++axis)
      if (!isfinite(x.axis[axis][i])) *bad = 1;
}

template <class T> struct PackTarget {
  T* t[max_dim];
  std::uint32_t *low, *high, *index;

  template <int D, CellKind K> __device__ void write(const Record<T, D, K>& record, std::int64_t i) const {
#pragma unroll
    for (int axis = 0; axis < D; ++axis)
      if constexpr (K == CellKind::joined)
        reinterpret_cast<std::uint32_t*>(t[axis])[i] = record.words[axis];
      else
        t[axis][i] = record.t[axis];
    if constexpr (K != CellKind::joined) low[i] = static_cast<std::uint32_t>(record.cell);
    if constexpr (K == CellKind::low_and_high) high[i] = static_cast<std::uint32_t>(record.cell >> 32);
  }
};

template <class T, int D, CellKind K>
__global__ void __launch_bounds__(sort_threads)
    permute_records_kernel(const Record<T, D, K>* records, const std::uint32_t* places, std::int64_t count,
                           PackTarget<T> to) {
  const std::int64_t first = std::int64_t{blockIdx.x} * sort_threads * permute_rounds + threadIdx.x, last = count - 1;
  std::uint32_t from[permute_rounds];
  Record<T, D, K> moved[permute_rounds];
#pragma unroll
  for (int r = 0; r < permute_rounds; ++r) from[r] = places[min(first + r * sort_threads, last)];
#pragma unroll
  for (int r = 0; r < permute_rounds; ++r) moved[r] = records[from[r]];
#pragma unroll
  for (int r = 0; r < permute_rounds; ++r) {
    const std::int64_t i = first + r * sort_threads;
    if (i > last) return;
    to.write(moved[r], i);
    to.index[i] = from[r];
  }
}

// places: null where the points stay in their order.
template <class T, int D, CellKind K>
__global__ void __launch_bounds__(sort_threads)
    permute_points_kernel(Coordinates<T> x, const __grid_constant__ FoldArguments a, const std::uint32_t* places,
                          PackTarget<T> to) {
  const std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i < a.count) to.write(FoldedPoint<T, D, K>(x, a, places != nullptr ? places[i] : i).record, i);
}

// first[b]: how many points are in bins before b; items[b]: how many subproblems bin b makes. b = bins: the ends.
static __global__ void __launch_bounds__(sort_threads)
    bins_kernel(const std::uint32_t* keys, std::uint32_t keys_a_bin, std::uint32_t count, std::uint32_t bins,
                std::uint32_t* first) {
  const std::uint32_t bin = blockIdx.x * sort_threads + threadIdx.x;
  if (bin > bins) return;
  std::uint32_t low = 0, high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (keys[middle] / keys_a_bin < bin)
      low = middle + 1;
    else
      high = middle;
  }
  first[bin] = low;
}

static __global__ void __launch_bounds__(sort_threads)
    item_counts_kernel(const std::uint32_t* first, std::uint32_t bins, std::uint32_t most, std::uint32_t* items,
                       std::uint32_t* densest) {
  const std::uint32_t bin = blockIdx.x * sort_threads + threadIdx.x;
  const std::uint32_t points = bin < bins ? first[bin + 1] - first[bin] : 0;
  if (bin <= bins) items[bin] = (points + most - 1) / most;
  if (densest == nullptr) return;
  const std::uint32_t larger = __reduce_max_sync(~0u, points);
  if (threadIdx.x % 32 == 0) atomicMax(densest, larger);
}

// Item by item, each finds its bin: a bin with all the points is no slower than many with a few.
static __global__ void __launch_bounds__(sort_threads)
    items_kernel(const std::uint32_t* first, const std::uint32_t* before, std::uint32_t bins, std::uint32_t most,
                 Subproblem* items, std::uint32_t* item_count) {
  const std::uint32_t item = blockIdx.x * sort_threads + threadIdx.x;
  const std::uint32_t total = before[bins];
  if (item == 0) *item_count = total;
  if (item >= total) return;
  std::uint32_t low = 0, high = bins;  // the last bin with before[bin] <= item
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (before[middle] <= item ? low : high) = middle;
  }
  const std::uint32_t start = first[low] + (item - before[low]) * most;
  items[item] = {low, min(most, first[low + 1] - start), start};
}

}  // namespace offgrid::cuda
