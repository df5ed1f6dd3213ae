// The agent, the kernel and the launcher of GM and GM-sort (global.hpp); compiled once for each pair of precisions.
#pragma once

#include "core/dispatch.hpp"
#include "cuda/kernels/cells.cuh"
#include "cuda/kernels/cut_work.cuh"
#include "cuda/kernels/strengths.cuh"
#include "cuda/kernels/team.cuh"
#include "cuda/launch/enqueue.hpp"
#include "cuda/method/global.hpp"

namespace offgrid::cuda {

template <class T, class A, int D, int W, class Offset> struct GlobalAgent {
  static constexpr int lanes = spread_lanes(D, W);
  using Shape = TeamShape<D, W, lanes>;
  using Point = TeamPoint<T, D, W, lanes>;
  static constexpr int teams = spread_threads / lanes;

  struct Shared {
    KernelCoefficients<T, W> kernel;
    T values[teams][Shape::values];
  };

  const StageArguments<T, A>& a;
  Shared& shared;

  __device__ void run() {
    shared.kernel.load(a.kernel.coefficients);
    __syncthreads();
    const int team = threadIdx.x / lanes;
    const std::int64_t first = std::int64_t{blockIdx.x} * teams * a.rounds + team, last = a.points.count - 1;
    const int first_vector = blockIdx.y * a.vectors, end_vector = min(first_vector + a.vectors, a.batch);
    RawPoint<T, D> next;
    next.fetch(a.points, min(first, last));
    for (int round = 0; round < a.rounds; ++round) {
      const std::int64_t i = first + round * teams;
      const RawPoint<T, D> raw = next;
      next.fetch(a.points, min(i + teams, last));
      Point point;
      point.load(a.points, raw, shared.kernel, shared.values[team]);
      if (i <= last)
        for (int vector = first_vector; vector < end_vector; ++vector)
          scatter(point, strength_of(a, raw.index(), vector), vector);
    }
  }

  __device__ void scatter(const Point& point, Complex<T> strength, int vector) {
    auto* cells = reinterpret_cast<Complex<A>*>(a.cells) + vector * a.grid.cells;
    point.for_cells(GridOffsets<Offset>{a.grid, point.cell}, [&](Offset offset, int step, T weight) {
      const T value = weight * point.kx[step];
      add(cells + offset, static_cast<A>(strength.x * value), static_cast<A>(strength.y * value));
    });
  }
};

template <class T, class A, int D, int W, class Offset>
__global__ void __launch_bounds__(spread_threads)
    global_kernel(const __grid_constant__ StageArguments<T, A> arguments) {
  __shared__ typename GlobalAgent<T, A, D, W, Offset>::Shared shared;
  GlobalAgent<T, A, D, W, Offset>{arguments, shared}.run();
}

template <class T, class A> void spread_global(int dim, const StageArguments<T, A>& arguments, const Queue& queue) {
  if (arguments.points.count == 0) return;
  dispatch<1, 3>(dim, [&](auto d) {
    dispatch<min_width, max_width>(arguments.kernel.width, [&](auto w) {
      with_offset(arguments.grid, [&](auto offset) {
        auto cut = arguments;
        const dim3 blocks = cut_work(cut, GlobalAgent<T, A, d(), w(), decltype(offset)>::teams, queue.multiprocessors);
        const auto kernel = global_kernel<T, A, d(), w(), decltype(offset)>;
        enqueue("spread", kernel, {blocks, spread_threads, 0, queue.stream}, cut);
      });
    });
  });
}

}  // namespace offgrid::cuda
