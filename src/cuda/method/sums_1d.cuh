// Spreading in 1D without one atomic per value. A block takes a subproblem, sorts its points by cell in shared memory,
// and divides them among teams. Lane p of a team sums what its points give to cell c + p for as long as they begin in
// the same cell c; then it adds the sum to a tile of the grid. The result is right for any order of the points, and
// fast for sorted ones, which have long sums.
#pragma once

#include <cub/block/block_scan.cuh>

#include "core/dispatch.hpp"
#include "core/kernel/polynomial.hpp"
#include "cuda/kernels/cells.cuh"
#include "cuda/kernels/integers.hpp"
#include "cuda/kernels/raw_point.cuh"
#include "cuda/kernels/strengths.cuh"
#include "cuda/launch/enqueue.hpp"
#include "cuda/method/sums_1d.hpp"

namespace offgrid::cuda {

template <class T> struct alignas(4 * sizeof(T)) LoadedPoint {
  T x, y, t;  // strength, and position in the cell
  std::uint32_t cell;
};

template <class T, class A, int W> struct Sums1dAgent {
  static constexpr int lanes = W <= 4 ? 4 : W <= 8 ? 8 : 16, teams = sums_1d_threads / lanes;
  static constexpr int degree = max_degree(W, precision_of<T>), held = sums_1d_points / sums_1d_threads;
  static constexpr int counts = sums_1d_bin / sums_1d_threads;
  using Scan = cub::BlockScan<std::uint32_t, sums_1d_threads>;

  struct Shared {
    LoadedPoint<T> points[sums_1d_points];
    std::uint32_t
        position[sums_1d_points];      // of a point among the sorted ones, below its cell in the bin, 16 bits each
    std::uint32_t first[sums_1d_bin];  // points in a cell, and then in the cells before it
    A tile[2][sums_1d_bin + W];
    typename Scan::TempStorage scan;
  };

  const StageArguments<T, A>& a;
  Shared& shared;
  const Subproblem item;
  std::uint32_t corner, bin_cells;

  // The i-th of this thread's points. It is read anew for each vector, because registers could not hold the points
  // meanwhile.
  __device__ RawPoint<T, 1> point(int i) const {
    RawPoint<T, 1> raw;
    std::uint32_t first = item.first;
    asm volatile("" : "+r"(first));  // without this the compiler would keep its address in registers
    raw.fetch(a.points, first + threadIdx.x + i * sums_1d_threads);
    return raw;
  }
  __device__ bool has(int i) const { return threadIdx.x + i * sums_1d_threads < item.count; }

  __device__ void run() {
    sort();
    for (int vector = blockIdx.y; vector < a.batch; vector += gridDim.y) {
      for (int c = threadIdx.x; c < 2 * (sums_1d_bin + W); c += sums_1d_threads) (&shared.tile[0][0])[c] = 0;
      load_points(vector);
      __syncthreads();
      add_points();
      __syncthreads();
      flush(vector);
      __syncthreads();
    }
  }

  __device__ void sort() {
    std::uint32_t position[held];
    for (int c = threadIdx.x; c < sums_1d_bin; c += sums_1d_threads) shared.first[c] = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < held; ++i) {
      if (!has(i)) break;
      const std::uint32_t cell = point(i).cell(a.points, 0) - corner;
      position[i] = cell << 16 | atomicAdd(&shared.first[cell], 1);
    }
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
      if (has(i)) shared.position[threadIdx.x + i * sums_1d_threads] = position[i] + shared.first[position[i] >> 16];
  }

  __device__ void load_points(int vector) {
    RawPoint<T, 1> raw[held];
    Complex<T> strength[held];
#pragma unroll
    for (int i = 0; i < held; ++i)
      if (has(i)) raw[i] = point(i), strength[i] = strength_of(a, raw[i].index(), vector);
#pragma unroll
    for (int i = 0; i < held; ++i)
      if (has(i)) {
        const std::uint32_t packed = shared.position[threadIdx.x + i * sums_1d_threads];
        shared.points[packed & 0xffff] = {strength[i].x, strength[i].y, raw[i].t(a.points, 0), packed >> 16};
      }
  }

  __device__ void add_points() {
    const int lane = threadIdx.x % lanes;
    T coefficients[degree + 1];
#pragma unroll
    for (int power = 0; power <= degree; ++power)
      coefficients[power] = a.kernel.coefficients[power * W + smaller(lane, W - 1)];
    const std::uint32_t each = (item.count + teams - 1) / teams, first = threadIdx.x / lanes * each;
    const std::uint32_t end = min(first + each, item.count);
    if (first >= end) return;
    std::uint32_t cell = shared.points[first].cell;
    A re = 0, im = 0;
#pragma unroll 2
    for (std::uint32_t i = first; i < end; ++i) {
      const LoadedPoint<T> point = shared.points[i];
      T value = coefficients[degree];
#pragma unroll
      for (int power = degree - 1; power >= 0; --power) value = fma(value, point.t, coefficients[power]);
      if (point.cell != cell) {
        add_sum(cell, lane, re, im);
        cell = point.cell;
        re = 0;
        im = 0;
      }
      if constexpr (sizeof(A) == sizeof(T)) {
        re = fma(point.x, value, re);
        im = fma(point.y, value, im);
      } else {
        re += static_cast<A>(point.x * value);
        im += static_cast<A>(point.y * value);
      }
    }
    add_sum(cell, lane, re, im);
  }

  __device__ void add_sum(std::uint32_t cell, int lane, A re, A im) {
    if (lane >= W) return;
    atomicAdd(&shared.tile[0][cell + lane], re);
    atomicAdd(&shared.tile[1][cell + lane], im);
  }

  __device__ void flush(int vector) {
    auto* cells = reinterpret_cast<Complex<A>*>(a.cells) + vector * a.grid.cells;
    for (std::uint32_t c = threadIdx.x; c < bin_cells + W - 1; c += sums_1d_threads) {
      const A re = shared.tile[0][c], im = shared.tile[1][c];
      if (re != 0 || im != 0) add(cells + wrap(corner + c, a.grid.n[0]), re, im);
    }
  }
};

template <class T, class A, int W>
__global__ void __launch_bounds__(sums_1d_threads, sizeof(T) == 4 ? 4 : 3)
    sums_1d_kernel(const __grid_constant__ StageArguments<T, A> arguments, std::uint32_t bin_cells,
                   const Subproblem* items, const std::uint32_t* item_count) {
  extern __shared__ double2 sums_1d_memory[];
  if (blockIdx.x >= *item_count) return;
  const Subproblem item = items[blockIdx.x];
  auto& shared = *reinterpret_cast<typename Sums1dAgent<T, A, W>::Shared*>(sums_1d_memory);
  Sums1dAgent<T, A, W>{arguments, shared, item, item.bin * bin_cells, bin_cells}.run();
}

template <class T, class A>
void spread_sums_1d(const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& bins, cudaStream_t stream) {
  if (set.max_items == 0) return;
  dispatch<min_width, max_width>(stage.kernel.width, [&](auto w) {
    const auto kernel = sums_1d_kernel<T, A, w()>;
    constexpr std::size_t bytes = sizeof(typename Sums1dAgent<T, A, w()>::Shared);
    ask_for_shared(kernel, bytes);
    const dim3 blocks(static_cast<unsigned>(set.max_items), static_cast<unsigned>(stage.batch));
    enqueue("sums in 1D", kernel, {blocks, sums_1d_threads, bytes, stream}, stage, bins.size[0], set.items.data(),
            set.item_count.data());
  });
}

}  // namespace offgrid::cuda
