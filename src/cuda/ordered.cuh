// Spreading with the same bits from run to run: a block owns the cells of a bin and adds up, for each of them, the points
// that reach it, in their sorted order. No atomics; every point is looked at by all the bins that it reaches. Sums are
// made in f64.
#pragma once

#include "core/dispatch.hpp"
#include "cuda/check.hpp"
#include "cuda/ordered.hpp"
#include "cuda/spread.cuh"

namespace offgrid::cuda {

template <class T, class A, int D, int W> struct OrderedAgent {
  static constexpr int chunk = 64;  // points whose kernel values are held at a time
  static constexpr int cells_a_thread = ordered_cells / ordered_threads;

  struct Shared {
    KernelCoefficients<T, W> kernel;
    T values[chunk][D * W];
    T t[chunk][D];
    std::uint32_t cell[chunk][D];
    Complex<T> strength[chunk];
  };

  const StageArguments<T, A>& a;
  const Bins& bins;
  const std::uint32_t* bin_first;
  Shared& shared;
  std::uint32_t own[max_dim];                   // this block's bin
  std::uint32_t mine[cells_a_thread][max_dim];  // this thread's cells
  double re[cells_a_thread], im[cells_a_thread];

  __device__ std::uint32_t size_of(int axis, std::uint32_t bin) const {
    return min(bins.size[axis], a.grid.n[axis] - bin * bins.size[axis]);
  }

  // How many bins along an axis, this one and those before it, hold points that reach this one.
  __device__ std::uint32_t reach(int axis) const {
    std::uint32_t count = 1, covered = 0;
    for (std::uint32_t bin = own[axis]; covered < W - 1 && count < bins.count[axis]; ++count) {
      bin = bin == 0 ? bins.count[axis] - 1 : bin - 1;
      covered += size_of(axis, bin);
    }
    return count;
  }

  __device__ void run(std::uint32_t bin) {
    shared.kernel.load(a.kernel.coefficients);
    for (int axis = 0; axis < max_dim; ++axis) own[axis] = bin % bins.count[axis], bin /= bins.count[axis];
    for (int c = 0; c < cells_a_thread; ++c) {
      std::uint32_t rest = threadIdx.x + c * ordered_threads;
      for (int axis = 0; axis < D; ++axis) {
        mine[c][axis] = own[axis] * bins.size[axis] + rest % bins.size[axis];
        rest /= bins.size[axis];
      }
      if (rest > 0) mine[c][0] = ~0u;  // no such cell
    }
    for (int vector = 0; vector < a.batch; ++vector) {
      for (int c = 0; c < cells_a_thread; ++c) re[c] = im[c] = 0;
      add_bins(vector);
      write(vector);
    }
  }

  __device__ void add_bins(int vector) {
    const std::uint32_t nx = reach(0), ny = D > 1 ? reach(1) : 1, nz = D > 2 ? reach(2) : 1;
    for (std::uint32_t b = 0; b < nx * ny * nz; ++b) {
      const std::uint32_t back[max_dim] = {b % nx, b / nx % ny, b / (nx * ny)};
      std::uint32_t bin = 0;
      for (int axis = D - 1; axis >= 0; --axis)
        bin = bin * bins.count[axis] + (own[axis] + bins.count[axis] - back[axis]) % bins.count[axis];
      for (std::uint32_t first = bin_first[bin]; first < bin_first[bin + 1]; first += chunk)
        add_chunk(first, min(chunk, static_cast<int>(bin_first[bin + 1] - first)), vector);
    }
  }

  __device__ void add_chunk(std::uint32_t first, int count, int vector) {
    __syncthreads();
    for (int p = threadIdx.x; p < count; p += ordered_threads) {
      RawPoint<T, D> raw;
      raw.fetch(a.points, first + p);
      for (int axis = 0; axis < D; ++axis)
        shared.cell[p][axis] = raw.cell(a.points, axis), shared.t[p][axis] = raw.t(a.points, axis);
      shared.strength[p] = strength_of(a, raw.index, vector);
    }
    __syncthreads();
    for (int v = threadIdx.x; v < count * D * W; v += ordered_threads) {
      const int p = v / (D * W), value = v % (D * W);
      shared.values[p][value] = shared.kernel(value % W, shared.t[p][value / W]);
    }
    __syncthreads();
    for (int p = 0; p < count; ++p)
#pragma unroll
      for (int c = 0; c < cells_a_thread; ++c) add_point(p, c);
  }

  __device__ void add_point(int p, int c) {
    T weight = 1;
    for (int axis = 0; axis < D; ++axis) {
      const std::uint32_t start = shared.cell[p][axis];
      const std::uint32_t offset = mine[c][axis] - start + (mine[c][axis] < start ? a.grid.n[axis] : 0);
      if (offset >= W) return;
      weight *= shared.values[p][axis * W + offset];
    }
    re[c] += static_cast<double>(shared.strength[p].x * weight),
        im[c] += static_cast<double>(shared.strength[p].y * weight);
  }

  __device__ void write(int vector) const {
    auto* cells = reinterpret_cast<Complex<A>*>(a.cells) + vector * a.grid.cells;
    for (int c = 0; c < cells_a_thread; ++c) {
      std::uint64_t place = 0;
      bool there = true;
      for (int axis = D - 1; axis >= 0; --axis) {
        there = there && mine[c][axis] < a.grid.n[axis];
        place = place * a.grid.n[axis] + mine[c][axis];
      }
      if (there) cells[place].x += static_cast<A>(re[c]), cells[place].y += static_cast<A>(im[c]);
    }
  }
};

template <class T, class A, int D, int W>
__global__ void __launch_bounds__(ordered_threads)
    ordered_kernel(const __grid_constant__ StageArguments<T, A> arguments, const __grid_constant__ Bins bins,
                   const std::uint32_t* bin_first) {
  __shared__ typename OrderedAgent<T, A, D, W>::Shared shared;
  OrderedAgent<T, A, D, W>{arguments, bins, bin_first, shared, {}, {}, {}, {}}.run(blockIdx.x);
}

template <class T, class A>
void spread_ordered(int dim, const StageArguments<T, A>& arguments, const Bins& bins, const std::uint32_t* bin_first,
                    cudaStream_t stream) {
  if (arguments.points.count == 0) return;
  dispatch<1, 3>(dim, [&](auto d) {
    dispatch<min_width, max_width>(arguments.kernel.width, [&](auto w) {
      ordered_kernel<T, A, d(), w()>
          <<<static_cast<unsigned>(bins.total()), ordered_threads, 0, stream>>>(arguments, bins, bin_first);
    });
  });
  check_launch("spread");
}

}  // namespace offgrid::cuda
