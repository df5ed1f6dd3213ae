// Kernels that type 3 asks of a GPU beside its engines (core/type3/plan.hpp): the box around points, some of their
// coordinates, and the factors of sources and targets.
#pragma once

#include <bit>
#include <cstdint>

#include "core/pointwise.hpp"
#include "cuda/kernels/complex.cuh"

namespace offgrid::cuda {

inline constexpr int pointwise_threads = 256;

// The first index of a thread, and its stride, in kernels whose threads stride over all elements.
__device__ inline std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t all_threads() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

// The ends of a box as integers that have the order of the numbers, so that atomics find the largest; 0 is less than
// all.
struct BoxKeys {
  unsigned long long high[max_dim];  // the key of the largest x
  unsigned long long low[max_dim];   // the key of the largest -x
  unsigned long long bad;            // 1: a coordinate is not finite
};
__host__ __device__ inline unsigned long long key_of(unsigned long long bits) {
  return bits >> 63 ? ~bits : bits | 1ULL << 63;
}
inline double number_of(unsigned long long key) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(key >> 63 ? key & ~(1ULL << 63) : ~key));
}

template <class T> __device__ T largest_in_warp(T number) {
  for (int lane = 16; lane > 0; lane /= 2) number = max(number, __shfl_xor_sync(0xffffffffU, number, lane));
  return number;
}

template <class T> struct BoxAxes { const T* axis[max_dim]; };

inline constexpr int box_threads = 512, box_warps = box_threads / 32;
inline constexpr int box_loads = 4;  // of a thread, in flight together
// Of all axes. They are few, because the atomics of all blocks wait for each other.
inline constexpr int box_blocks_per_multiprocessor = 3;

// Blocks: x points, y axes.
template <class T>
__global__ void __launch_bounds__(box_threads, box_blocks_per_multiprocessor)
    box_kernel(const __grid_constant__ BoxAxes<T> x, std::int64_t count, BoxKeys* keys) {
  __shared__ T highs[box_warps], lows[box_warps];
  const T* axis = x.axis[blockIdx.y];
  T high = -INFINITY, low = -INFINITY;  // the largest x, and the largest -x
  bool finite = true;
#pragma unroll 1
  for (std::int64_t first = first_index(); first < count; first += box_loads * all_threads()) {
    T values[box_loads];
#pragma unroll
    for (int i = 0; i < box_loads; ++i) values[i] = axis[min(first + i * all_threads(), count - 1)];
#pragma unroll
    for (int i = 0; i < box_loads; ++i) {
      finite = finite && isfinite(values[i]);
      high = max(high, values[i]);
      low = max(low, -values[i]);
    }
  }
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  high = largest_in_warp(high);
  low = largest_in_warp(low);
  if (lane == 0) {
    highs[warp] = high;
    lows[warp] = low;
  }
  const bool bad = __syncthreads_or(!finite) != 0;
  if (warp > 0) return;
  high = largest_in_warp(highs[lane % box_warps]);
  low = largest_in_warp(lows[lane % box_warps]);
  if (lane > 0) return;
  if (bad) keys->bad = 1;
  const auto bits = [](double value) { return static_cast<unsigned long long>(__double_as_longlong(value)); };
  atomicMax(&keys->high[blockIdx.y], key_of(bits(high)));
  atomicMax(&keys->low[blockIdx.y], key_of(bits(low)));
}

template <class T>
__global__ void sample_kernel(const __grid_constant__ BoxAxes<T> x, int dim, std::int64_t count, T* samples) {
  for (int axis = 0; axis < dim; ++axis)
    samples[axis * extent_samples + threadIdx.x] = x.axis[axis][sampled_point(threadIdx.x, count)];
}

// The turns of a point along an axis, less an integer.
__device__ inline double turns_at(const FactorAxis& axis, double x) {
  const double d = __dsub_rn(x, axis.centre), taken = __dsub_rn(x, d);
  const double lost = __dadd_rn(__dsub_rn(x, __dadd_rn(d, taken)), __dsub_rn(taken, axis.centre));
  const double turns = __dmul_rn(d, axis.rate);
  const double tail = fma(d, axis.rate, -turns) + fma(d, axis.rate_low, lost * axis.rate);
  return (turns - rint(turns)) + tail;
}

// The logarithm of a point's factor along an axis, by Clenshaw's recurrence.
__device__ inline double exponent_at(const FactorRule& rule, int axis, double x) {
  const double u = (x - rule.axis[axis].centre) * rule.axis[axis].scale, s = 2 * fmin(u * u, 1.0) - 1;
  double next = 0, after = 0;
  for (int j = rule.terms - 1; j > 0; --j) {
    const double current = 2 * s * next - after + rule.series[j];
    after = next;
    next = current;
  }
  return s * next - after + rule.series[0];
}

template <class T>
__global__ void __launch_bounds__(pointwise_threads)
    factors_kernel(const __grid_constant__ FactorRule rule, const __grid_constant__ BoxAxes<T> x, std::int64_t count,
                   Complex<T>* factors) {
  for (std::int64_t j = first_index(); j < count; j += all_threads()) {
    double turns = 0, exponent = 0;
    for (int axis = 0; axis < rule.dim; ++axis) {
      const double value = x.axis[axis][j];
      turns += turns_at(rule.axis[axis], value);
      if (rule.terms > 0) exponent += exponent_at(rule, axis, value);
    }
    double sine = 0, cosine = 0;
    sincospi(2 * (turns - rint(turns)), &sine, &cosine);
    const double size = exp(exponent);
    factors[j] = {static_cast<T>(size * cosine), static_cast<T>(size * sine)};
  }
}

template <class T> BoxAxes<T> axes_of(const Points<T>& points) {
  return {{points.axis[0], points.axis[1], points.axis[2]}};
}

}  // namespace offgrid::cuda
