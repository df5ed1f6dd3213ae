// The agent, the kernel and the launcher of SM (tile.hpp); compiled once for each pair of precisions.
#pragma once

#include "core/dispatch.hpp"
#include "cuda/kernels/cells.cuh"
#include "cuda/kernels/integers.hpp"
#include "cuda/kernels/strengths.cuh"
#include "cuda/kernels/team.cuh"
#include "cuda/launch/enqueue.hpp"
#include "cuda/method/tile.hpp"

namespace offgrid::cuda {

// A tile is two arrays, of real and of imaginary parts, so that neighbouring cells lie in neighbouring banks. There are
// tiles for several vectors of a batch where they fit: the kernel is evaluated once for all of them.
template <class T, class A, int D, int W> struct TileAgent {
  static constexpr int lanes = spread_lanes(D, W);
  using Shape = TeamShape<D, W, lanes>;
  using Point = TeamPoint<T, D, W, lanes>;

  struct Shared {
    KernelCoefficients<T, W> kernel;
    T values[most_tile_threads / lanes][Shape::values];
  };

  const StageArguments<T, A>& a;
  const TileSpec& tile;
  Shared& shared;
  A* tiles;  // [vectors][re, im][z][y][x]

  struct Vectors {
    int first, count;
  };

  __device__ int tile_cells() const { return static_cast<int>(tile.size[0] * tile.size[1] * tile.size[2]); }

  __device__ void run(const Subproblem& item) {
    shared.kernel.load(a.kernel.coefficients);
    std::uint32_t corner[max_dim]{}, bin = item.bin;
    for (int axis = 0; axis < D; ++axis) {
      corner[axis] = bin % tile.bins.count[axis] * tile.bins.size[axis];
      bin /= tile.bins.count[axis];
    }
    for (int vector = blockIdx.y * tile.vectors; vector < a.batch; vector += gridDim.y * tile.vectors) {
      const Vectors vectors{vector, min(tile.vectors, a.batch - vector)};
      for (int c = threadIdx.x; c < 2 * tile_cells() * vectors.count; c += blockDim.x) tiles[c] = 0;
      __syncthreads();
      add_points(item, corner, vectors);
      __syncthreads();
      flush(corner, vectors);
      __syncthreads();
    }
  }

  // Whole warps take part in every round, as loading a point needs all their lanes.
  __device__ void add_points(const Subproblem& item, const std::uint32_t* corner, Vectors vectors) {
    const int team = threadIdx.x / lanes, teams = blockDim.x / lanes;
    const std::uint32_t last = item.first + item.count - 1;
    RawPoint<T, D> next;
    next.fetch(a.points, min(item.first + team, last));
    Complex<T> next_strength = strength_of(a, next.index(), vectors.first);
    for (std::uint32_t first = item.first; first <= last; first += teams) {
      const RawPoint<T, D> raw = next;
      const Complex<T> first_strength = next_strength;
      next.fetch(a.points, min(first + team + teams, last));
      Point point;
      point.load(a.points, raw, shared.kernel, shared.values[team]);
      next_strength = strength_of(a, next.index(), vectors.first);
      if (first + team > last) continue;
      const auto in_tile = [&](int axis, int cell) -> int {
        const int inside = static_cast<int>(point.cell[axis] - corner[axis]) + cell;
        return axis == 0 ? inside : inside * static_cast<int>(axis == 1 ? tile.size[0] : tile.size[0] * tile.size[1]);
      };
      for (int v = 0; v < vectors.count; ++v) {
        const Complex<T> strength = v == 0 ? first_strength : strength_of(a, raw.index(), vectors.first + v);
        A *re = tiles + 2 * v * tile_cells(), *im = re + tile_cells();
        point.for_cells(in_tile, [&](int offset, int step, T weight) {
          const T value = weight * point.kx[step];
          atomicAdd(re + offset, static_cast<A>(strength.x * value));
          atomicAdd(im + offset, static_cast<A>(strength.y * value));
        });
      }
    }
  }

  // One warp per row.
  __device__ void flush(const std::uint32_t* corner, Vectors vectors) {
    const int rows = static_cast<int>(tile.size[1] * tile.size[2]);
    for (int all = threadIdx.x / 32; all < rows * vectors.count; all += blockDim.x / 32) {
      const int v = all / rows, row = all - v * rows;
      auto* cells = reinterpret_cast<Complex<A>*>(a.cells) + (vectors.first + v) * a.grid.cells;
      const A *re = tiles + 2 * v * tile_cells(), *im = re + tile_cells();
      const std::uint32_t y = row % tile.size[1], z = row / tile.size[1];
      const std::uint32_t* n = a.grid.n;
      const std::uint64_t start = (std::uint64_t{wrap(corner[2] + z, n[2])} * n[1] + wrap(corner[1] + y, n[1])) * n[0];
      for (std::uint32_t x = threadIdx.x % 32; x < tile.size[0]; x += 32) {
        const A real = re[row * tile.size[0] + x], imaginary = im[row * tile.size[0] + x];
        if (real != 0 || imaginary != 0) add(cells + start + wrap(corner[0] + x, n[0]), real, imaginary);
      }
    }
  }
};

template <class T, class A, int D, int W>
__global__ void __launch_bounds__(most_tile_threads)
    tile_kernel(const __grid_constant__ StageArguments<T, A> arguments, const __grid_constant__ TileSpec tile,
                const Subproblem* items, const std::uint32_t* item_count) {
  using Agent = TileAgent<T, A, D, W>;
  __shared__ typename Agent::Shared shared;
  extern __shared__ double tile_memory[];
  if (blockIdx.x >= *item_count) return;
  Agent{arguments, tile, shared, reinterpret_cast<A*>(tile_memory)}.run(items[blockIdx.x]);
}

template <class T, class A>
void spread_tiles(int dim, const StageArguments<T, A>& arguments, const TileSpec& tile, const PointSet<T>& set,
                  cudaStream_t stream) {
  if (set.max_items == 0) return;
  const std::size_t bytes = tile.bytes(sizeof(A));
  dispatch<1, 3>(dim, [&](auto d) {
    dispatch<min_width, max_width>(arguments.kernel.width, [&](auto w) {
      const auto kernel = tile_kernel<T, A, d(), w()>;
      ask_for_shared(kernel, bytes, sizeof(typename TileAgent<T, A, d(), w()>::Shared));
      const int groups = (arguments.batch + tile.vectors - 1) / tile.vectors;
      const dim3 blocks(static_cast<unsigned>(set.max_items), static_cast<unsigned>(smaller(groups, 65535)));
      enqueue("spread", kernel, {blocks, tile.threads, bytes, stream}, arguments, tile, set.items.data(),
              set.item_count.data());
    });
  });
}

}  // namespace offgrid::cuda
