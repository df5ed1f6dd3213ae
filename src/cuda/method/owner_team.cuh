// Owners. A warp owns a tile of 8 x 8 x 8 cells, holds it in registers, and visits the points of all bins that reach
// the tile, so that no tile has a halo. On average (1 + (w-1)/8)^3 warps visit a point, which costs little where points
// are few. For 8 points at a time the tensor cores do the products, as in sweep_team.cuh:
//
//   spread        G[(y, re/im), (x, z)] += sum_j  (c_j phi_y(y))[.., j]  (phi_x(x) phi_z(z))[j, ..]
//   interpolate   D[(y, re/im), j]       = sum_x,z G[(y, re/im), (x, z)] (phi_x(x) phi_z(z))[.., j]     then sum_y phi_y D
//
// Spreading adds up each cell in a fixed order and writes it once: it needs no atomics, and no clearing before.
// Interpolation reads each cell once and adds its part of a point's result to a sum in f64 by atomics. The order of these
// parts does not show in f32, nor in f64 but for the last bit. Points that reach the tile wait in a queue until there are
// 32 of them, so that the others cost no products. The tiles that a crowded bin reaches are left to a second launch, in
// which the warps of a block share the points of a tile.
#pragma once

#include "cuda/kernels/complex.cuh"
#include "cuda/kernels/mma.cuh"
#include "cuda/kernels/polynomials.cuh"
#include "cuda/kernels/raw_point.cuh"
#include "cuda/kernels/strengths.cuh"
#include "cuda/method/owner_shape.hpp"

namespace offgrid::cuda {

template <class T, class A, int W> struct OwnerArguments {
  StageArguments<T, A> stage;
  Bins tiles;
  const std::uint32_t *bin_first, *item_count, *densest;
  const Subproblem* items;
  std::uint32_t crowd;    // bins with more points than this are crowded, and have several items
  std::uint32_t reach;    // the most tiles that the points of a bin reach along an axis
  Complex<double>* sums;  // of results, [batch][count] in the order of the packed points; null where points are spread
  Polynomials<T, W> polynomials;
};

// The bins along an axis whose points reach a tile: first `around` bins at the end of the grid, whose points reach it
// across the period, and then those from `first` on.
struct OwnerReach {
  std::uint32_t around, first;
  std::uint32_t count;  // of both together
  std::uint32_t bins;   // of the whole axis

  __device__ OwnerReach(const Bins& tiles, const GridShape& grid, int axis, std::uint32_t tile, int width) {
    const auto size = static_cast<int>(tiles.size[axis]);
    const int low = static_cast<int>(tile) * size - width + 1;
    bins = tiles.count[axis];
    first = max(low, 0) / size;
    around = low < 0 ? bins - (static_cast<int>(grid.n[axis]) + low) / size : 0;
    count = around + tile + 1 - first;  // at most 4
  }
  __device__ std::uint32_t bin(std::uint32_t i) const { return i < around ? bins - around + i : first + i - around; }
};

inline constexpr std::uint32_t no_bin = ~0u;

// A tile and its points. What is done with them is up to an agent (owner.cuh), which has
//   meet(team, packed, index, taken)  a lane's next point, its place in the sort and in the caller's arrays; not taken: none
//   multiply(team, first, count)      the kernel values of the points `first` to first + 7 of `count` are in shared memory
template <class T, class A, int D, int W> struct OwnerTeam {
  static constexpr int segments = 64;  // bins that reach a tile, 4 x 4 x 4 at most
  // The layout of the kernel values in shared memory, of 32 points at the 3 x 8 cells of the tile's axes. In f32 the
  // values of a point are neighbours. In f64 the values of a cell are: a point stores its values from the cell on where
  // it begins in the tile, which differs from point to point, and with the other layout these stores would have bank
  // conflicts.
  static constexpr bool by_cell = sizeof(T) == 8;
  __device__ static int value_at(int point, int cell) { return by_cell ? 36 * cell + point : 24 * point + cell; }

  struct alignas(16) Shared {
    T values[by_cell ? 24 * 36 : 32 * 24];
    Complex<T> strength[32];
    std::uint32_t packed[32];
    std::uint32_t corner[max_dim];  // the first cell of the tile
    std::uint32_t around[max_dim];  // OwnerReach::around
    // All points to visit are numbered bin by bin. Bin s has those before end[s], and point i of them is packed at
    // base[s] + i.
    std::uint32_t end[segments], base[segments];
    uint2 queue[64];  // a point's packed index, and where it begins in the tile (begins)
  };

  const OwnerArguments<T, A, W>& a;
  Shared& shared;
  int vector, lane, r, k;
  std::uint32_t tile[max_dim], total = 0;
  OwnerReach reach[max_dim];

  __device__ OwnerTeam(const OwnerArguments<T, A, W>& arguments, Shared& memory, uint3 at)
      : a(arguments),
        shared(memory),
        vector(blockIdx.y),
        lane(threadIdx.x % 32),
        r(lane / 4),
        k(lane % 4),
        tile{at.x, at.y, at.z},
        reach{{a.tiles, a.stage.grid, 0, at.x, W},
              {a.tiles, a.stage.grid, 1, at.y, D > 1 ? W : 1},
              {a.tiles, a.stage.grid, 2, at.z, D > 2 ? W : 1}} {
    for (int i = 8 * D; i < 24; ++i) value(lane, i) = i % 8 == 0 ? T(1) : T(0);  // axes beyond the dimension
  }

  __device__ T& value(int point, int cell) const { return shared.values[value_at(point, cell)]; }

  // Numbers the points to visit, which are those of all bins that reach the tile. Returns the first crowded bin, or
  // no_bin.
  __device__ std::uint32_t gather() {
    std::uint32_t bin[2]{}, first[2]{}, count[2]{};
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t s = 2 * lane + i, x = s % 4, y = s / 4 % 4, z = s / 16;
      if (x >= reach[0].count || y >= reach[1].count || z >= reach[2].count) continue;
      bin[i] = (reach[2].bin(z) * a.tiles.count[1] + reach[1].bin(y)) * a.tiles.count[0] + reach[0].bin(x);
      first[i] = a.bin_first[bin[i]];
      count[i] = a.bin_first[bin[i] + 1] - first[i];
    }
    std::uint32_t end = count[0] + count[1];
#pragma unroll
    for (int up = 1; up < 32; up *= 2) {
      const std::uint32_t before = __shfl_up_sync(~0u, end, up);
      if (lane >= up) end += before;
    }
    if (lane == 0)
      for (int axis = 0; axis < D; ++axis) {
        shared.corner[axis] = tile[axis] * a.tiles.size[axis];
        shared.around[axis] = reach[axis].around;
      }
    const std::uint32_t middle = end - count[1];
    shared.end[2 * lane] = middle;
    shared.end[2 * lane + 1] = end;
    shared.base[2 * lane] = first[0] - (middle - count[0]);
    shared.base[2 * lane + 1] = first[1] - middle;
    __syncwarp();
    total = __shfl_sync(~0u, end, 31);
    const std::uint32_t crowded = __ballot_sync(~0u, max(count[0], count[1]) > a.crowd);
    return crowded == 0 ? no_bin : __shfl_sync(~0u, count[0] > a.crowd ? bin[0] : bin[1], __ffs(crowded) - 1);
  }

  // Brings this warp's share of the points to the agent, 32 at a time.
  template <class Agent> __device__ void run(Agent& agent) {
    int queued = 0;
    std::uint32_t segment = 0;
    for (std::uint32_t done = threadIdx.x / 32 * 32; done < total; done += blockDim.x) {
      const std::uint32_t i = done + lane;
      uint2 found{};
      bool reaches = i < total;
      if (reaches) {
        while (shared.end[segment] <= i) ++segment;
        found.x = shared.base[segment] + i;
        reaches = begins(found.x, segment, found.y);
      }
      const std::uint32_t those = __ballot_sync(~0u, reaches);
      if (reaches) shared.queue[queued + __popc(those & ((1u << lane) - 1))] = found;
      queued += __popc(those);
      __syncwarp();
      if (queued < 32) continue;
      multiply(agent, 32);
      queued -= 32;
      found = shared.queue[32 + lane];
      __syncwarp();
      if (lane < queued) shared.queue[lane] = found;
    }
    __syncwarp();
    if (queued > 0) multiply(agent, queued);
  }

  // Finds where a point begins in the tile: `packed` becomes 15 + x, y, z in 8 bits each. Returns whether it reaches
  // the tile.
  __device__ bool begins(std::uint32_t packed_index, std::uint32_t segment, std::uint32_t& packed) const {
    RawPoint<T, D> raw;
    raw.fetch(a.stage.points, packed_index);
    bool reaches = true;
    packed = 0x0f0f0f;
#pragma unroll
    for (int axis = 0; axis < D; ++axis) {
      int begin = static_cast<int>(raw.cell(a.stage.points, axis) - shared.corner[axis]);
      if ((segment >> 2 * axis) % 4 < shared.around[axis]) begin -= static_cast<int>(a.stage.grid.n[axis]);
      reaches = reaches && begin > -W && begin < owner_tile;
      packed += begin << 8 * axis;
    }
    return reaches;
  }

  // Evaluates the kernel for the first `count` points of the queue, and has the agent multiply.
  template <class Agent> __device__ void multiply(Agent& agent, int count) {
    const uint2 mine = shared.queue[min(lane, count - 1)];
    RawPoint<T, D> raw;
    raw.fetch(a.stage.points, mine.x);
    agent.meet(*this, mine.x, raw.index(), lane < count);
    T t[D];
#pragma unroll
    for (int axis = 0; axis < D; ++axis) t[axis] = raw.t(a.stage.points, axis);
#pragma unroll(W <= 12 ? D : 1)  // the values of one axis may take all registers that are left
    for (int axis = 0; axis < D; ++axis) {
      T values[W];
      const int begin = static_cast<int>(mine.y >> 8 * axis & 0xff) - 15;
      a.polynomials.evaluate(t[0], values);
#pragma unroll
      for (int next = 1; next < D; ++next) t[next - 1] = t[next];
#pragma unroll
      for (int i = 0; i < owner_tile; ++i)
        if (!by_cell || static_cast<unsigned>(i - begin) >= W) value(lane, owner_tile * axis + i) = 0;
#pragma unroll
      for (int i = 0; i < W; ++i)
        if (static_cast<unsigned>(begin + i) < owner_tile) value(lane, owner_tile * axis + begin + i) = values[i];
    }
    __syncwarp();
#pragma unroll 1
    for (int first = 0; first < count; first += 8) agent.multiply(*this, first, count);
    __syncwarp();
  }

  // Calls visit(row, z) for the rows of the tile that have this lane's y.
  template <class Visit> __device__ void for_rows(Visit visit) const {
    const std::uint32_t *n = a.stage.grid.n, *size = a.tiles.size;
    const std::uint32_t y = tile[1] * size[1] + r, z = tile[2] * size[2], x = tile[0] * size[0];
    auto* cells = reinterpret_cast<Complex<A>*>(a.stage.cells) + vector * a.stage.grid.cells;
    if (y >= min(n[1], (tile[1] + 1) * size[1])) return;
    const int planes = min(n[2] - z, size[2]);
#pragma unroll
    for (int i = 0; i < owner_tile; ++i)
      if (i < planes) visit(cells + (std::uint64_t{z + i} * n[1] + y) * n[0] + x, i);
  }
  // How many cells a row of the tile has; fewer than 8 at the end of the grid.
  __device__ int cells_x() const { return min(a.tiles.size[0], a.stage.grid.n[0] - tile[0] * a.tiles.size[0]); }
};

}  // namespace offgrid::cuda
