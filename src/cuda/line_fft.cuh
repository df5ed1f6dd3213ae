// FFTs of small grids, axis by axis, crop or padding and deconvolution inside: a kernel an axis, where cuFFT takes one to
// three and a kernel of ours for the modes. A block works on some lines in shared memory; with n = a b, j = j1 b + j2 and
// k = k1 + a k2 a line is
//   y[k1, j2] = e(j2 k1 / n) sum_j1 x[j1 b + j2] e(j1 k1 / a)        z[k1 + a k2] = sum_j2 y[k1, j2] e(j2 k2 / b)
// and a thread sums for an index and for its negative together, which share their products.
#pragma once

#include "cuda/launch.hpp"
#include "cuda/policy.hpp"
#include "cuda/team.cuh"

namespace offgrid::cuda {

// Element j of line (u, v) is at u * along_u + v * along_v + j * step.
struct LineLayout {
  std::uint32_t step, along_u, along_v;
  std::uint64_t vector;  // from one of a batch to the next
};

// A line has n cells on the grid. Of modes it has N, in the caller's order, at its first N places.
template <class A> struct LinePass {
  LineLayout from, to;
  int n, modes, sign;            // of the exponent in e
  std::uint32_t u_count, lines;  // u < u_count
  const A *factors, *roots;      // [|k|]; [n][re, im]: e(j / n)
  bool fft_order;
  bool early;                      // starts while the kernel in front of it ends
  int a = 1, b = 1, together = 1;  // n = a b; lines of a block
};

// From here on, what the kernel in front wrote is there. That one does not let us start before its blocks end: ours would
// then crowd on the multiprocessors that it leaves free.
__device__ inline void wait_for_kernel_in_front() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

enum class LineKind { crop, pad };

// Sums over the same terms with a factor w and with its conjugate.
template <class A> struct PairSum {
  A rr = 0, ii = 0, ri = 0, ir = 0;

  // `terms` of x from a pointer in steps, times the powers of a root.
  __device__ PairSum(const Complex<A>* x, int step, int terms, const Complex<A>* roots, int root, int n) {
#pragma unroll 4
    for (int i = 0, w = 0; i < terms; ++i) {
      const Complex<A> term = x[i * step], factor = roots[w];
      rr = fma(term.x, factor.x, rr), ii = fma(term.y, factor.y, ii);
      ri = fma(term.x, factor.y, ri), ir = fma(term.y, factor.x, ir);
      w = w + root < n ? w + root : w + root - n;
    }
  }
  __device__ Complex<A> sum() const { return {rr - ii, ri + ir}; }
  __device__ Complex<A> conjugate() const { return {rr + ii, ir - ri}; }
};

template <LineKind K, class S, class A, class D> struct LineAgent {
  const LinePass<A>& p;
  Complex<A>*roots, *lines, *halfway;  // [n]; [n][pitch], twice
  A* factors;                          // [|k|]
  int pitch, count;                    // lines of this block
  std::uint32_t first;

  // Of a cell: where its mode is among the modes, or -1, and |k|.
  struct Mode {
    int place, k;
  };
  __device__ Mode mode_of(int cell) const {
    const int below = p.modes / 2, k = p.n - cell;
    if (cell < p.modes - below) return {p.fft_order ? cell : cell + below, cell};
    return {k > below ? -1 : (p.fft_order ? p.modes : below) - k, k};
  }
  __device__ std::uint32_t start(const LineLayout& layout, int line) const {
    const std::uint32_t all = first + line, v = all / p.u_count;
    return (all - v * p.u_count) * layout.along_u + v * layout.along_v;
  }

  // Neighbouring threads read neighbouring cells: of a line along x, and otherwise of neighbouring lines.
  __device__ void load(const Complex<S>* from) const {
    const bool rows = p.from.step == 1;
    for (int i = threadIdx.x; i < p.n * count; i += blockDim.x) {
      const int line = rows ? i / p.n : i % count, j = rows ? i % p.n : i / count;
      const Mode mode = K == LineKind::pad ? mode_of(j) : Mode{j, 0};
      Complex<A> value{0, 0};
      if (mode.place >= 0) {
        const Complex<S> read = from[start(p.from, line) + mode.place * p.from.step];
        const A factor = K == LineKind::pad ? factors[mode.k] : A(1);
        value = {static_cast<A>(read.x) * factor, static_cast<A>(read.y) * factor};
      }
      lines[j * pitch + line] = value;
    }
  }

  __device__ void first_half() const {
    for (int task = threadIdx.x; task < count * p.b * (p.a / 2 + 1); task += blockDim.x) {
      const int line = task % count, rest = task / count, j2 = rest % p.b, k1 = rest / p.b;
      const PairSum<A> sums(lines + j2 * pitch + line, p.b * pitch, p.a, roots, k1 * p.b, p.n);
      const auto keep = [&](int k, Complex<A> x) {
        const Complex<A> w = roots[j2 * k];
        halfway[(j2 * p.a + k) * pitch + line] = {fma(x.x, w.x, -x.y * w.y), fma(x.x, w.y, x.y * w.x)};
      };
      keep(k1, sums.sum());
      if (k1 > 0 && p.a - k1 != k1) keep(p.a - k1, sums.conjugate());
    }
  }

  __device__ void second_half(Complex<D>* to) const {
    for (int task = threadIdx.x; task < count * p.a * (p.b / 2 + 1); task += blockDim.x) {
      const int line = task % count, rest = task / count, k1 = rest % p.a, k2 = rest / p.a;
      const PairSum<A> sums(halfway + k1 * pitch + line, p.a * pitch, p.b, roots, k2 * p.a, p.n);
      const auto store = [&](int cell, Complex<A> value) {
        const Mode mode = K == LineKind::crop ? mode_of(cell) : Mode{cell, 0};
        if (mode.place < 0) return;
        const A factor = K == LineKind::crop ? factors[mode.k] : A(1);
        to[start(p.to, line) + mode.place * p.to.step] = {static_cast<D>(value.x * factor),
                                                          static_cast<D>(value.y * factor)};
      };
      store(k1 + p.a * k2, sums.sum());
      if (k2 > 0 && p.b - k2 != k2) store(k1 + p.a * (p.b - k2), sums.conjugate());
    }
  }
};

template <LineKind K, class S, class A, class D>
__global__ void __launch_bounds__(most_line_threads)
    line_kernel(const __grid_constant__ LinePass<A> p, const Complex<S>* from, Complex<D>* to, int batch) {
  extern __shared__ double2 line_memory[];
  const std::uint32_t first = blockIdx.x * p.together;
  const int count = static_cast<int>(min(p.lines - first, p.together)), pitch = p.together | 1;
  auto *roots = reinterpret_cast<Complex<A>*>(line_memory), *lines = roots + p.n, *halfway = lines + p.n * pitch;
  auto* factors = reinterpret_cast<A*>(halfway + p.n * pitch);
  const LineAgent<K, S, A, D> agent{p, roots, lines, halfway, factors, pitch, count, first};
  for (int j = threadIdx.x; j < p.n; j += blockDim.x) roots[j] = {p.roots[2 * j], p.sign * p.roots[2 * j + 1]};
  for (int k = threadIdx.x; k <= p.modes / 2; k += blockDim.x) factors[k] = p.factors[k];
  wait_for_kernel_in_front();
  __syncthreads();
  for (int vector = blockIdx.y; vector < batch; vector += gridDim.y) {
    agent.load(from + vector * p.from.vector);
    __syncthreads();
    agent.first_half();
    __syncthreads();
    agent.second_half(to + vector * p.to.vector);
  }
}

template <LineKind K, class A, class S, class D>
void run_lines(LinePass<A> p, const std::complex<S>* from, std::complex<D>* to, int batch, cudaStream_t stream) {
  for (int a = 1; a * a <= p.n; ++a)
    if (p.n % a == 0) p.a = a, p.b = p.n / a;
  const auto bytes = [&] {
    return static_cast<std::size_t>(p.n * (2 * (p.together | 1) + 1)) * sizeof(Complex<A>) +
           static_cast<std::size_t>(p.modes / 2 + 1) * sizeof(A);
  };
  for (p.together = 8; p.together > 1; p.together /= 2)
    if (std::int64_t{p.lines} * batch / p.together >= enough_lines && bytes() <= unasked_shared_bytes) break;
  const int tasks = p.together * larger(p.b * (p.a / 2 + 1), p.a * (p.b / 2 + 1));
  const Launch launch{dim3((p.lines + p.together - 1) / p.together, smaller(batch, 65535)),
                      std::clamp((tasks + 31) / 32 * 32, 64, most_line_threads), bytes(), stream, p.early};
  enqueue("FFT", line_kernel<K, S, A, D>, launch, p, reinterpret_cast<const Complex<S>*>(from),
          reinterpret_cast<Complex<D>*>(to), batch);
}

}  // namespace offgrid::cuda
