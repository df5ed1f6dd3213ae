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

__device__ inline unsigned long long largest_in_warp(unsigned long long key) {
  for (int lane = 16; lane > 0; lane /= 2) key = max(key, __shfl_xor_sync(0xffffffffU, key, lane));
  return key;
}

template <class T> struct BoxAxes { const T* axis[max_dim]; };

template <class T>
__global__ void __launch_bounds__(pointwise_threads)
    box_kernel(const __grid_constant__ BoxAxes<T> x, int dim, std::int64_t count, BoxKeys* keys) {
  for (int axis = 0; axis < dim; ++axis) {
    T high = -INFINITY, low = INFINITY;
    bool finite = true;
    for (std::int64_t j = first_index(); j < count; j += all_threads()) {
      const T value = x.axis[axis][j];
      finite = finite && isfinite(value);
      high = max(high, value);
      low = min(low, value);
    }
    if (!finite) keys->bad = 1;
    const auto bits = [](double value) { return static_cast<unsigned long long>(__double_as_longlong(value)); };
    const unsigned long long highest = largest_in_warp(key_of(bits(high))),
                             lowest = largest_in_warp(key_of(bits(-low)));
    if (threadIdx.x % 32 == 0) {
      atomicMax(&keys->high[axis], highest);
      atomicMax(&keys->low[axis], lowest);
    }
  }
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
