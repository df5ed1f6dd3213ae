// The agent, the kernel and the launcher of interp.hpp; compiled once a precision.
#pragma once

#include "core/dispatch.hpp"
#include "cuda/check.hpp"
#include "cuda/interp.hpp"
#include "cuda/team.cuh"

namespace offgrid::cuda {

template <class T, class A, int D, int W, class Place> struct InterpAgent {
  using Shape = TeamShape<D, W>;
  static constexpr int teams = interp_threads / Shape::lanes;
  static constexpr int points_a_block = teams * interp_rounds;

  struct Shared {
    KernelCoefficients<T, W> kernel;
    T values[teams][D * W];
  };

  const StageArguments<T, A>& a;
  Shared& shared;

  __device__ void run() {
    shared.kernel.load(a.kernel.coefficients);
    __syncthreads();
    const int team = threadIdx.x / Shape::lanes;
    for (int round = 0; round < interp_rounds; ++round) {
      const std::int64_t i = std::int64_t{blockIdx.x} * points_a_block + round * teams + team;
      TeamPoint<T, D, W> point;
      point.load(a.points, i < a.points.count ? i : a.points.count - 1, shared.kernel, shared.values[team]);
      for (int vector = 0; vector < a.batch; ++vector) gather(point, i, vector);
    }
  }

  __device__ void gather(const TeamPoint<T, D, W>& point, std::int64_t i, int vector) {
    const auto* cells = reinterpret_cast<const Complex<A>*>(a.cells) + vector * a.grid.cells;
    T re[Shape::x_steps]{}, im[Shape::x_steps]{};
    point.for_cells(GridPlaces<Place>{a.grid, point.cell}, [&](Place place, int step, T weight) {
      const Complex<A> value = __ldg(cells + place);
      re[step] = fma(weight, static_cast<T>(value.x), re[step]), im[step] = fma(weight, static_cast<T>(value.y), im[step]);
    });
    Complex<T> sum{0, 0};
    for (int s = 0; s < Shape::x_steps; ++s) sum.x = fma(point.kx[s], re[s], sum.x), sum.y = fma(point.kx[s], im[s], sum.y);
    for (int reach = Shape::lanes / 2; reach > 0; reach /= 2) {
      sum.x += __shfl_xor_sync(~0u, sum.x, reach);
      sum.y += __shfl_xor_sync(~0u, sum.y, reach);
    }
    if (threadIdx.x % Shape::lanes != 0 || i >= a.points.count) return;
    const std::int64_t to = a.points.first + (a.points.index ? a.points.index[i] : i);
    reinterpret_cast<Complex<T>*>(a.strengths)[vector * a.stride + to] = sum;
  }
};

template <class T, class A, int D, int W, class Place>
__global__ void __launch_bounds__(interp_threads) interp_kernel(const __grid_constant__ StageArguments<T, A> arguments) {
  __shared__ typename InterpAgent<T, A, D, W, Place>::Shared shared;
  InterpAgent<T, A, D, W, Place>{arguments, shared}.run();
}

template <class T, class A> void interpolate(int dim, const StageArguments<T, A>& arguments, cudaStream_t stream) {
  if (arguments.points.count == 0) return;
  dispatch<1, 3>(dim, [&](auto d) {
    dispatch<min_width, max_width>(arguments.kernel.width, [&](auto w) {
      with_place(arguments.grid, [&](auto place) {
        constexpr int many = InterpAgent<T, A, d(), w(), decltype(place)>::points_a_block;
        const auto blocks = static_cast<unsigned>((arguments.points.count + many - 1) / many);
        interp_kernel<T, A, d(), w(), decltype(place)><<<blocks, interp_threads, 0, stream>>>(arguments);
      });
    });
  });
  check_launch("interpolate");
}

}  // namespace offgrid::cuda
