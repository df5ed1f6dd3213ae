// Stockham FFTs of grids, axis by axis, with crop or padding and deconvolution inside: one kernel per axis, which reads
// and writes only what is kept. A block works on several lines. In a stage of radix R a thread holds groups of R values
// of its line that are n / R apart, multiplies them by twiddle factors, transforms them (dft.cuh), and passes them on
// through shared memory; the first stage reads and the last one writes global memory. If the product of the radices of
// the earlier stages is m, then stage R does, for all j < n / R,
//   x[j + i n / R]  ->  e((j mod m) i / (m R)) x  ->  transform over i  ->  y[(j / m) m R + j mod m + i m]
// Neighbouring threads read neighbouring values, and in the last stage write neighbouring values, too.
// A convolution runs the stages twice: the last one of the first transform multiplies by the spectrum, conjugates, and passes
// the line on to the first one of the second, in shared memory too. An axis in parts takes two passes (LineKind).
#pragma once

#include <span>

#include "cuda/device.hpp"
#include "cuda/fft/dft.cuh"
#include "cuda/fft/stockham.hpp"
#include "cuda/fft/stockham_plan.hpp"
#include "cuda/launch/dependent_launch.cuh"
#include "cuda/launch/enqueue.hpp"

namespace offgrid::cuda {

// Loads a value of a table at this point of the program. The compiler would move the load, for example behind a
// barrier, where nothing is left to hide its latency.
__device__ inline float load_here(const float* at) {
  float value;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(__cvta_generic_to_global(at)));
  return value;
}
__device__ inline double load_here(const double* at) {
  double value;
  asm volatile("ld.global.nc.f64 %0, [%1];" : "=d"(value) : "l"(__cvta_generic_to_global(at)));
  return value;
}
__device__ inline float2 load_here(const float2* at) {
  float2 value;
  asm volatile("ld.global.nc.v2.f32 {%0, %1}, [%2];"
               : "=f"(value.x), "=f"(value.y)
               : "l"(__cvta_generic_to_global(at)));
  return value;
}
__device__ inline double2 load_here(const double2* at) {
  double2 value;
  asm volatile("ld.global.nc.v2.f64 {%0, %1}, [%2];"
               : "=d"(value.x), "=d"(value.y)
               : "l"(__cvta_generic_to_global(at)));
  return value;
}

// What one thread does for a line of N cells. S, A and D are the precisions of source, transform and result.
template <int N, LineKind K, class S, class A, class D> struct StockhamAgent {
  static constexpr LinePlan plan = line_plan(N, sizeof(A));
  static constexpr bool convolves = K == LineKind::convolve, crops = K == LineKind::crop || K == LineKind::crop_parts;
  static constexpr int first_radix = plan.stage[0].radix;
  static constexpr int most_threads = convolves ? most_convolution_threads(sizeof(A), plan.threads)
                                      : are_rows(K) || are_columns(K) ? most_part_threads(sizeof(A), plan.threads)
                                                                      : most_line_threads(sizeof(A), plan.threads);
  static constexpr int blocks =
      are_rows(K) || are_columns(K) ? part_blocks(sizeof(A), plan.threads) : line_blocks(sizeof(A), plan.threads);
  static_assert(plan.stages > 1 && plan.threads <= most_threads);
  template <int I> using Groups = Complex<A>[plan.stage[I].groups][plan.stage[I].radix];
  static constexpr bool tables_ahead =
      plan.stages == 2 && plan.most_held(crops || convolves, sizeof(A)) <= most_held_ahead(sizeof(A));
  // Whether a stage is the last one of all, and whether it multiplies what it passes on by a table.
  template <int I, bool Back> static constexpr bool ends = I == plan.stages - 1 && (Back || !convolves);
  template <int I, bool Back> static constexpr bool scales = I == plan.stages - 1 && (convolves ? !Back : crops);

  const LinePass<A>& p;
  int line;
  Complex<A>* shared;  // the line's part of shared memory
  int thread;          // the thread's number within the line
  bool there;          // false for a line beyond the last: it is computed like the last line, but not written
  const Complex<S>* from;
  Complex<D>* to;
  const A* spectrum;  // of the line

  __device__ static std::uint64_t start(const LinePass<A>& p, const LineLayout& layout, std::uint32_t line) {
    const std::uint32_t v = line / p.u_count;
    return (line - v * p.u_count) * layout.along_u + v * layout.along_v;
  }

  // The cell of the axis that has value j of the line, on the side of the modes.
  __device__ int cell(int j) const { return are_rows(K) ? line + p.rows * j : j; }

  // Of a value, for the stage that scales.
  __device__ const A* factor(int j) const {
    if constexpr (convolves)
      return spectrum + j;
    else if constexpr (are_rows(K))
      return p.factors + min(min(cell(j), p.axis.cells - cell(j)), p.last_factor);
    else
      return p.factors + min(j, N - j);
  }

  // The transform for sign = -1 is the conjugate of that for +1 of conjugated values.
  __device__ float with_sign(float im) const { return __int_as_float(__float_as_int(im) ^ (p.sign & 0x80000000)); }
  __device__ double with_sign(double im) const {
    return __hiloint2double(__double2hiint(im) ^ (p.sign & 0x80000000), __double2loint(im));
  }

  __device__ const Complex<S>& source(std::uint32_t element) const {
    return *reinterpret_cast<const Complex<S>*>(reinterpret_cast<const char*>(from) +
                                                std::uint64_t{p.from_bytes} * element);
  }
  __device__ Complex<D>& target(std::uint32_t element) const {
    return *reinterpret_cast<Complex<D>*>(reinterpret_cast<char*>(to) + std::uint64_t{p.to_bytes} * element);
  }

  // There are no branches here, so that the loads of a thread are in flight together.
  __device__ Complex<A> read(int j) const {
    if constexpr (crops || are_columns(K)) {
      const Complex<S> value = source(j);
      return {static_cast<A>(value.x), with_sign(static_cast<A>(value.y))};
    } else {
      const int of_axis = cell(j);
      const bool has = p.axis.holds(of_axis);
      const Complex<S> value = source(has ? p.axis.index(of_axis) : 0);
      if constexpr (convolves) return {has ? value.x : A(0), has ? value.y : A(0)};
      const A by = has ? __ldg(factor(j)) : A(0);
      return {static_cast<A>(value.x) * by, with_sign(static_cast<A>(value.y) * by)};
    }
  }
  __device__ void write(int j, Complex<A> value, A by) const {
    if constexpr (!crops && !convolves) {
      target(j) = {static_cast<D>(value.x), static_cast<D>(with_sign(value.y))};
    } else if constexpr (convolves) {
      if (p.axis.holds(j)) target(p.axis.index(j)) = {value.x, -value.y};
    } else {
      const int of_axis = cell(j);
      if (!p.axis.holds(of_axis)) return;
      if constexpr (!tables_ahead) by = __ldg(factor(j));
      target(p.axis.index(of_axis)) = {static_cast<D>(value.x * by), static_cast<D>(with_sign(value.y * by))};
    }
  }

  // Multiplies x[i], which is value j + i apart of this column, by e(line (j + i apart) / cells of the axis): for each bit of i
  // by a power of e(line apart / cells), which takes fewer registers than a factor for each i.
  template <int R> __device__ void twiddle(Complex<A> (&x)[R], int j, int apart) const {
    const double halves = 2.0 / p.axis.cells;
    Complex<double> first, step;
    sincospi(halves * (line * j), &first.y, &first.x);
    sincospi(halves * (line * apart), &step.y, &step.x);
    Complex<A> by{static_cast<A>(first.x), static_cast<A>(first.y)};
#pragma unroll
    for (int i = 0; i < R; ++i) x[i] = times<A>(x[i], by);
#pragma unroll
    for (int bit = 1; bit < R; bit *= 2) {
      by = {static_cast<A>(step.x), static_cast<A>(step.y)};
#pragma unroll
      for (int i = bit; i < R; ++i)
        if ((i & bit) != 0) x[i] = times<A>(x[i], by);
      step = {fma(step.x, step.x, -step.y * step.y), 2 * step.x * step.y};
    }
  }

  // The position of value j in shared memory. Gaps avoid bank conflicts where the first radix is even; steps that are
  // multiples of the first radix stay linear.
  __device__ __host__ static constexpr int spaced(int j) { return first_radix % 2 == 0 ? j + j / first_radix : j; }

  // Group j has the values j + i * apart, j < apart. A thread's last group may not exist, unless the groups divide
  // evenly.
  template <int I> static constexpr bool even = plan.stage[I].apart % plan.threads == 0;
  template <int I> __device__ int group(int g) const {
    const int j = thread + g * plan.threads;
    return even<I> ? j : min(j, plan.stage[I].apart - 1);
  }
  template <int I> __device__ bool has_group(int g) const {
    return even<I> || thread + g * plan.threads < plan.stage[I].apart;
  }

  template <int I, bool Back> __device__ void load(Groups<I>& x) const {
    constexpr LineStage stage = plan.stage[I];
#pragma unroll
    for (int g = 0; g < stage.groups; ++g) {
      const int j = group<I>(g);
      const Complex<A>* values = shared + spaced(j);
#pragma unroll
      for (int i = 0; i < stage.radix; ++i) {
        if constexpr (I == 0 && Back)
          x[g][i] = shared[spaced(j + i * stage.apart)];
        else if constexpr (I == 0)
          x[g][i] = read(j + i * stage.apart);
        else
          x[g][i] = values[i * spaced(stage.apart)];
      }
    }
  }

  // The twiddle factors of a group: those with powers of two as index are read, the others are products of these.
  template <int I> struct Twiddles {
    static constexpr int radix = plan.stage[I].radix, m = plan.stage[I].m;
    Complex<A> by[radix];

    __device__ void load(const Complex<A>* table, int j) {
#pragma unroll
      for (int i = 1; i < radix; i *= 2) by[i] = load_here(table + (j % m + i * m - first_radix));
    }
    __device__ void multiply(Complex<A> (&x)[radix]) {
#pragma unroll
      for (int i = 1; i < radix; ++i) {
        const int power = i >= 16 ? 16 : i >= 8 ? 8 : i >= 4 ? 4 : i >= 2 ? 2 : 1;
        if (i != power) by[i] = times<A>(by[power], by[i - power]);
        x[i] = times<A>(x[i], by[i]);
      }
    }
  };

  // What a stage reads from tables in advance; only a part of it where registers are few.
  template <int I, bool Back> struct FromTables {
    static constexpr LineStage stage = plan.stage[I];
    static constexpr bool has_twiddles = I > 0;
    static constexpr int prefetched = stage.prefetched_groups(sizeof(A));
    Twiddles<I> twiddles[stage.groups];
    A by[stage.groups][stage.radix];

    __device__ void load(const StockhamAgent& agent) {
#pragma unroll
      for (int g = 0; g < stage.groups; ++g) {
        if (g < prefetched) load_twiddles(agent, g);
        if (tables_ahead) load_factors(agent, g);
      }
    }
    __device__ void load_twiddles(const StockhamAgent& agent, int g) {
      if constexpr (has_twiddles)
        twiddles[g].load(reinterpret_cast<const Complex<A>*>(agent.p.twiddles), agent.template group<I>(g));
    }
    __device__ void load_factors(const StockhamAgent& agent, int g) {
      const int j = agent.template group<I>(g);
#pragma unroll
      for (int i = 0; scales<I, Back> && i < stage.radix; ++i) by[g][i] = load_here(agent.factor(j + i * stage.m));
    }
  };

  template <int I, bool Back, int R> __device__ void store(int j, const Complex<A> (&x)[R], const A (&by)[R]) const {
    constexpr int m = plan.stage[I].m;
    Complex<A>* values = shared + spaced(j / m * m * (R - 1) + j);
#pragma unroll
    for (int i = 0; i < R; ++i) {
      if constexpr (ends<I, Back>) {
        write(j + i * m, x[i], by[i]);
      } else if constexpr (scales<I, Back>) {
        const A scale = tables_ahead ? by[i] : __ldg(factor(j + i * m));
        values[i * spaced(m)] = {x[i].x * scale, -x[i].y * scale};
      } else {
        values[i * spaced(m)] = x[i];
      }
    }
  }

  template <int I, bool Back> __device__ void stage(FromTables<I, Back>& tables) const {
    constexpr LineStage stage = plan.stage[I];
    constexpr bool first = I == 0 && !Back, last = ends<I, Back>;
    constexpr int following = last ? I : (I + 1) % plan.stages;
    constexpr bool goes_back = Back || (!last && following == 0);
    Groups<I> x;
    FromTables<following, goes_back> next;
    if (tables_ahead && !last) next.load(*this);
    if (first) wait_for_previous_kernel();
    if (!first) __syncthreads();
    load<I, Back>(x);
    if (!first && !last) __syncthreads();
#pragma unroll
    for (int g = 0; g < stage.groups; ++g) {
      if (g >= tables.prefetched) tables.load_twiddles(*this, g);
      if constexpr (first && K == LineKind::twiddle_before) twiddle(x[g], group<I>(g), stage.apart);
      if constexpr (I > 0) tables.twiddles[g].multiply(x[g]);
      transform<A, stage.radix>(x[g]);
      if constexpr (last && K == LineKind::twiddle_after) twiddle(x[g], group<I>(g), stage.m);
      if ((!last || there) && has_group<I>(g)) store<I, Back, stage.radix>(group<I>(g), x[g], tables.by[g]);
    }
    if (!tables_ahead && !last) next.load(*this);
    if constexpr (!last) this->template stage<following, goes_back>(next);
  }

  __device__ void run() const {
    FromTables<0, false> none;
    stage<0, false>(none);
  }
};

template <int N, LineKind K, class S, class A, class D>
__global__ void __launch_bounds__(StockhamAgent<N, K, S, A, D>::most_threads, StockhamAgent<N, K, S, A, D>::blocks)
    stockham_kernel(const __grid_constant__ LinePass<A> p, const Complex<S>* from, Complex<D>* to, int batch) {
  using Agent = StockhamAgent<N, K, S, A, D>;
  constexpr int threads_per_line = Agent::plan.threads;
  extern __shared__ double2 line_memory[];
  if (gridDim.x * gridDim.y <= p.few_blocks) let_next_kernel_start();
  const std::uint32_t x = threadIdx.x, mine = p.side_by_side ? x % p.together : x / threads_per_line;
  const std::uint32_t wanted = blockIdx.x * p.together + mine, line = min(wanted, p.lines - 1);
  const std::uint64_t first = Agent::start(p, p.from, line), result = Agent::start(p, p.to, line);
  for (std::uint32_t vector = blockIdx.y; vector < batch; vector += gridDim.y) {
    if (vector != blockIdx.y) __syncthreads();
    Agent{p,
          static_cast<int>(line),
          reinterpret_cast<Complex<A>*>(line_memory) + mine * p.pitch,
          static_cast<int>(p.side_by_side ? x / p.together : x % threads_per_line),
          wanted < p.lines,
          from + first + vector * p.from.vector,
          to + result + vector * p.to.vector,
          p.spectrum + (Agent::convolves ? first : 0)}
        .run();
  }
}

constexpr std::span<const int> lengths_of(LineKind kind) {
  if (are_rows(kind) || are_columns(kind)) return part_lengths;
  if (kind != LineKind::convolve) return line_sizes;
  return {std::begin(line_sizes), std::upper_bound(std::begin(line_sizes), std::end(line_sizes), longest_convolution)};
}

// Calls body(n) with the length of a line as a compile-time constant.
template <LineKind K, class Body> void with_line_length(int n, Body&& body) {
  constexpr std::span<const int> lengths = lengths_of(K);
  const auto search = [&]<std::size_t... I>(std::index_sequence<I...>) {
    (void)((n == lengths[I] && (body(std::integral_constant<int, lengths[I]>{}), true)) || ...);
  };
  search(std::make_index_sequence<lengths.size()>{});
}

// Chooses how many lines a block takes. Where the elements of a line are far apart, neighbouring lines together fill
// sectors of memory; in shared memory such lines begin in banks that are as far from each other as possible.
template <LineKind K, class A, class S, class D>
void run_lines(LinePass<A> p, const std::complex<S>* from, std::complex<D>* to, int batch, const Queue& queue) {
  with_line_length<K>(p.length, [&](auto n) {
    using Agent = StockhamAgent<n(), K, S, A, D>;
    constexpr int banks = 128 / int{sizeof(Complex<A>)}, threads = Agent::plan.threads;
    p.side_by_side = are_rows(K) || p.from.step != 1;
    const std::size_t room = are_long_lines(sizeof(A), threads) ? current_device().shared_bytes : most_line_bytes;
    const auto pitch = [&] {
      int cells = Agent::spaced(n());
      while (p.side_by_side && cells % banks != banks / smaller(p.together, banks) % banks) ++cells;
      return cells;
    };
    const auto bytes = [&] { return static_cast<std::size_t>(p.together * pitch()) * sizeof(Complex<A>); };
    for (p.together = p.side_by_side ? banks : 32; p.together > 1; p.together /= 2)
      if (p.together * threads <= Agent::most_threads && bytes() <= room &&
          p.together < 2 * static_cast<int>(p.lines) &&
          std::int64_t{p.lines} * batch / p.together >= queue.multiprocessors)
        break;
    p.pitch = pitch();
    p.few_blocks = static_cast<std::uint32_t>(2 * queue.multiprocessors);
    p.from_bytes = p.from.step * sizeof(Complex<S>);
    p.to_bytes = p.to.step * sizeof(Complex<D>);
    const Launch launch{.blocks = dim3((p.lines + p.together - 1) / p.together, smaller(batch, 65535)),
                        .threads = p.together * threads,
                        .shared_bytes = bytes(),
                        .stream = queue.stream,
                        .dependent = p.dependent};
    const auto kernel = stockham_kernel<n(), K, S, A, D>;
    ask_for_shared(kernel, bytes());
    enqueue("FFT", kernel, launch, p, reinterpret_cast<const Complex<S>*>(from), reinterpret_cast<Complex<D>*>(to),
            batch);
  });
}

}  // namespace offgrid::cuda
