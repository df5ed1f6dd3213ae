// The kernels of the radix sort (sort.hpp). One pass is count (in the first pass: fold) -> prefix sums (sums.cuh) ->
// scatter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "cuda/sort/folded_point.cuh"
#include "cuda/sort/sort_policy.hpp"
#include "cuda/sort/sums.cuh"

namespace offgrid::cuda {

inline constexpr int sort_threads = 256;

// Tells the host that a coordinate cannot be folded, and tells the kernels that write to a set, which then leave it as
// it is.
struct Refusal {
  int *on_host, *on_device;
  __device__ void refuse() const { *on_host = *on_device = 1; }
  __device__ bool refused() const { return *on_device != 0; }
};

// Looks for coordinates that cannot be folded.
template <class T>
__global__ void __launch_bounds__(sort_threads) look_kernel(Coordinates<T> x, int dim, std::int64_t count, int* bad) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * sort_threads)
    for (int axis = 0; axis < dim; ++axis)
      if (!(fabs(x.axis[axis][i]) <= x.largest[axis])) *bad = 1;
}

// --- a pass of the radix sort -----------------------------------------------------------------------------------------
// A stable sort by one digit of the keys. A block has a tile of consecutive elements, and each of its warps a part of
// these. table[digit][tile] holds how many elements of the tile have the digit, and after the prefix sum the position
// of the first of them in the sorted order.
struct Pass {
  std::uint32_t count;
  int shift, bits;
  Sums table;
  std::uint32_t* starts;  // [digit]: the position of its first element, once the pass is done
  __device__ std::uint32_t digit(std::uint32_t key) const { return key >> shift & ((1u << bits) - 1); }
};

// Elements per thread: for many points, as many as let two blocks fit on a multiprocessor; and for few points.
constexpr int many_items(std::size_t bytes) { return bytes <= 16 ? 8 : 5; }
inline constexpr int few_items = 2;
// How many points a thread reads before it folds them, to have several reads in flight.
constexpr int points_together(int items) { return items % 4 == 0 ? 4 : items; }

// Counts the digits of a tile in shared memory. cleared() is called before the first add(): a thread issues its first
// reads before it, so that they arrive while it waits.
struct DigitCounts {
  const Pass& pass;
  std::uint32_t* counts;

  __device__ void clear() const {
    for (int d = threadIdx.x; d < 1 << pass.bits; d += pass_threads) counts[d] = 0;
    pass.table.clear_states();
  }
  __device__ void cleared() const { __syncthreads(); }
  __device__ void add(std::uint32_t i, std::uint32_t key) const {
    if (i < pass.count) atomicAdd(&counts[pass.digit(key)], 1);
  }
  __device__ void write() const {
    __syncthreads();
    for (int d = threadIdx.x; d < 1 << pass.bits; d += pass_threads)
      pass.table.values[d * gridDim.x + blockIdx.x] = counts[d];
  }
};

// Threads beyond the end read the last element again instead of branching, so that all reads are in flight together.
template <int Items>
__global__ void __launch_bounds__(pass_threads)
    count_kernel(const std::uint32_t* keys, const __grid_constant__ Pass pass) {
  __shared__ std::uint32_t counted[1 << most_digit_bits];
  const DigitCounts counts{pass, counted};
  const std::uint32_t first = blockIdx.x * (pass_threads * Items) + threadIdx.x;
  std::uint32_t key[Items];
#pragma unroll
  for (int r = 0; r < Items; ++r) key[r] = keys[min(first + r * pass_threads, pass.count - 1)];
  counts.clear();
  counts.cleared();
#pragma unroll
  for (int r = 0; r < Items; ++r) counts.add(first + r * pass_threads, key[r]);
  counts.write();
}

template <class T, int D, int Items>
__global__ void __launch_bounds__(pass_threads, sizeof(T) == 4 ? 3 : 2)
    fold_kernel(const __grid_constant__ Coordinates<T> x, const __grid_constant__ FoldArguments a, std::uint32_t* keys,
                const __grid_constant__ Refusal refusal, const __grid_constant__ Pass pass, std::uint32_t* densest) {
  __shared__ std::uint32_t counted[1 << most_digit_bits];
  const DigitCounts counts{pass, counted};
  if (blockIdx.x == 0 && threadIdx.x == 0) *densest = 0;
  counts.clear();
  constexpr int together = points_together(Items);
#pragma unroll 1
  for (int from = 0; from < Items; from += together) {
    const std::uint32_t first = (blockIdx.x * Items + from) * pass_threads + threadIdx.x;
    const auto at = [&](int r) { return min(first + r * pass_threads, pass.count - 1); };
    UnfoldedPoint<T, D> points[together];
#pragma unroll
    for (int r = 0; r < together; ++r) points[r] = x.template read<D>(at(r));
    if (from == 0) counts.cleared();
    bool near = true;
#pragma unroll
    for (int r = 0; r < together; ++r) near = near && points[r].is_near(x.largest);
    if (!near) refusal.refuse();
    std::uint32_t key[together];
#pragma unroll
    for (int r = 0; r < together; ++r) key[r] = FoldedPoint<T, D>(points[r].widened(), a).key(a);
#pragma unroll
    for (int r = 0; r < together; ++r) {
      const std::uint32_t i = first + r * pass_threads;
      if (i < pass.count) keys[i] = key[r];
      counts.add(i, key[r]);
    }
  }
  counts.write();
}

// Brings memory into the L2 cache.
template <class V> __device__ void prefetch_to_l2(const V* from, std::uint32_t count) {
  constexpr std::uint32_t line = 128;
  for (std::uint32_t byte = threadIdx.x * line; byte < count * sizeof(V); byte += pass_threads * line)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(reinterpret_cast<const char*>(from) + byte));
}

// What a pass moves, its source: records made from the caller's points (FoldedRecords), the points' indices (Indices),
// or what an earlier pass has moved (Moved). Elements are moved unit by unit, so that neighbouring threads access
// neighbouring memory.
template <class Element> struct UnitsOf {
  using Unit =
      std::conditional_t<alignof(Element) == 16, uint4, std::conditional_t<alignof(Element) == 8, uint2, unsigned>>;
  static constexpr int count = sizeof(Element) / sizeof(Unit);
};
template <class T, int D, CellKind K> struct FoldedRecords {
  using Element = Record<T, D, K>;
  Coordinates<T> x;
  FoldArguments a;
  __device__ void prefetch(std::uint32_t first, std::uint32_t count) const {
#pragma unroll
    for (int d = 0; d < D; ++d) prefetch_to_l2(x.axis[d] + first, count);
  }
};
struct Indices {
  using Element = std::uint32_t;
  __device__ void prefetch(std::uint32_t, std::uint32_t) const {}
};
template <class E> struct Moved {
  using Element = E;
  const E* from;
  __device__ void prefetch(std::uint32_t first, std::uint32_t count) const { prefetch_to_l2(from + first, count); }
};

// A tile whose elements are brought into order: moved[positions[e]] becomes element e.
struct Tile {
  std::uint32_t first, count;
  const std::uint16_t* positions;
};
template <int Items, class T, int D, CellKind K>
__device__ void move_tile(const FoldedRecords<T, D, K>& source, const Tile& tile, Record<T, D, K>* moved) {
  constexpr int together = points_together(Items);
#pragma unroll 1
  for (std::uint32_t first = threadIdx.x; first < tile.count; first += together * pass_threads) {
    UnfoldedPoint<T, D> points[together];
#pragma unroll
    for (int r = 0; r < together; ++r)
      points[r] = source.x.template read<D>(tile.first + min(first + r * pass_threads, tile.count - 1));
#pragma unroll
    for (int r = 0; r < together; ++r)
      if (const std::uint32_t e = first + r * pass_threads; e < tile.count)
        moved[tile.positions[e]] =
            FoldedPoint<T, D>(points[r].widened(), source.a).template record<K>(source.a, tile.first + e);
  }
}
template <int Items> __device__ void move_tile(const Indices&, const Tile& tile, std::uint32_t* moved) {
  for (std::uint32_t e = threadIdx.x; e < tile.count; e += pass_threads) moved[tile.positions[e]] = tile.first + e;
}
template <int Items, class E> __device__ void move_tile(const Moved<E>& source, const Tile& tile, E* moved) {
  using Units = UnitsOf<E>;
  using Unit = typename Units::Unit;
  const auto* from = reinterpret_cast<const Unit*>(source.from + tile.first);
  auto* to = reinterpret_cast<Unit*>(moved);
  const std::uint32_t count = tile.count * Units::count;
#pragma unroll 1
  for (std::uint32_t first = threadIdx.x; first < count; first += Items * pass_threads) {
    Unit units[Items];
#pragma unroll
    for (int r = 0; r < Items; ++r) units[r] = from[min(first + r * pass_threads, count - 1)];
#pragma unroll
    for (int r = 0; r < Items; ++r)
      if (const std::uint32_t u = first + r * pass_threads; u < count)
        to[tile.positions[u / Units::count] * Units::count + u % Units::count] = units[r];
  }
}

// Returns a mask of the lanes that have the same digit, of those that have an element at all (`there`).
__device__ inline std::uint32_t peers_of(std::uint32_t digit, int bits, bool there) {
  std::uint32_t peers = __ballot_sync(~0u, there);
  for (int bit = 0; bit < bits; ++bit) {
    const bool set = digit >> bit & 1;
    const std::uint32_t with = __ballot_sync(~0u, set);
    peers &= set ? with : ~with;
  }
  return peers;
}

// The shared memory of a scatter. The tile is brought into order here first, so that almost all that a warp writes to
// global memory is contiguous. The struct is followed by
//   starts[digits]            the position of a digit's first element in memory, less that in the tile
//   first[digits]             the position of a digit's first element in the tile
//   before[warps][digits]     how many elements with the digit the warps before have; once these have been read, its memory
//                             holds the elements of the tile instead
template <int Items> struct ScatterMemory {
  static constexpr int tile = pass_threads * Items;
  alignas(16) std::uint32_t keys[tile];
  std::uint16_t positions[tile];  // [element]: its position in the sorted tile
  std::uint32_t warp_sums[pass_warps];

  __device__ std::uint32_t* starts() { return reinterpret_cast<std::uint32_t*>(this + 1); }
  __device__ std::uint16_t* first(int digits) { return reinterpret_cast<std::uint16_t*>(starts() + digits); }
  template <class V> __device__ V* rest(int digits) {
    return reinterpret_cast<V*>(reinterpret_cast<char*>(this + 1) + digit_bytes(digits));
  }
  __host__ __device__ static constexpr std::size_t digit_bytes(int digits) { return (6 * digits + 15) / 16 * 16; }
};
static_assert(sizeof(ScatterMemory<1>) % 16 == 0);

template <class Element, int Items> std::size_t scatter_bytes(int bits) {
  using Memory = ScatterMemory<Items>;
  const std::size_t counts = (pass_warps * sizeof(std::uint16_t)) << bits;
  return sizeof(Memory) + Memory::digit_bytes(1 << bits) + std::max(counts, sizeof(Element) * Memory::tile);
}

// The most pairs of digits that a thread sums; the two counts of a pair share a word.
inline constexpr int most_pairs = std::max(1, (1 << most_digit_bits) / 2 / pass_threads);

// Turns the counts of the warps into `before`, and finds `first` and `starts` of all digits (ScatterMemory).
template <int Items> __device__ void sum_counts(ScatterMemory<Items>& memory, const Pass& pass) {
  const int pairs = 1 << pass.bits >> 1, each = std::max(1, pairs / pass_threads), thread = threadIdx.x;
  auto* before = memory.template rest<std::uint32_t>(2 * pairs);
  std::uint32_t sums[most_pairs]{}, all = 0;
#pragma unroll
  for (int p = 0; p < most_pairs; ++p) {
    const int pair = thread * each + p;
    if (p >= each || pair >= pairs) break;
    for (int w = 0; w < pass_warps; ++w) sums[p] += std::exchange(before[w * pairs + pair], sums[p]);
    all += (sums[p] & 0xffff) + (sums[p] >> 16);
  }
  std::uint32_t in_tile = sum_before(all, memory.warp_sums);
#pragma unroll
  for (int p = 0; p < most_pairs; ++p) {
    const int pair = thread * each + p;
    if (p >= each || pair >= pairs) break;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int digit = 2 * pair + half;
      const std::uint32_t start = pass.table.values[digit * gridDim.x + blockIdx.x];
      if (blockIdx.x == 0) pass.starts[digit] = start;
      memory.first(2 * pairs)[digit] = static_cast<std::uint16_t>(in_tile);
      memory.starts()[digit] = start - in_tile;
      in_tile += sums[p] >> (16 * half) & 0xffff;
    }
  }
}

// Moves the elements of a tile to their positions: ranks the keys, orders the tile in shared memory and writes it.
// keep_positions: each element's new position replaces its key, so that the inverse can be made (inverse_kernel).
template <class Source, int Items>
__global__ void __launch_bounds__(pass_threads, 2)
    scatter_kernel(std::uint32_t* keys, const __grid_constant__ Source source, const __grid_constant__ Pass pass,
                   typename Source::Element* to, std::uint32_t* keys_to, bool keep_positions, Refusal refusal) {
  using Memory = ScatterMemory<Items>;
  const bool refused = refusal.refused();
  extern __shared__ uint4 pass_memory[];
  Memory& memory = *reinterpret_cast<Memory*>(pass_memory);
  const int digits = 1 << pass.bits, thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const std::uint32_t* starts = memory.starts();
  const std::uint16_t* first_of = memory.first(digits);
  auto* before = memory.template rest<std::uint16_t>(digits) + warp * digits;
  auto* moved = memory.template rest<typename Source::Element>(digits);
  const std::uint32_t tile_first = blockIdx.x * Memory::tile, first = tile_first + warp * (32 * Items) + lane;
  std::uint32_t key[Items], rank[Items];
#pragma unroll
  for (int r = 0; r < Items; ++r) key[r] = keys[min(first + 32 * r, pass.count - 1)];
  const std::uint32_t count = min(pass.count - tile_first, std::uint32_t{Memory::tile});
  if constexpr (sizeof(typename Source::Element) <= 16)
    source.prefetch(tile_first, count);  // the elements are not needed before the keys are ranked
  for (int d = lane; d < digits / 2; d += 32) reinterpret_cast<std::uint32_t*>(before)[d] = 0;
  __syncwarp();
#pragma unroll
  for (int r = 0; r < Items; ++r) {
    const bool there = first + 32 * r < pass.count;
    const std::uint32_t digit = pass.digit(key[r]), peers = peers_of(digit, pass.bits, there);
    const std::uint32_t lower = __popc(peers & ((1u << lane) - 1));
    rank[r] = before[digit] + lower;
    __syncwarp();
    if (there && lower == 0) before[digit] = static_cast<std::uint16_t>(rank[r] + __popc(peers));
    __syncwarp();
  }
  __syncthreads();
  sum_counts(memory, pass);
  __syncthreads();
#pragma unroll
  for (int r = 0; r < Items; ++r) {
    const std::uint32_t i = first + 32 * r, digit = pass.digit(key[r]);
    if (i >= pass.count) break;
    const std::uint32_t position = first_of[digit] + before[digit] + rank[r];
    memory.keys[position] = key[r];
    memory.positions[i - tile_first] = static_cast<std::uint16_t>(position);
    if (keep_positions) keys[i] = starts[digit] + position;
  }
  __syncthreads();
  move_tile<Items>(source, Tile{tile_first, count, memory.positions}, moved);
  __syncthreads();
  if (refused) return;
  using Units = UnitsOf<typename Source::Element>;
  using Unit = typename Units::Unit;
#pragma unroll 4
  for (std::uint32_t u = thread; u < count * Units::count; u += pass_threads) {
    const std::uint32_t p = u / Units::count, position = starts[pass.digit(memory.keys[p])] + p;
    reinterpret_cast<Unit*>(to)[std::uint64_t{position} * Units::count + u % Units::count] =
        reinterpret_cast<const Unit*>(moved)[u];
    if (keys_to != nullptr && u % Units::count == 0) keys_to[position] = memory.keys[p];
  }
}

// Folds each point and writes its record. positions[i] is the index of the i-th point in the sorted order; null: the
// points stay in the caller's order.
template <class T, int D, CellKind K>
__global__ void __launch_bounds__(sort_threads) gather_kernel(Coordinates<T> x, const __grid_constant__ FoldArguments a,
                                                              const std::uint32_t* positions, Record<T, D, K>* to) {
  const std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i >= a.count) return;
  const std::int64_t from = positions != nullptr ? positions[i] : i;
  to[i] = FoldedPoint<T, D>(x.template read<D>(from).widened(), a).template record<K>(a, from);
}

// inverse[i] becomes the packed position of point i, which follows from the positions that up to three passes have
// kept.
static __global__ void __launch_bounds__(sort_threads)
    inverse_kernel(const std::uint32_t* first, const std::uint32_t* second, const std::uint32_t* third,
                   std::int64_t count, std::uint32_t* inverse, Refusal refusal) {
  const std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i >= count || refusal.refused()) return;
  std::uint32_t position = first[i];
  if (second != nullptr) position = second[position];
  if (third != nullptr) position = third[position];
  inverse[i] = position;
}

// The same, found from the packed points.
template <class T>
__global__ void __launch_bounds__(sort_threads) late_inverse_kernel(PackedPoints<T> points, std::uint32_t* inverse) {
  const std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i < points.count) inverse[points.index(static_cast<std::uint32_t>(i))] = static_cast<std::uint32_t>(i);
}

}  // namespace offgrid::cuda
