// The kernel and the launcher of line_fft.hpp.
#pragma once

#include <algorithm>

#include "cuda/line_fft.hpp"
#include "cuda/policy.hpp"
#include "cuda/team.cuh"

namespace offgrid::cuda {

// Sums over the same terms with a factor w and with its conjugate.
template <class A> struct PairSum {
  A rr = 0, ii = 0, ri = 0, ir = 0;
  __device__ void add(Complex<A> x, Complex<A> w) {
    rr = fma(x.x, w.x, rr), ii = fma(x.y, w.y, ii), ri = fma(x.x, w.y, ri), ir = fma(x.y, w.x, ir);
  }
  __device__ Complex<A> sum() const { return {rr - ii, ri + ir}; }
  __device__ Complex<A> conjugate() const { return {rr + ii, ir - ri}; }
};

template <class A> __device__ Complex<A> times(Complex<A> x, Complex<A> w) {
  return {fma(x.x, w.x, -x.y * w.y), fma(x.x, w.y, x.y * w.x)};
}

template <LineKind K, class S, class A, class D> struct LineAgent {
  const LinePass<A>& p;
  Complex<A>*roots, *lines, *halfway;  // [n]; [n][pitch], twice
  int pitch;

  struct Place {
    int place;  // in the modes, or -1
    int k;      // |k|
  };
  // Of a mode that the grid has in this cell.
  __device__ Place place_of(int cell) const {
    const int above = (p.modes + 1) / 2, below = p.modes / 2;
    if (cell < above) return {p.fft_order ? cell : cell + below, cell};
    const int k = p.n - cell;
    return {k > below ? -1 : (p.fft_order ? p.modes : below) - k, k};
  }
  __device__ std::uint32_t start(const LineLayout& layout, std::uint32_t line) const {
    return line % p.u_count * layout.along_u + line / p.u_count * layout.along_v;
  }

  __device__ void load_roots() const {
    for (int j = threadIdx.x; j < p.n; j += blockDim.x) {
      const Complex<A> root = reinterpret_cast<const Complex<A>*>(p.roots)[j];
      roots[j] = {root.x, p.sign * root.y};
    }
  }

  // Neighbouring threads read neighbouring cells: of a line along x, and otherwise of neighbouring lines.
  __device__ void load(const Complex<S>* from, std::uint32_t first, int count) const {
    const bool rows = p.from.step == 1;
    for (int i = threadIdx.x; i < p.n * count; i += blockDim.x) {
      const int line = rows ? i / p.n : i % count, j = rows ? i % p.n : i / count;
      const Complex<S>* source = from + start(p.from, first + line);
      Complex<A> value{0, 0};
      const Place place = K == LineKind::pad ? place_of(j) : Place{j, 0};
      if (place.place >= 0) {
        const Complex<S> read = source[place.place * p.from.step];
        const A factor = K == LineKind::pad ? p.factors[place.k] : A(1);
        value = {static_cast<A>(read.x) * factor, static_cast<A>(read.y) * factor};
      }
      lines[j * pitch + line] = value;
    }
  }

  __device__ void first_half(int count) const {
    const int tasks = count * p.b * (p.a / 2 + 1);
    for (int task = threadIdx.x; task < tasks; task += blockDim.x) {
      const int line = task % count, rest = task / count, j2 = rest % p.b, k1 = rest / p.b, step = k1 * p.b;
      PairSum<A> sums;
#pragma unroll 4
      for (int j1 = 0, w = 0; j1 < p.a; ++j1) {
        sums.add(lines[(j1 * p.b + j2) * pitch + line], roots[w]);
        w += step;
        if (w >= p.n) w -= p.n;
      }
      const int other = k1 == 0 ? 0 : p.a - k1;
      halfway[(j2 * p.a + k1) * pitch + line] = times<A>(sums.sum(), roots[j2 * k1]);
      if (other != k1) halfway[(j2 * p.a + other) * pitch + line] = times<A>(sums.conjugate(), roots[j2 * other]);
    }
  }

  __device__ void second_half(Complex<D>* to, std::uint32_t first, int count) const {
    const int tasks = count * p.a * (p.b / 2 + 1);
    for (int task = threadIdx.x; task < tasks; task += blockDim.x) {
      const int line = task % count, rest = task / count, k1 = rest % p.a, k2 = rest / p.a, step = k2 * p.a;
      PairSum<A> sums;
#pragma unroll 4
      for (int j2 = 0, w = 0; j2 < p.b; ++j2) {
        sums.add(halfway[(j2 * p.a + k1) * pitch + line], roots[w]);
        w += step;
        if (w >= p.n) w -= p.n;
      }
      const int other = k2 == 0 ? 0 : p.b - k2;
      Complex<D>* target = to + start(p.to, first + line);
      store(target, k1 + p.a * k2, sums.sum());
      if (other != k2) store(target, k1 + p.a * other, sums.conjugate());
    }
  }

  __device__ void store(Complex<D>* to, int cell, Complex<A> value) const {
    const Place place = K == LineKind::crop ? place_of(cell) : Place{cell, 0};
    if (place.place < 0) return;
    const A factor = K == LineKind::crop ? p.factors[place.k] : A(1);
    to[place.place * p.to.step] = {static_cast<D>(value.x * factor), static_cast<D>(value.y * factor)};
  }
};

template <LineKind K, class S, class A, class D>
__global__ void __launch_bounds__(most_line_threads)
    line_kernel(const __grid_constant__ LinePass<A> pass, const Complex<S>* from, Complex<D>* to, int batch) {
  extern __shared__ double2 line_memory[];
  const std::uint32_t first = blockIdx.x * pass.together;
  const int count = static_cast<int>(min(pass.lines - first, static_cast<std::uint32_t>(pass.together)));
  const int pitch = pass.together | 1;
  auto* roots = reinterpret_cast<Complex<A>*>(line_memory);
  const LineAgent<K, S, A, D> agent{pass, roots, roots + pass.n, roots + pass.n * (pitch + 1), pitch};
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();  // the next such kernel may begin
#endif
  agent.load_roots();
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();  // up to here this one may overlap with the kernel before
#endif
  for (int vector = blockIdx.y; vector < batch; vector += gridDim.y) {
    agent.load(from + vector * pass.from.vector, first, count);
    __syncthreads();
    agent.first_half(count);
    __syncthreads();
    agent.second_half(to + vector * pass.to.vector, first, count);
  }
}

template <LineKind K, class A, class S, class D>
void run_lines(LinePass<A> pass, const std::complex<S>* from, std::complex<D>* to, int batch, cudaStream_t stream) {
  for (int a = 1; a * a <= pass.n; ++a)
    if (pass.n % a == 0) pass.a = a, pass.b = pass.n / a;
  const auto bytes = [&] { return static_cast<std::size_t>(pass.n * (2 * (pass.together | 1) + 1)) * sizeof(Complex<A>); };
  const std::uint64_t all = std::uint64_t{pass.lines} * static_cast<unsigned>(batch);
  for (pass.together = 8; pass.together > 1; pass.together /= 2)
    if (all / pass.together >= enough_lines && bytes() <= unasked_shared_bytes) break;
  const int tasks = pass.together * std::max(pass.b * (pass.a / 2 + 1), pass.a * (pass.b / 2 + 1));
  pass.threads = std::clamp((tasks + 31) / 32 * 32, 64, most_line_threads);
  cudaLaunchConfig_t config{};
  config.gridDim = {(pass.lines + pass.together - 1) / pass.together, static_cast<unsigned>(smaller(batch, 65535)), 1};
  config.blockDim = {static_cast<unsigned>(pass.threads), 1, 1};
  config.dynamicSmemBytes = bytes(), config.stream = stream;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &early, config.numAttrs = pass.early ? 1 : 0;
  call("FFT", [&] {
    return cudaLaunchKernelEx(&config, line_kernel<K, S, A, D>, pass, reinterpret_cast<const Complex<S>*>(from),
                              reinterpret_cast<Complex<D>*>(to), batch);
  });
}

}  // namespace offgrid::cuda
