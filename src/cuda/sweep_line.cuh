// Spreading in 1D without an atomic a value. A block takes a subproblem, sorts its points by cell in shared memory, and
// cuts the sorted ones among teams. Lane p of a team sums what its points give to cell c + p for as long as they begin in
// the same cell c; then it adds the sum to a tile of the grid.
// Any order of points is right; a sorted one has long sums.
#pragma once

#include <cub/block/block_scan.cuh>

#include "cuda/spread.cuh"

namespace offgrid::cuda {

template <class T> struct alignas(4 * sizeof(T)) LinePoint {
  T x, y, t;  // strength, and place in the cell
  std::uint32_t cell;
};

template <class T, class A, int W> struct SweepLineAgent {
  static constexpr int lanes = W <= 4 ? 4 : W <= 8 ? 8 : 16, teams = line_threads / lanes;
  static constexpr int degree = max_degree(W, precision_of<T>), held = line_points / line_threads;
  static constexpr int counts = line_bin / line_threads;
  using Scan = cub::BlockScan<std::uint32_t, line_threads>;

  struct Shared {
    LinePoint<T> points[line_points];
    std::uint32_t first[line_bin];  // points in a cell, and then in the cells before it
    A tile[2][line_bin + W];
    typename Scan::TempStorage scan;
  };

  const StageArguments<T, A>& a;
  Shared& shared;
  const Subproblem item;
  std::uint32_t corner, bin_cells;

  std::uint32_t place[held];  // of the thread's points, among the sorted ones

  __device__ bool has(int i) const { return threadIdx.x + i * line_threads < item.count; }

  __device__ void run() {
    for (std::uint32_t c = threadIdx.x; c < line_bin; c += line_threads) shared.first[c] = 0;
    for (int vector = blockIdx.y; vector < a.batch; vector += gridDim.y) {
      for (std::uint32_t c = threadIdx.x; c < 2 * (line_bin + W); c += line_threads) (&shared.tile[0][0])[c] = 0;
      stage(vector);
      __syncthreads();
      add_points();
      __syncthreads();
      flush(vector);
      __syncthreads();
    }
  }

  // Nothing but the places is kept for the next vector: reading costs less than registers.
  __device__ void stage(int vector) {
    LinePoint<T> points[held];
#pragma unroll
    for (int i = 0; i < held; ++i) {
      if (!has(i)) continue;
      RawPoint<T, 1> raw;
      raw.fetch(a.points, item.first + threadIdx.x + i * line_threads);
      const Complex<T> strength = strength_of(a, raw.index, vector);
      points[i] = {strength.x, strength.y, raw.t(a.points, 0), raw.cell(a.points, 0) - corner};
    }
    if (vector == blockIdx.y) sort(points);
#pragma unroll
    for (int i = 0; i < held; ++i)
      if (has(i)) shared.points[place[i]] = points[i];
  }

  __device__ void sort(const LinePoint<T> (&points)[held]) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < held; ++i)
      if (has(i)) place[i] = atomicAdd(&shared.first[points[i].cell], 1);
    __syncthreads();
    std::uint32_t mine[counts];
#pragma unroll
    for (int i = 0; i < counts; ++i) mine[i] = shared.first[threadIdx.x * counts + i];
    Scan(shared.scan).ExclusiveSum(mine, mine);
#pragma unroll
    for (int i = 0; i < counts; ++i) shared.first[threadIdx.x * counts + i] = mine[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < held; ++i)
      if (has(i)) place[i] += shared.first[points[i].cell];
  }

  // Pieces p and W - 1 - p mirror each other: one lane has the even powers of both, the other one the odd ones.
  // Some points at a time, so that their polynomials do not wait for each other.
  __device__ void add_points() {
    constexpr int terms = degree / 2 + 1, together = sizeof(T) == 4 ? 4 : 2;
    const int lane = threadIdx.x % lanes, mirror = lane < W ? W - 1 - lane : lane;
    const bool odd = lane > mirror;
    T coefficients[terms];
#pragma unroll
    for (int i = 0; i < terms; ++i) {
      const int power = 2 * i + odd;
      coefficients[i] = power <= degree && lane < W ? a.kernel.coefficients[power * W + min(lane, mirror)] : T(0);
    }
    const std::uint32_t each = (item.count + teams - 1) / teams, first = threadIdx.x / lanes * each;
    const std::uint32_t end = min(first + each, item.count), last = item.count - 1;
    std::uint32_t now = shared.points[min(first, last)].cell;
    A re = 0, im = 0;
    for (std::uint32_t i = first; i < first + each; i += together) {  // as often for all teams of a warp
      LinePoint<T> points[together];
      T values[together];
#pragma unroll
      for (int j = 0; j < together; ++j) {
        points[j] = shared.points[min(i + j, last)];
        const T square = points[j].t * points[j].t;
        T part = coefficients[terms - 1];
#pragma unroll
        for (int term = terms - 2; term >= 0; --term) part = fma(part, square, coefficients[term]);
        part *= odd ? points[j].t : T(1);
        const T other = __shfl_sync(~0u, part, mirror, lanes);
        values[j] = odd ? other - part : lane == mirror ? part : part + other;
      }
#pragma unroll
      for (int j = 0; j < together; ++j) {
        if (i + j >= end) continue;
        if (points[j].cell != now) {
          add_sum(now, lane, re, im);
          now = points[j].cell, re = 0, im = 0;
        }
        if constexpr (sizeof(A) == sizeof(T))
          re = fma(points[j].x, values[j], re), im = fma(points[j].y, values[j], im);
        else
          re += static_cast<A>(points[j].x * values[j]), im += static_cast<A>(points[j].y * values[j]);
      }
    }
    if (first < end) add_sum(now, lane, re, im);
  }

  __device__ void add_sum(std::uint32_t cell, int lane, A re, A im) {
    if (lane >= W) return;
    atomicAdd(&shared.tile[0][cell + lane], re);
    atomicAdd(&shared.tile[1][cell + lane], im);
  }

  __device__ void flush(int vector) {
    auto* cells = reinterpret_cast<Complex<A>*>(a.cells) + vector * a.grid.cells;
    for (std::uint32_t c = threadIdx.x; c < bin_cells + W - 1; c += line_threads) {
      const A re = shared.tile[0][c], im = shared.tile[1][c];
      if (re != 0 || im != 0) add(cells + wrap(corner + c, a.grid.n[0]), re, im);
    }
  }
};

template <class T, class A, int W>
__global__ void __launch_bounds__(line_threads, sizeof(T) == 4 ? 4 : 3)
    sweep_line_kernel(const __grid_constant__ StageArguments<T, A> arguments, std::uint32_t bin_cells,
                      const Subproblem* items, const std::uint32_t* item_count) {
  extern __shared__ double2 line_sweep_memory[];
  if (blockIdx.x >= *item_count) return;
  const Subproblem item = items[blockIdx.x];
  auto& shared = *reinterpret_cast<typename SweepLineAgent<T, A, W>::Shared*>(line_sweep_memory);
  SweepLineAgent<T, A, W>{arguments, shared, item, item.bin * bin_cells, bin_cells}.run();
}

template <class T, class A>
void sweep_line(const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& bins, cudaStream_t stream) {
  dispatch<min_width, max_width>(stage.kernel.width, [&](auto w) {
    const auto kernel = sweep_line_kernel<T, A, w()>;
    constexpr int bytes = sizeof(typename SweepLineAgent<T, A, w()>::Shared);
    if (bytes > static_cast<int>(unasked_shared_bytes))
      call("shared memory",
           [&] { return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes); });
    const dim3 blocks(static_cast<unsigned>(set.max_items), static_cast<unsigned>(stage.batch));
    kernel<<<blocks, line_threads, bytes, stream>>>(stage, bins.size[0], set.items.data(), set.item_count.data());
  });
  check_launch("sweep");
}

}  // namespace offgrid::cuda
