// The agent, the kernel and the launcher of interp.hpp; compiled once a precision. A thread a point: as in the paper, and
// fast where neighbours in the order of the points read the same rows of cells.
#pragma once

#include "core/dispatch.hpp"
#include "cuda/interp.hpp"
#include "cuda/launch.hpp"
#include "cuda/team.cuh"

namespace offgrid::cuda {

template <class T, class A, int W> struct InterpArguments {
  StageArguments<T, A> stage;
  Polynomials<T, W> polynomials;
};

template <class T, class A, int D, int W, class Place> struct InterpAgent {
  const StageArguments<T, A>& a;
  const Polynomials<T, W>& polynomials;
  std::uint32_t cell[max_dim];
  T kx[W], ky[W], slowest;

  __device__ InterpAgent(const InterpArguments<T, A, W>& arguments)
      : a(arguments.stage), polynomials(arguments.polynomials) {}

  __device__ void run() {
    const std::int64_t first = std::int64_t{blockIdx.x} * interp_threads * a.rounds + threadIdx.x;
    const std::int64_t last = a.points.count - 1;
    const int first_vector = blockIdx.y * a.vectors, end_vector = min(first_vector + a.vectors, a.batch);
    RawPoint<T, D> next;
    next.fetch(a.points, min(first, last));
    for (int round = 0; round < a.rounds; ++round) {
      const std::int64_t i = first + round * interp_threads;
      const RawPoint<T, D> raw = next;
      next.fetch(a.points, min(i + interp_threads, last));
      evaluate(raw);
      if (i > last) return;
      for (int vector = first_vector; vector < end_vector; ++vector)
        result_at(a, static_cast<std::uint32_t>(i), raw.index, vector) = gather(vector);
    }
  }

  __device__ void evaluate(const RawPoint<T, D>& raw) {
#pragma unroll
    for (int axis = 0; axis < D; ++axis) cell[axis] = raw.cell(a.points, axis);
    polynomials(raw.t(a.points, 0), kx);
    if constexpr (D > 1) polynomials(raw.t(a.points, 1), ky);
    if constexpr (D > 2) slowest = raw.t(a.points, 2);
  }

  __device__ Complex<T> gather(int vector) const {
    const auto* cells = reinterpret_cast<const Complex<A>*>(a.cells) + vector * a.grid.cells;
    const GridPlaces<Place> at{a.grid, cell};
    Place x[W];
#pragma unroll
    for (int i = 0; i < W; ++i) x[i] = at(0, i);
    Complex<T> sums[W]{};  // of the columns: they do not wait for each other
    if constexpr (D == 1) add_row(sums, cells, x, T(1));
    if constexpr (D == 2) add_plane(sums, cells, x, at, T(1));
    if constexpr (D == 3)
#pragma unroll 1
      for (int i = 0; i < W; ++i) add_plane(sums, cells + at(2, i), x, at, polynomials.piece(i, slowest));
    Complex<T> sum{0, 0};
#pragma unroll
    for (int i = 0; i < W; ++i) add(sum, kx[i], sums[i]);
    return sum;
  }

  __device__ void add_plane(Complex<T> (&sums)[W], const Complex<A>* cells, const Place (&x)[W],
                            const GridPlaces<Place>& at, T weight) const {
#pragma unroll
    for (int i = 0; i < W; ++i) add_row(sums, cells + at(1, i), x, D == 2 ? ky[i] : ky[i] * weight);
  }
  __device__ static void add_row(Complex<T> (&sums)[W], const Complex<A>* cells, const Place (&x)[W], T weight) {
#pragma unroll
    for (int i = 0; i < W; ++i) {
      const Complex<A> value = __ldg(cells + x[i]);
      add(sums[i], weight, {static_cast<T>(value.x), static_cast<T>(value.y)});
    }
  }
  __device__ static void add(Complex<T>& sum, T weight, Complex<T> value) {
    sum.x = fma(weight, value.x, sum.x), sum.y = fma(weight, value.y, sum.y);
  }
};

template <class T, class A, int D, int W, class Place>
__global__ void __launch_bounds__(interp_threads)
    interp_kernel(const __grid_constant__ InterpArguments<T, A, W> arguments) {
  InterpAgent<T, A, D, W, Place>(arguments).run();
}

inline constexpr int reorder_rounds = 4;  // results that a thread moves, their reads under way together

template <class T>
__global__ void __launch_bounds__(interp_threads)
    reorder_kernel(const Complex<T>* results, const std::uint32_t* inverse, std::int64_t count, Complex<T>* to,
                   std::int64_t stride, int batch) {
  const std::int64_t first = std::int64_t{blockIdx.x} * interp_threads * reorder_rounds + threadIdx.x;
  std::uint32_t from[reorder_rounds];
#pragma unroll
  for (int r = 0; r < reorder_rounds; ++r) from[r] = inverse[min(first + r * interp_threads, count - 1)];
  for (int vector = 0; vector < batch; ++vector, results += count, to += stride) {
    Complex<T> moved[reorder_rounds];
#pragma unroll
    for (int r = 0; r < reorder_rounds; ++r) moved[r] = results[from[r]];
#pragma unroll
    for (int r = 0; r < reorder_rounds; ++r)
      if (const std::int64_t i = first + r * interp_threads; i < count) to[i] = moved[r];
  }
}

template <class T>
void reorder(const std::complex<T>* results, const PointSet<T>& set, std::complex<T>* to, std::int64_t stride,
             int batch, cudaStream_t stream) {
  const std::int64_t count = set.points.count, a_block = interp_threads * reorder_rounds;
  const dim3 blocks(static_cast<unsigned>((count + a_block - 1) / a_block));
  enqueue("reorder", reorder_kernel<T>, {blocks, interp_threads, 0, stream},
          reinterpret_cast<const Complex<T>*>(results), set.inverse.data(), count, reinterpret_cast<Complex<T>*>(to),
          stride, batch);
}

template <class T, class A> void interpolate(int dim, const StageArguments<T, A>& arguments, cudaStream_t stream) {
  if (arguments.points.count == 0) return;
  dispatch<1, 3>(dim, [&](auto d) {
    dispatch<min_width, max_width>(arguments.kernel.width, [&](auto w) {
      with_place(arguments.grid, [&](auto place) {
        InterpArguments<T, A, w()> cut{arguments, polynomials_of<w()>(arguments.kernel)};
        const dim3 blocks = cut_work(cut.stage, interp_threads);
        const auto kernel = interp_kernel<T, A, d(), w(), decltype(place)>;
        enqueue("interpolate", kernel, {blocks, interp_threads, 0, stream}, cut);
      });
    });
  });
}

}  // namespace offgrid::cuda
