// The kernels of the sort that cut the sorted points into subproblems (sort.hpp): they find where each bin begins, how
// many subproblems it makes, and write these. Bins stand for columns of bins where points are sorted by columns.
#pragma once

#include <cstdint>

#include "cuda/kernels/raw_point.cuh"
#include "cuda/sort/sort_kernels.cuh"

namespace offgrid::cuda {

// How the sorted points are cut into bins, and these into subproblems.
struct BinCut {
  std::uint32_t bins;
  std::uint32_t most;      // points of a subproblem
  std::uint32_t* first;    // [bins + 1]: how many points are in the bins before this one
  std::uint32_t* densest;  // [1]: the points of the fullest bin, which bins_kernel finds
  Refusal refusal;
};

// Returns the first point whose key is not less than `wanted`, by a search with several probes at a time: a step takes
// as long as a read, and reads that are in flight together take little longer than one. What the last pass has counted
// narrows the search.
template <class T, int D, std::uint32_t probes>
__device__ std::uint32_t first_of_key(const PackedPoints<T>& points, const FoldArguments& a, const Pass& last,
                                      std::uint32_t wanted) {
  const std::uint32_t digit = wanted >> last.shift;
  std::uint32_t low = last.starts[digit], high = digit + 1 < 1u << last.bits ? last.starts[digit + 1] : last.count;
  if (wanted == digit << last.shift) return low;
  while (low < high) {
    const auto probe = [from = low, length = high - low](std::uint32_t p) { return from + p * length / (probes + 1); };
    std::uint32_t less = 0;
#pragma unroll
    for (std::uint32_t p = 1; p <= probes; ++p) {
      RawPoint<T, D> point;
      point.fetch(points, probe(p));
      less += a.template key<D>([&](int axis) { return point.cell(points, axis); }) < wanted ? 1 : 0;
    }
    if (less < probes) high = probe(less + 1);
    if (less > 0) low = probe(less) + 1;
  }
  return low;
}

// Writes cut.first, and how many subproblems each bin makes to items.values; entry `bins` of both is the end. Blocks
// overlap by one bin, whose start is the end of the bin before.
template <class T, int D>
__global__ void __launch_bounds__(sort_threads)
    bins_kernel(PackedPoints<T> points, const __grid_constant__ FoldArguments a, const __grid_constant__ Pass last,
                BinCut cut, Sums items) {
  items.clear_states();
  if (cut.refusal.refused()) return;
  __shared__ std::uint32_t starts[sort_threads];
  const std::uint32_t bin = blockIdx.x * (sort_threads - 1) + threadIdx.x;
  starts[threadIdx.x] = bin < cut.bins ? first_of_key<T, D, 7>(points, a, last, bin * max(a.levels, 1u)) : last.count;
  __syncthreads();
  const bool mine = threadIdx.x < sort_threads - 1 && bin <= cut.bins;
  const std::uint32_t start = starts[threadIdx.x], count = mine ? starts[threadIdx.x + 1] - start : 0;
  if (mine) {
    cut.first[bin] = start;
    items.values[bin] = (count + cut.most - 1) / cut.most;
  }
  const std::uint32_t larger = __reduce_max_sync(~0u, count);
  if (threadIdx.x % 32 == 0) atomicMax(cut.densest, larger);
}

// The points and subproblems ("items") of all bins.
struct BinItems {
  const std::uint32_t* first;   // [bins + 1]: how many points are in the bins before this one
  const std::uint32_t* before;  // [bins + 1]: how many items are
  std::uint32_t bins;
  std::uint32_t most;  // points of an item

  // The last bin with before[bin] <= item.
  __device__ std::uint32_t bin_of(std::uint32_t item) const {
    std::uint32_t low = 0, high = bins;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (before[middle] <= item ? low : high) = middle;
    }
    return low;
  }
  __device__ Subproblem subproblem(std::uint32_t item) const {
    const std::uint32_t bin = bin_of(item), start = first[bin] + (item - before[bin]) * most;
    return {bin, min(most, first[bin + 1] - start), start};
  }
};

// Where the items of a set are written.
struct ItemsOfSet {
  Subproblem* items;  // [room]; those beyond *count get no points
  std::uint32_t room;
  std::uint32_t* count;    // [1]
  std::uint32_t* densest;  // [1]
};

// One thread per item, which looks for its bin: one bin with all the points takes no longer than many bins with a few.
static __global__ void __launch_bounds__(sort_threads)
    items_kernel(BinItems bins, const std::uint32_t* densest, ItemsOfSet set, Refusal refusal) {
  const std::uint32_t item = blockIdx.x * sort_threads + threadIdx.x;
  const std::uint32_t total = bins.before[bins.bins];
  if (refusal.refused()) return;
  if (item == 0) {
    *set.count = total;
    *set.densest = *densest;
  }
  if (item < set.room) set.items[item] = item < total ? bins.subproblem(item) : Subproblem{};
}

// Finds how many subproblems of one bin or column reach the same cell, at most. In a column of 3D points, which is
// sorted along z, only those count whose cells along z overlap. *longest becomes the largest number of all bins.
template <class T, int D>
__global__ void __launch_bounds__(sort_threads)
    longest_run_kernel(PackedPoints<T> points, const Subproblem* items, const std::uint32_t* count, bool columns,
                       std::uint32_t width, std::uint32_t* longest) {
  const std::uint32_t item = blockIdx.x * sort_threads + threadIdx.x;
  std::uint32_t run = 0;
  if (item < *count) {
    const auto level = [&](std::uint32_t point) {
      if (D < 3 || !columns) return 0u;
      RawPoint<T, D> raw;
      raw.fetch(points, point);
      return raw.cell(points, D - 1);
    };
    const std::uint32_t bin = items[item].bin, first_level = level(items[item].first);
    std::uint32_t low = 0, high = item;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      const Subproblem other = items[middle];
      const bool reaches = other.bin == bin && level(other.first + other.count - 1) + width > first_level;
      (reaches ? high : low) = reaches ? middle : middle + 1;
    }
    run = item - low + 1;
  }
  run = __reduce_max_sync(~0u, run);
  if (threadIdx.x % 32 == 0 && run > 0) atomicMax(longest, run);
}

// Does what bins_kernel, the prefix sum and items_kernel do, in one block, for fewer bins than the block has threads.
inline constexpr int few_bins_threads = 1024;
template <class T, int D>
__global__ void __launch_bounds__(few_bins_threads)
    few_bins_kernel(PackedPoints<T> points, const __grid_constant__ FoldArguments a, const __grid_constant__ Pass last,
                    BinCut cut, ItemsOfSet set) {
  __shared__ std::uint32_t starts[few_bins_threads + 1], before[few_bins_threads], warp_sums[few_bins_threads / 32];
  if (cut.refusal.refused()) return;
  const std::uint32_t bin = threadIdx.x, bins = cut.bins, most = cut.most;
  starts[bin] = bin < bins ? first_of_key<T, D, 3>(points, a, last, bin * max(a.levels, 1u)) : last.count;
  if (bin == 0) {
    starts[few_bins_threads] = last.count;
    *set.densest = 0;
  }
  __syncthreads();
  const std::uint32_t start = starts[bin], count = starts[bin + 1] - start;
  if (bin <= bins) cut.first[bin] = start;
  before[bin] = sum_before((count + most - 1) / most, warp_sums);
  const std::uint32_t larger = __reduce_max_sync(~0u, count);
  if (bin % 32 == 0 && larger > 0) atomicMax(set.densest, larger);
  __syncthreads();
  const std::uint32_t total = before[bins];
  if (bin == 0) *set.count = total;
  for (std::uint32_t item = bin; item < set.room; item += few_bins_threads)
    set.items[item] = item < total ? BinItems{starts, before, bins, most}.subproblem(item) : Subproblem{};
}

}  // namespace offgrid::cuda
