// The agents, the kernels and the launchers of interpolate_per_point.hpp; compiled once per precision. One thread per point
// is what the paper does. It is fast where points that are neighbours in their order read the same rows of cells.
#pragma once

#include <type_traits>

#include "core/dispatch.hpp"
#include "cuda/kernels/cells.cuh"
#include "cuda/kernels/cut_work.cuh"
#include "cuda/kernels/polynomials.cuh"
#include "cuda/kernels/raw_point.cuh"
#include "cuda/kernels/strengths.cuh"
#include "cuda/launch/enqueue.hpp"
#include "cuda/method/interpolate_per_point.hpp"

namespace offgrid::cuda {

inline constexpr int interp_threads = 256;

template <class T, class A, int W> struct InterpArguments {
  StageArguments<T, A> stage;
  Polynomials<T, W> polynomials;
};

template <class T> __device__ void add_product(Complex<T>& sum, T weight, Complex<T> value) {
  sum.x = fma(weight, value.x, sum.x);
  sum.y = fma(weight, value.y, sum.y);
}

// The factor of a point's results. It is read before the cells, whose reads hide its latency. Kernels that multiply are apart
// from those that do not, because a test at run time changes how many registers these take.
template <class T, bool Multiplies> struct ResultFactor {
  const StageArguments<T, T>& a;
  Complex<T> factor;
  __device__ ResultFactor(const StageArguments<T, T>& stage, std::uint32_t index)
      : a(stage), factor(factor_at(stage, index)) {}
  __device__ Complex<T> times(Complex<T> result) const { return product(a, result, factor); }
};
template <class T> struct ResultFactor<T, false> {
  __device__ ResultFactor(const StageArguments<T, T>&, std::uint32_t) {}
  __device__ static Complex<T> times(Complex<T> result) { return result; }
};

// --- 1D and 2D --------------------------------------------------------------------------------------------------------
// The cells that a point reads: row(y) + x(i) is the i-th of a row.
template <class C, class Offset> struct InnerWindow {  // does not reach across the period
  const C* corner;
  Offset row_step;
  __device__ const C* row(int y) const { return corner + y * row_step; }
  __device__ static int x(int i) { return i; }
};
template <class C, int W, class Offset> struct WrappedWindow {
  const C* cells;
  GridOffsets<Offset> at;
  Offset columns[W];
  __device__ WrappedWindow(const C* grid_cells, const GridOffsets<Offset>& offsets) : cells(grid_cells), at(offsets) {
#pragma unroll
    for (int i = 0; i < W; ++i) columns[i] = at(0, i);
  }
  __device__ const C* row(int y) const { return cells + at(1, y); }
  __device__ Offset x(int i) const { return columns[i]; }
};

template <class T, class A, int D, int W, class Offset, bool Multiplies> struct InterpAgent {
  const StageArguments<T, A>& a;
  const Polynomials<T, W>& polynomials;
  std::uint32_t cell[max_dim]{};
  bool inner;  // no window of the warp reaches across the period
  T kx[W], ky[W];

  __device__ InterpAgent(const InterpArguments<T, A, W>& arguments)
      : a(arguments.stage), polynomials(arguments.polynomials) {}

  __device__ void run() {
    const auto last = static_cast<std::uint32_t>(a.points.count - 1);  // of a set
    const int first_vector = blockIdx.y * a.vectors, end_vector = min(first_vector + a.vectors, a.batch);
    std::uint32_t i = blockIdx.x * (interp_threads * a.rounds) + threadIdx.x;
    RawPoint<T, D> next;
    next.fetch(a.points, min(i, last));
    for (int round = 0; round < a.rounds; ++round, i += interp_threads) {
      const RawPoint<T, D> raw = next;
      next.fetch(a.points, min(i + interp_threads, last));
      const ResultFactor<T, Multiplies> factor(a, raw.index());
      evaluate(raw);
      if (i > last) return;
      for (int vector = first_vector; vector < end_vector; ++vector)
        result_at(a, index_of_result(a, i, raw.index()), vector) = factor.times(gather(vector));
    }
  }

  __device__ void evaluate(const RawPoint<T, D>& raw) {
    inner = true;
#pragma unroll
    for (int axis = 0; axis < D; ++axis) {
      cell[axis] = raw.cell(a.points, axis);
      inner = inner && cell[axis] + W <= a.grid.n[axis];
    }
    inner = __all_sync(__activemask(), inner);  // otherwise the warp would run the code of both windows
    polynomials.evaluate(raw.t(a.points, 0), kx);
    if constexpr (D > 1) polynomials.evaluate(raw.t(a.points, 1), ky);
  }

  __device__ Complex<T> gather(int vector) const {
    using Cell = const Complex<A>;
    const auto* cells = reinterpret_cast<Cell*>(a.cells) + vector * a.grid.cells;
    if (!inner) return sum(WrappedWindow<Cell, W, Offset>(cells, {a.grid, cell}));
    const Offset corner = Offset{cell[1]} * a.grid.n[0] + cell[0];
    return sum(InnerWindow<Cell, Offset>{cells + corner, a.grid.n[0]});
  }

  template <class Window> __device__ Complex<T> sum(const Window& window) const {
    Complex<T> columns[W]{};  // sums that do not wait for each other
    if constexpr (D == 1) add_row(columns, window, 0, T(1));
    if constexpr (D == 2)
#pragma unroll
      for (int y = 0; y < W; ++y) add_row(columns, window, y, ky[y]);
    Complex<T> all{0, 0};
#pragma unroll
    for (int i = 0; i < W; ++i) add_product(all, kx[i], columns[i]);
    return all;
  }
  template <class Window>
  __device__ static void add_row(Complex<T> (&columns)[W], const Window& window, int y, T weight) {
    const auto* row = window.row(y);
#pragma unroll
    for (int i = 0; i < W; ++i) {
      const Complex<A> value = __ldg(row + window.x(i));
      add_product<T>(columns[i], weight, {static_cast<T>(value.x), static_cast<T>(value.y)});
    }
  }
};

// --- 3D ---------------------------------------------------------------------------------------------------------------
// All windows are read in the same way, plane by plane: separate code for windows that do not reach across the period
// would take more registers than there are.
template <class T, class A, int D, int W, class Offset, bool Multiplies> struct VolumeInterpAgent {
  const StageArguments<T, A>& a;
  const Polynomials<T, W>& polynomials;
  std::uint32_t cell[max_dim];
  T kx[W], ky[W], slowest;

  __device__ VolumeInterpAgent(const InterpArguments<T, A, W>& arguments)
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
      const ResultFactor<T, Multiplies> factor(a, raw.index());
      evaluate(raw);
      if (i > last) return;
      const std::uint32_t to = index_of_result(a, static_cast<std::uint32_t>(i), raw.index());
      for (int vector = first_vector; vector < end_vector; ++vector)
        result_at(a, to, vector) = factor.times(gather(vector));
    }
  }

  __device__ void evaluate(const RawPoint<T, D>& raw) {
#pragma unroll
    for (int axis = 0; axis < D; ++axis) cell[axis] = raw.cell(a.points, axis);
    polynomials.evaluate(raw.t(a.points, 0), kx);
    polynomials.evaluate(raw.t(a.points, 1), ky);
    slowest = raw.t(a.points, 2);
  }

  __device__ Complex<T> gather(int vector) const {
    const auto* cells = reinterpret_cast<const Complex<A>*>(a.cells) + vector * a.grid.cells;
    const GridOffsets<Offset> at{a.grid, cell};
    Offset x[W];
#pragma unroll
    for (int i = 0; i < W; ++i) x[i] = at(0, i);
    Complex<T> columns[W]{};
#pragma unroll 1
    for (int i = 0; i < W; ++i) add_plane(columns, cells + at(2, i), x, at, polynomials.piece(i, slowest));
    Complex<T> all{0, 0};
#pragma unroll
    for (int i = 0; i < W; ++i) add_product(all, kx[i], columns[i]);
    return all;
  }

  __device__ void add_plane(Complex<T> (&columns)[W], const Complex<A>* plane, const Offset (&x)[W],
                            const GridOffsets<Offset>& at, T weight) const {
#pragma unroll
    for (int y = 0; y < W; ++y) add_row(columns, plane + at(1, y), x, ky[y] * weight);
  }
  __device__ static void add_row(Complex<T> (&columns)[W], const Complex<A>* row, const Offset (&x)[W], T weight) {
#pragma unroll
    for (int i = 0; i < W; ++i) {
      const Complex<A> value = __ldg(row + x[i]);
      add_product<T>(columns[i], weight, {static_cast<T>(value.x), static_cast<T>(value.y)});
    }
  }
};

template <class T, class A, int D, int W, class Offset, bool Multiplies>
__global__ void __launch_bounds__(interp_threads)
    interp_kernel(const __grid_constant__ InterpArguments<T, A, W> arguments) {
  using Agent = std::conditional_t<D == 3, VolumeInterpAgent<T, A, D, W, Offset, Multiplies>,
                                   InterpAgent<T, A, D, W, Offset, Multiplies>>;
  Agent(arguments).run();
}

inline constexpr int reorder_rounds = 4;  // results that a thread moves, with their reads in flight together

// Results in the order of the packed points, [batch][points], to where the stage has them, times their factors.
template <class T>
__global__ void __launch_bounds__(interp_threads)
    reorder_kernel(const Complex<T>* results, const std::uint32_t* inverse,
                   const __grid_constant__ StageArguments<T, T> a) {
  const std::int64_t count = a.points.count;
  const std::int64_t first = std::int64_t{blockIdx.x} * interp_threads * reorder_rounds + threadIdx.x;
  const auto index = [&](int r) { return min(first + r * interp_threads, count - 1); };
  std::uint32_t from[reorder_rounds];
  Complex<T> factor[reorder_rounds]{};
#pragma unroll
  for (int r = 0; r < reorder_rounds; ++r) from[r] = inverse[index(r)];
  if (a.factors != nullptr)
#pragma unroll
    for (int r = 0; r < reorder_rounds; ++r) factor[r] = factor_at(a, index(r));
  auto* to = reinterpret_cast<Complex<T>*>(a.strengths) + a.points.first;
  for (int vector = 0; vector < a.batch; ++vector, results += count, to += a.stride) {
    Complex<T> moved[reorder_rounds];
#pragma unroll
    for (int r = 0; r < reorder_rounds; ++r) moved[r] = results[from[r]];
#pragma unroll
    for (int r = 0; r < reorder_rounds; ++r) {
      if (a.factors != nullptr) moved[r] = product(a, moved[r], factor[r]);
      if (const std::int64_t i = first + r * interp_threads; i < count) to[i] = moved[r];
    }
  }
}

template <class T>
void reorder(const std::complex<T>* results, const PointSet<T>& set, const StageArguments<T, T>& to,
             cudaStream_t stream) {
  const std::int64_t a_block = interp_threads * reorder_rounds;
  const dim3 blocks(static_cast<unsigned>((to.points.count + a_block - 1) / a_block));
  enqueue("reorder", reorder_kernel<T>, {blocks, interp_threads, 0, stream},
          reinterpret_cast<const Complex<T>*>(results), set.inverse.data(), to);
}

template <class T> void interpolate_per_point(int dim, const StageArguments<T, T>& arguments, const Queue& queue) {
  if (arguments.points.count == 0) return;
  dispatch<1, 3>(dim, [&](auto d) {
    dispatch<min_width, max_width>(arguments.kernel.width, [&](auto w) {
      with_offset(arguments.grid, [&](auto offset) {
        InterpArguments<T, T, w()> cut{arguments, polynomials_of<w()>(arguments.kernel)};
        const dim3 blocks = cut_work(cut.stage, interp_threads, queue.multiprocessors);
        using Offset = decltype(offset);
        const auto kernel = arguments.factors != nullptr ? interp_kernel<T, T, d(), w(), Offset, true>
                                                         : interp_kernel<T, T, d(), w(), Offset, false>;
        enqueue("interpolate", kernel, {blocks, interp_threads, 0, queue.stream}, cut);
      });
    });
  });
}

}  // namespace offgrid::cuda
