// The kernels of sort.cu.
#pragma once

#include <cstdint>

#include "cuda/fold.cuh"
#include "cuda/sort.hpp"
#include "cuda/team.cuh"

namespace offgrid::cuda {

inline constexpr int sort_threads = 256;

struct FoldArguments {
  GridShape grid;
  Bins bins;
  std::uint64_t inverse_bin[max_dim];  // 2^64 / size, rounded up; 0: of one cell
  int shift[max_dim + 1];
  int width;
  std::int64_t count;
  int fraction_bits;
  std::uint32_t levels;  // of a column; 0: there are no columns

  __device__ std::uint32_t bin(std::uint32_t cell, int axis) const {
    const std::uint64_t inverse = inverse_bin[axis], carry = cell * (inverse & 0xffffffff) >> 32;
    return inverse == 0 ? cell : static_cast<std::uint32_t>((cell * (inverse >> 32) + carry) >> 32);
  }
  // cell(axis) of a point.
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

template <class T> struct Coordinates { const T* axis[max_dim]; };

template <class T, int D> struct FoldedPoint {
  Folded axis[D];
  bool finite = true;

  __device__ FoldedPoint(const Coordinates<T>& x, const FoldArguments& a, std::int64_t i) {
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const auto value = static_cast<double>(x.axis[d][i]);
      finite = finite && isfinite(value);
      axis[d] = fold(value, a.grid.n[d], a.width);
    }
  }

  __device__ std::uint32_t key(const FoldArguments& a) const {
    return a.template key<D>([&](int d) { return axis[d].cell; });
  }

  template <CellKind K> __device__ Record<T, D, K> record(const FoldArguments& a, std::int64_t i) const {
    Record<T, D, K> record;
    record.index = static_cast<std::uint32_t>(i);
    if constexpr (K == CellKind::joined) {
      const auto steps = static_cast<double>(1u << a.fraction_bits);
#pragma unroll
      for (int d = 0; d < D; ++d) {
        const double fraction = fmin(fmax((axis[d].t + 1) * (0.5 * steps), 0.0), steps - 1);
        record.words[d] = axis[d].cell << a.fraction_bits | static_cast<std::uint32_t>(fraction);
      }
    } else {
      std::uint64_t cells = 0;
#pragma unroll
      for (int d = 0; d < D; ++d)
        record.t[d] = static_cast<T>(axis[d].t), cells |= std::uint64_t{axis[d].cell} << a.shift[d];
      record.low = static_cast<std::uint32_t>(cells);
      if constexpr (K == CellKind::low_and_high) record.high = static_cast<std::uint32_t>(cells >> 32);
    }
    return record;
  }
};

template <class T>
__global__ void __launch_bounds__(sort_threads) look_kernel(Coordinates<T> x, int dim, std::int64_t count, int* bad) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * sort_threads)
    for (int axis = 0; axis < dim; ++axis)
      if (!isfinite(x.axis[axis][i])) *bad = 1;
}

// --- a pass of the radix sort -----------------------------------------------------------------------------------------
// By `digit`, stable. A block has a tile of consecutive elements, a warp of it a run of them. Counts, then once they are
// summed the places before which they lie: table[digit][tile].
struct Pass {
  std::uint32_t count;
  int shift, bits;
  std::uint32_t* table;
  __device__ std::uint32_t digit(std::uint32_t key) const { return key >> shift & ((1u << bits) - 1); }
};

inline constexpr int pass_threads = 512, pass_warps = pass_threads / 32;
static_assert(1 << most_digit_bits <= pass_threads);

// Elements of a thread, for many points and for few.
inline constexpr int many_items = 8, few_items = 2;

// key(i) for each element of the tile; past the end for the last one again, so that no read waits for a test.
template <int Items, class Key> __device__ void count_digits(const Pass& pass, Key&& key) {
  __shared__ std::uint32_t counts[1 << most_digit_bits];
  for (int d = threadIdx.x; d < 1 << pass.bits; d += pass_threads) counts[d] = 0;
  __syncthreads();
  const std::uint32_t first = blockIdx.x * (pass_threads * Items) + threadIdx.x;
#pragma unroll
  for (int r = 0; r < Items; ++r) {
    const std::uint32_t i = first + r * pass_threads, digit = pass.digit(key(min(i, pass.count - 1)));
    if (i < pass.count) atomicAdd(&counts[digit], 1);
  }
  __syncthreads();
  for (int d = threadIdx.x; d < 1 << pass.bits; d += pass_threads) pass.table[d * gridDim.x + blockIdx.x] = counts[d];
}

template <int Items>
__global__ void __launch_bounds__(pass_threads) count_kernel(const std::uint32_t* keys, Pass pass) {
  count_digits<Items>(pass, [&](std::uint32_t i) { return keys[i]; });
}

// records: null where they are made later.
template <class T, int D, CellKind K, int Items>
__global__ void __launch_bounds__(pass_threads)
    fold_kernel(Coordinates<T> x, const __grid_constant__ FoldArguments a, std::uint32_t* keys,
                Record<T, D, K>* records, int* bad, Pass pass) {
  count_digits<Items>(pass, [&](std::uint32_t i) {
    const FoldedPoint<T, D> point(x, a, i);
    if (!point.finite) *bad = 1;
    if (records != nullptr) records[i] = point.template record<K>(a, i);
    return keys[i] = point.key(a);
  });
}

// What a pass moves: the records of the caller's points, or their places, or what an earlier pass has moved.
template <class T, int D, CellKind K> struct FoldedRecords {
  using Element = Record<T, D, K>;
  static constexpr int unrolled = 4;
  Coordinates<T> x;
  FoldArguments a;
  __device__ Element operator()(std::uint32_t i) const { return FoldedPoint<T, D>(x, a, i).template record<K>(a, i); }
};
struct Places {
  using Element = std::uint32_t;
  static constexpr int unrolled = 8;
  __device__ Element operator()(std::uint32_t i) const { return i; }
};
template <class E> struct Moved {
  using Element = E;
  static constexpr int unrolled = 8;
  const E* __restrict__ from;
  __device__ Element operator()(std::uint32_t i) const { return from[i]; }
};
template <int Bytes> struct alignas(Bytes) Block { std::uint32_t words[Bytes / 4]; };

// The lanes with the same digit.
__device__ inline std::uint32_t peers_of(std::uint32_t digit, int bits, bool there) {
  std::uint32_t peers = __ballot_sync(~0u, there);
  for (int bit = 0; bit < bits; ++bit) {
    const bool set = digit >> bit & 1;
    const std::uint32_t with = __ballot_sync(~0u, set);
    peers &= set ? with : ~with;
  }
  return peers;
}

// The tile is brought into order in shared memory first, so that what a warp writes is contiguous but for a few seams.
template <class Element, int Items> struct ScatterMemory {
  static constexpr int tile = pass_threads * Items;
  alignas(16) Element moved[tile];
  std::uint32_t keys[tile];
  std::uint32_t starts[1 << most_digit_bits];              // [digit]: of its elements in memory, less those in the tile
  std::uint16_t first[1 << most_digit_bits];               // [digit]: of its elements in the tile
  std::uint16_t before[pass_warps][1 << most_digit_bits];  // [digit]: elements so far, then those of earlier warps
  std::uint16_t places[Items][pass_threads];               // in the tile, of the elements of a thread
  std::uint32_t warp_sums[pass_warps];
};

// The sum of the values of the threads before this one.
__device__ inline std::uint32_t sum_before(std::uint32_t value, std::uint32_t (&warp_sums)[pass_warps]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint32_t sum = value;
  for (int reach = 1; reach < 32; reach *= 2)
    if (const std::uint32_t other = __shfl_up_sync(~0u, sum, reach); lane >= reach) sum += other;
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();
  for (int w = 0; w < warp; ++w) sum += warp_sums[w];
  return sum - value;
}

// values[i]: the sum of those before it. For so few that one block is as fast as two launches of many.
inline constexpr std::int64_t most_block_sums = 8192;
static __global__ void __launch_bounds__(pass_threads) sum_kernel(std::uint32_t* values, std::uint32_t count) {
  __shared__ std::uint32_t warp_sums[pass_warps];
  const std::uint32_t each = (count + pass_threads - 1) / pass_threads, first = min(threadIdx.x * each, count);
  const std::uint32_t end = min(first + each, count);
  std::uint32_t sum = 0;
  for (std::uint32_t i = first; i < end; ++i) sum += values[i];
  std::uint32_t before = sum_before(sum, warp_sums);
  for (std::uint32_t i = first; i < end; ++i) {
    const std::uint32_t value = values[i];
    values[i] = before, before += value;
  }
}

template <class Source, int Items>
__global__ void __launch_bounds__(pass_threads)
    scatter_kernel(std::uint32_t* keys, const __grid_constant__ Source source, Pass pass, typename Source::Element* to,
                   std::uint32_t* keys_to, bool keep_places) {
  using Memory = ScatterMemory<typename Source::Element, Items>;
  extern __shared__ uint4 pass_memory[];
  Memory& memory = *reinterpret_cast<Memory*>(pass_memory);
  const int digits = 1 << pass.bits, thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const std::uint32_t tile_first = blockIdx.x * Memory::tile, first = tile_first + warp * (32 * Items) + lane;
  std::uint32_t key[Items], rank[Items];
#pragma unroll
  for (int r = 0; r < Items; ++r) key[r] = keys[min(first + 32 * r, pass.count - 1)];
  for (int d = lane; d < digits; d += 32) memory.before[warp][d] = 0;
  __syncwarp();
#pragma unroll
  for (int r = 0; r < Items; ++r) {
    const bool there = first + 32 * r < pass.count;
    const std::uint32_t digit = pass.digit(key[r]), peers = peers_of(digit, pass.bits, there);
    const std::uint32_t lower = __popc(peers & ((1u << lane) - 1));
    rank[r] = memory.before[warp][digit] + lower;
    __syncwarp();
    if (there && lower == 0) memory.before[warp][digit] = static_cast<std::uint16_t>(rank[r] + __popc(peers));
    __syncwarp();
  }
  __syncthreads();
  std::uint32_t sum = 0;
  if (thread < digits)
    for (int w = 0; w < pass_warps; ++w) {
      const std::uint32_t counted = memory.before[w][thread];
      memory.before[w][thread] = static_cast<std::uint16_t>(sum);
      sum += counted;
    }
  const std::uint32_t in_tile = sum_before(sum, memory.warp_sums);
  if (thread < digits) {
    memory.first[thread] = static_cast<std::uint16_t>(in_tile);
    memory.starts[thread] = pass.table[thread * gridDim.x + blockIdx.x] - in_tile;
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < Items; ++r) {
    const std::uint32_t i = first + 32 * r, digit = pass.digit(key[r]);
    if (i >= pass.count) break;
    const std::uint32_t place = memory.first[digit] + memory.before[warp][digit] + rank[r];
    memory.keys[place] = key[r];
    memory.places[r][thread] = static_cast<std::uint16_t>(place);
    if (keep_places) keys[i] = memory.starts[digit] + place;
  }
#pragma unroll(Source::unrolled)
  for (int r = 0; r < Items; ++r) {
    const std::uint32_t i = first + 32 * r;
    const typename Source::Element element = source(min(i, pass.count - 1));
    if (i < pass.count) memory.moved[memory.places[r][thread]] = element;
  }
  __syncthreads();
  const int count = static_cast<int>(min(pass.count - tile_first, std::uint32_t{Memory::tile}));
#pragma unroll 4
  for (int p = thread; p < count; p += pass_threads) {
    const std::uint32_t place = memory.starts[pass.digit(memory.keys[p])] + p;
    to[place] = memory.moved[p];
    if (keys_to != nullptr) keys_to[place] = memory.keys[p];
  }
}

// places: null where the points stay in their order.
template <class T, int D, CellKind K>
__global__ void __launch_bounds__(sort_threads) gather_kernel(Coordinates<T> x, const __grid_constant__ FoldArguments a,
                                                              const std::uint32_t* places, Record<T, D, K>* to) {
  const std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i >= a.count) return;
  const std::int64_t from = places != nullptr ? places[i] : i;
  to[i] = FoldedPoint<T, D>(x, a, from).template record<K>(a, from);
}

template <class E>
__global__ void __launch_bounds__(sort_threads)
    move_kernel(const E* from, const std::uint32_t* places, std::int64_t count, E* to) {
  const std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i < count) to[i] = from[places[i]];
}

// inverse[i]: where point i is now, by the places that the passes have kept.
static __global__ void __launch_bounds__(sort_threads)
    inverse_kernel(const std::uint32_t* first, const std::uint32_t* second, const std::uint32_t* third,
                   std::int64_t count, std::uint32_t* inverse) {
  const std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i >= count) return;
  std::uint32_t place = first[i];
  if (second != nullptr) place = second[place];
  if (third != nullptr) place = third[place];
  inverse[i] = place;
}

// --- subproblems ------------------------------------------------------------------------------------------------------
// first[b]: how many points are in bins (or columns of bins) before b; items[b]: how many subproblems b makes.
// b = bins: the ends. What the last pass has counted narrows the search.
template <class T, int D>
__global__ void __launch_bounds__(sort_threads)
    bins_kernel(PackedPoints<T> points, const __grid_constant__ FoldArguments a, Pass last, std::uint32_t tiles,
                std::uint32_t bins, std::uint32_t most, std::uint32_t* first, std::uint32_t* items,
                std::uint32_t* densest) {
  const std::uint32_t bin = blockIdx.x * sort_threads + threadIdx.x;
  const std::uint32_t keys = max(a.levels, 1u);
  const auto search = [&](std::uint32_t wanted) {
    if (wanted >= bins) return last.count;
    const std::uint32_t digit = (wanted * keys) >> last.shift;
    std::uint32_t low = last.table[digit * tiles];
    std::uint32_t high = digit + 1 < 1u << last.bits ? last.table[(digit + 1) * tiles] : last.count;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      RawPoint<T, D> point;
      point.fetch(points, middle);
      if (a.template key<D>([&](int axis) { return point.cell(points, axis); }) < wanted * keys)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  const std::uint32_t start = search(bin), count = search(bin + 1) - start;
  if (bin <= bins) first[bin] = start, items[bin] = (count + most - 1) / most;
  if (densest == nullptr) return;
  const std::uint32_t larger = __reduce_max_sync(~0u, count);
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
