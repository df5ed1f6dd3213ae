#include "cuda/direct_sum.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "cuda/kernels/complex.cuh"

namespace offgrid::cuda {
namespace {

// A block reads a tile of terms into shared memory. Each of its warps sums for R values and V vectors; a lane takes every 32nd
// term of the tile.
constexpr int warps = 8, threads = 32 * warps;
constexpr int tile = threads;              // terms; a thread reads one
constexpr std::int64_t most_rows = 65535;  // of blocks

// The turns of a term at one value, and exp(2 pi i turns).
template <class T, int D> class Phase;

// Fixed point: a number with 32 bits behind the point is in the low word of a double near 1.5 2^20. What is before the point
// are whole turns. Each axis rounds once, to 2^-33 of a turn.
template <int D> class Phase<float, D> {
 public:
  __device__ void aim_at(const float* at, std::int64_t values, std::int64_t value, double sign) {
    for (int axis = 0; axis < D; ++axis) rate_[axis] = sign * per_turn * at[axis * values + value];
  }
  __device__ Complex<float> of(const double (&x)[D]) const {
    double turns = 0x1.8p20;
#pragma unroll
    for (int axis = 0; axis < D; ++axis) turns = fma(rate_[axis], x[axis], turns);
    const auto fraction = static_cast<unsigned>(__double2loint(turns));
    const unsigned quarter = (fraction + 0x20000000u) >> 30;
    const float angle =
        static_cast<float>(static_cast<int>(fraction - (quarter << 30))) * 0x1.921fb6p-30f;  // 2 pi 2^-32
    // Taylor's series for at most an eighth of a turn: the next terms are under 3e-8.
    const float square = angle * angle;
    float sine = fmaf(square, 1.0f / 362880, -1.0f / 5040);
    sine = fmaf(square, sine, 1.0f / 120);
    sine = fmaf(square, sine, -1.0f / 6);
    sine = fmaf(square * angle, sine, angle);
    float cosine = fmaf(square, 1.0f / 40320, -1.0f / 720);
    cosine = fmaf(square, cosine, 1.0f / 24);
    cosine = fmaf(square, cosine, -0.5f);
    cosine = fmaf(square, cosine, 1.0f);
    const Complex<float> phase{quarter & 1 ? -sine : cosine, quarter & 1 ? cosine : sine};
    return {quarter & 2 ? -phase.x : phase.x, quarter & 2 ? -phase.y : phase.y};
  }

 private:
  double rate_[D];
};

// Products in twice the precision, so that millions of turns keep their fraction.
template <int D> class Phase<double, D> {
 public:
  __device__ void aim_at(const double* at, std::int64_t values, std::int64_t value, double sign) {
    for (int axis = 0; axis < D; ++axis) {
      const double s = sign * at[axis * values + value];
      rate_[axis] = s * per_turn;
      rest_[axis] = fma(s, per_turn, -rate_[axis]) + s * per_turn_low;
    }
  }
  __device__ Complex<double> of(const double (&x)[D]) const {
    double turns = 0;
#pragma unroll
    for (int axis = 0; axis < D; ++axis) {
      const double product = rate_[axis] * x[axis];
      turns += (product - nearest_whole(product)) + fma(rest_[axis], x[axis], fma(rate_[axis], x[axis], -product));
    }
    turns -= nearest_whole(turns);
    const double rounded = fma(4.0, turns, rounder), quarter = rounded - rounder;
    const double angle = 0x1.921fb54442d18p+2 * fma(-0.25, quarter, turns);
    // Taylor's series for at most an eighth of a turn: the next terms are under 1e-16.
    const double square = angle * angle;
    constexpr double of_sine[] = {1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
                                  1.0 / 362880,          -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
    constexpr double of_cosine[] = {1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                                    1.0 / 40320,          -1.0 / 720,         1.0 / 24,        -1.0 / 2};
    double sine = 0, cosine = 0;
#pragma unroll
    for (int term = 0; term < 8; ++term) {
      sine = fma(sine, square, of_sine[term]);
      cosine = fma(cosine, square, of_cosine[term]);
    }
    sine = fma(sine, square * angle, angle);
    cosine = fma(cosine, square, 1.0);
    const int turned = __double2loint(rounded);
    const Complex<double> phase{turned & 1 ? -sine : cosine, turned & 1 ? cosine : sine};
    return {turned & 2 ? -phase.x : phase.x, turned & 2 ? -phase.y : phase.y};
  }

 private:
  // Roundings and conversions of f64 have a quarter of the speed of sums.
  static constexpr double rounder = 0x1.8p52;
  __device__ static double nearest_whole(double value) { return (value + rounder) - rounder; }

  double rate_[D], rest_[D];
};

// A lane adds up its terms of one tile in T and tiles in f64, so that equal terms keep their digits.
template <class T, int V> struct Sums {
  Complex<T> part[V];
  Complex<double> whole[V];
  __device__ void clear() {
    for (int v = 0; v < V; ++v) {
      part[v] = {0, 0};
      whole[v] = {0, 0};
    }
  }
  __device__ void add(Complex<T> phase, const Complex<T> (&strength)[V]) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      part[v].x += strength[v].x * phase.x - strength[v].y * phase.y;
      part[v].y += strength[v].x * phase.y + strength[v].y * phase.x;
    }
  }
  __device__ void flush() {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      whole[v].x += part[v].x;
      whole[v].y += part[v].y;
      part[v] = {0, 0};
    }
  }
  __device__ void add_lanes() {
    for (int v = 0; v < V; ++v)
      for (int lane = 16; lane > 0; lane /= 2) {
        whole[v].x += __shfl_xor_sync(0xffffffffu, whole[v].x, lane);
        whole[v].y += __shfl_xor_sync(0xffffffffu, whole[v].y, lane);
      }
  }
};

template <class T> struct DeviceSum {
  const T *x, *at;
  const Complex<T>* from;
  Complex<T>* to;
  std::int64_t terms, values, vectors;
  double sign;
};

// Blocks: x values, y groups of V vectors.
template <class T, int D, int R, int V>
__global__ void __launch_bounds__(threads, 1) direct_kernel(const __grid_constant__ DeviceSum<T> sum) {
  __shared__ double x[D][tile];
  __shared__ Complex<T> strengths[V][tile];
  const int lane = threadIdx.x % 32;
  const std::int64_t first_value = (std::int64_t{blockIdx.x} * warps + threadIdx.x / 32) * R;
  const std::int64_t first_vector = std::int64_t{blockIdx.y} * V;
  const auto value_at = [&](int r) { return min(first_value + r, sum.values - 1); };
  const auto vector_at = [&](int v) { return min(first_vector + v, sum.vectors - 1); };
  Phase<T, D> phases[R];
  for (int r = 0; r < R; ++r) phases[r].aim_at(sum.at, sum.values, value_at(r), sum.sign);
  Sums<T, V> sums[R];
  for (int r = 0; r < R; ++r) sums[r].clear();
  for (std::int64_t first = 0; first < sum.terms; first += tile) {
    const std::int64_t term = first + threadIdx.x;
    const bool there = term < sum.terms;
    __syncthreads();
    for (int axis = 0; axis < D; ++axis) x[axis][threadIdx.x] = there ? double{sum.x[axis * sum.terms + term]} : 0;
    for (int v = 0; v < V; ++v)
      strengths[v][threadIdx.x] = there ? sum.from[vector_at(v) * sum.terms + term] : Complex<T>{0, 0};
    __syncthreads();
    const int last = static_cast<int>(min(std::int64_t{tile}, sum.terms - first));
    for (int j = lane; j < last; j += 32) {
      double place[D];
      Complex<T> strength[V];
      for (int axis = 0; axis < D; ++axis) place[axis] = x[axis][j];
      for (int v = 0; v < V; ++v) strength[v] = strengths[v][j];
#pragma unroll
      for (int r = 0; r < R; ++r) sums[r].add(phases[r].of(place), strength);
    }
    for (int r = 0; r < R; ++r) sums[r].flush();
  }
  for (int r = 0; r < R; ++r) {
    sums[r].add_lanes();
    if (lane != 0 || first_value + r >= sum.values) continue;
    for (int v = 0; v < V; ++v)
      if (first_vector + v < sum.vectors)
        sum.to[(first_vector + v) * sum.values + first_value + r] = {static_cast<T>(sums[r].whole[v].x),
                                                                     static_cast<T>(sums[r].whole[v].y)};
  }
}

template <class T, int D, int R, int V> void launch(const DeviceSum<T>& sum, const Queue& queue) {
  constexpr std::int64_t values = warps * R;
  const std::int64_t blocks = (sum.values + values - 1) / values, groups = (sum.vectors + V - 1) / V;
  for (std::int64_t first = 0; first < groups; first += most_rows) {
    DeviceSum<T> part = sum;
    part.vectors = std::min(sum.vectors - first * V, most_rows * V);
    part.from += first * V * sum.terms;
    part.to += first * V * sum.values;
    const auto rows = static_cast<unsigned>((part.vectors + V - 1) / V);
    enqueue("direct sum", direct_kernel<T, D, R, V>,
            {dim3(static_cast<unsigned>(blocks), rows), threads, 0, queue.stream}, part);
  }
}

template <class T, int D> void launch_for(const DeviceSum<T>& sum, const Queue& queue) {
  // Warps with two values share what they read; with few values there would be too few warps.
  const std::int64_t waves = sum.values * ((sum.vectors + 3) / 4) / (std::int64_t{2} * warps * queue.multiprocessors);
  const bool many = waves >= 4;
  if (sum.vectors > 1 && many) return launch<T, D, 2, 4>(sum, queue);
  if (sum.vectors > 1) return launch<T, D, 1, 4>(sum, queue);
  if (many) return launch<T, D, 2, 1>(sum, queue);
  launch<T, D, 1, 1>(sum, queue);
}

}  // namespace

template <class T> void sum_directly(const DirectSum<T>& sum, const Queue& queue) {
  if (sum.terms == 0 || sum.values == 0 || sum.vectors == 0) return;
  const DeviceSum<T> on_device{.x = sum.x,
                               .at = sum.at,
                               .from = reinterpret_cast<const Complex<T>*>(sum.from),
                               .to = reinterpret_cast<Complex<T>*>(sum.to),
                               .terms = sum.terms,
                               .values = sum.values,
                               .vectors = sum.vectors,
                               .sign = static_cast<double>(static_cast<int>(sum.sign))};
  if (sum.dim == 1) return launch_for<T, 1>(on_device, queue);
  if (sum.dim == 2) return launch_for<T, 2>(on_device, queue);
  launch_for<T, 3>(on_device, queue);
}

std::array<DirectCosts, 2> direct_costs(int multiprocessors) {
  const double scale = 132.0 / multiprocessors, full = 16.0 * multiprocessors;
  return {DirectCosts{.pair = 1.3 * scale, .axis = 0.1 * scale, .vector = 0.3 * scale, .full = full},
          DirectCosts{.pair = 2.2 * scale, .axis = 0.7 * scale, .vector = 0.5 * scale, .full = full}};
}

template void sum_directly(const DirectSum<float>&, const Queue&);
template void sum_directly(const DirectSum<double>&, const Queue&);

}  // namespace offgrid::cuda
