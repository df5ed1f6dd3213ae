// The exclusive prefix sum of a table in one launch: values[i] becomes the sum of the values before it. The blocks find
// the sums of the tiles before their own by decoupled look-back (Merrill and Garland, "Single-pass parallel prefix scan
// with decoupled look-back", NVIDIA 2016): a block publishes the sum of its tile, and then looks at the tiles before
// it, nearest first, until it meets one that has published the sum of everything up to its end.
#pragma once

#include <cstdint>
#include <utility>

namespace offgrid::cuda {

struct Sums {
  std::uint32_t* values;
  std::uint32_t count;
  unsigned long long*
      states;  // [1 + tiles]: how many blocks have begun; then, per tile, what its sum is of and the sum
  __device__ void clear_states() const;  // called by a kernel that is launched before the sums
};

inline constexpr int pass_threads = 512, pass_warps = pass_threads / 32;
inline constexpr int sum_items = 8, sum_tile = pass_threads * sum_items;
inline std::int64_t sum_states(std::int64_t count) { return 1 + (count + sum_tile - 1) / sum_tile; }

__device__ inline void Sums::clear_states() const {
  const std::uint32_t state = blockIdx.x * blockDim.x + threadIdx.x;
  if (state <= (count + sum_tile - 1) / sum_tile) states[state] = 0;
}

// Returns the sum of the values of the threads before this one in the block.
template <int Warps> __device__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t (&warp_sums)[Warps]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint32_t sum = value;
  for (int reach = 1; reach < 32; reach *= 2)
    if (const std::uint32_t other = __shfl_up_sync(~0u, sum, reach); lane >= reach) sum += other;
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();
  for (int w = 0; w < warp; ++w) sum += warp_sums[w];
  return sum - value;
}

// Publishes the sum of a tile, and returns the sum of all tiles before it. All lanes of a warp call it together.
__device__ inline std::uint32_t sum_of_tiles_before(const Sums& sums, int tile, std::uint32_t own) {
  constexpr unsigned long long of_tile = 1ull << 32,
                               of_all = 2ull << 32;  // of the tile, or of everything up to its end
  volatile unsigned long long* states = sums.states + 1;
  const int lane = threadIdx.x % 32;
  if (lane == 0) states[tile] = (tile == 0 ? of_all : of_tile) | own;
  std::uint32_t sum = 0;
  for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
    unsigned long long state = of_all;
    do {
      if (nearest >= lane) state = states[nearest - lane];
    } while (__any_sync(~0u, state < of_tile));
    const std::uint32_t whole = __ballot_sync(~0u, state >= of_all);
    const bool counts = whole == 0 || lane < __ffs(static_cast<int>(whole));
    sum += __reduce_add_sync(~0u, counts ? static_cast<std::uint32_t>(state) : 0u);
    if (whole != 0) break;
  }
  if (lane == 0 && tile > 0) states[tile] = of_all | (sum + own);
  return sum;
}

static __global__ void __launch_bounds__(pass_threads) sum_kernel(Sums sums) {
  __shared__ std::uint32_t warp_sums[pass_warps], before_tile;
  __shared__ int tile;
  // Tiles are numbered as their blocks begin, so that all blocks which this one waits for have begun.
  if (threadIdx.x == 0) tile = static_cast<int>(atomicAdd(sums.states, 1));
  __syncthreads();
  const std::uint32_t first = tile * sum_tile + threadIdx.x * sum_items;
  auto* quads = reinterpret_cast<uint4*>(sums.values + first);
  const bool whole = first + sum_items <= sums.count;
  std::uint32_t value[sum_items], own = 0;
#pragma unroll
  for (int i = 0; i < sum_items; i += 4) {
    const auto at = [&](int k) { return first + i + k < sums.count ? sums.values[first + i + k] : 0; };
    const uint4 quad = whole ? quads[i / 4] : uint4{at(0), at(1), at(2), at(3)};
    value[i] = quad.x;
    value[i + 1] = quad.y;
    value[i + 2] = quad.z;
    value[i + 3] = quad.w;
    own += quad.x + quad.y + quad.z + quad.w;
  }
  std::uint32_t before = sum_before(own, warp_sums);
  if (threadIdx.x / 32 == pass_warps - 1) {
    const std::uint32_t others = sum_of_tiles_before(sums, tile, __shfl_sync(~0u, before + own, 31));
    if (threadIdx.x % 32 == 0) before_tile = others;
  }
  __syncthreads();
  before += before_tile;
#pragma unroll
  for (int i = 0; i < sum_items; ++i) before += std::exchange(value[i], before);
#pragma unroll
  for (int i = 0; i < sum_items; ++i) {
    if (whole && i % 4 == 0) quads[i / 4] = {value[i], value[i + 1], value[i + 2], value[i + 3]};
    if (!whole && first + i < sums.count) sums.values[first + i] = value[i];
  }
}

}  // namespace offgrid::cuda
