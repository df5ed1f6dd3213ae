// The agent, the kernel and the launcher of interp.hpp; compiled once a precision.
#pragma once

#include "core/dispatch.hpp"
#include "cuda/check.hpp"
#include "cuda/interp.hpp"
#include "cuda/team.cuh"

namespace offgrid::cuda {

template <class T, class A, int D, int W, class Place> struct InterpAgent {
  static constexpr int lanes = interp_lanes(D, W);
  using Shape = TeamShape<D, W, lanes>;
  using Point = TeamPoint<T, D, W, lanes>;
  static constexpr int teams = interp_threads / Shape::lanes;

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
      for (int vector = first_vector; vector < end_vector; ++vector) {
        const Complex<T> sum = gather(point, vector);
        if (threadIdx.x % lanes == 0 && i <= last)
          reinterpret_cast<Complex<T>*>(a.strengths)[vector * a.stride + a.points.first + raw.index] = sum;
      }
    }
  }

  __device__ Complex<T> gather(const Point& point, int vector) {
    const auto* cells = reinterpret_cast<const Complex<A>*>(a.cells) + vector * a.grid.cells;
    T re[Shape::x_steps]{}, im[Shape::x_steps]{};
    point.for_cells(GridPlaces<Place>{a.grid, point.cell}, [&](Place place, int step, T weight) {
      const Complex<A> value = __ldg(cells + place);
      re[step] = fma(weight, static_cast<T>(value.x), re[step]),
      im[step] = fma(weight, static_cast<T>(value.y), im[step]);
    });
    Complex<T> sum{0, 0};
    for (int s = 0; s < Shape::x_steps; ++s)
      sum.x = fma(point.kx[s], re[s], sum.x), sum.y = fma(point.kx[s], im[s], sum.y);
#pragma unroll
    for (int reach = lanes / 2; reach > 0; reach /= 2) {
      sum.x += __shfl_xor_sync(~0u, sum.x, reach);
      sum.y += __shfl_xor_sync(~0u, sum.y, reach);
    }
    return sum;
  }
};

template <class T, class A, int D, int W, class Place>
__global__ void __launch_bounds__(interp_threads)
    interp_kernel(const __grid_constant__ StageArguments<T, A> arguments) {
  __shared__ typename InterpAgent<T, A, D, W, Place>::Shared shared;
  InterpAgent<T, A, D, W, Place>{arguments, shared}.run();
}

template <class T, class A> void interpolate(int dim, const StageArguments<T, A>& arguments, cudaStream_t stream) {
  if (arguments.points.count == 0) return;
  dispatch<1, 3>(dim, [&](auto d) {
    dispatch<min_width, max_width>(arguments.kernel.width, [&](auto w) {
      with_place(arguments.grid, [&](auto place) {
        auto cut = arguments;
        const dim3 blocks = cut_work(cut, InterpAgent<T, A, d(), w(), decltype(place)>::teams);
        interp_kernel<T, A, d(), w(), decltype(place)><<<blocks, interp_threads, 0, stream>>>(cut);
      });
    });
  });
  check_launch("interpolate");
}

}  // namespace offgrid::cuda
