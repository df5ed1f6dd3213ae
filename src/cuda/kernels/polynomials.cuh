// The kernel phi on the device: one polynomial per cell that a point reaches (core/kernel/polynomial.hpp), p_i(t) for cell i
// and the position t in [-1, 1] of the point in its own cell.
#pragma once

#include "core/kernel/polynomial.hpp"
#include "cuda/kernels/stage.hpp"

namespace offgrid::cuda {

// The polynomials in shared memory, for methods whose lanes look up different pieces.
template <class T, int W> struct KernelCoefficients {
  static constexpr int degree = max_degree(W, precision_of<T>);
  T values[(degree + 1) * W];

  __device__ void load(const T* from) {
    for (int i = threadIdx.x; i < (degree + 1) * W; i += blockDim.x) values[i] = from[i];
  }
  __device__ T operator()(int piece, T t) const {
    T sum = values[degree * W + piece];
#pragma unroll
    for (int power = degree - 1; power >= 0; --power) sum = fma(sum, t, values[power * W + piece]);
    return sum;
  }
};

// The polynomials as a kernel parameter, that is in constant memory, for methods whose lanes all read the same one.
// p_i(t) = even(t^2) + t odd(t^2), and p_{w-1-i} = even - t odd.
template <class T, int W> struct Polynomials {
  static constexpr int degree = max_degree(W, precision_of<T>);
  static constexpr int low_degree = degree > 4 ? degree - 2 : degree;
  T coefficients[degree + 1][(W + 1) / 2];
  bool is_low;  // the coefficients beyond low_degree are 0

  // Evaluates all pieces at t. The coefficients beyond Degree must be 0.
  template <int Degree = degree> __device__ void evaluate(T t, T (&values)[W]) const {
    const T square = t * t;
#pragma unroll
    for (int i = 0; i < (W + 1) / 2; ++i) {
      constexpr int top_even = Degree / 2 * 2, top_odd = (Degree + 1) / 2 * 2 - 1;
      T even = coefficients[top_even][i], odd = coefficients[top_odd][i];
#pragma unroll
      for (int power = top_even - 2; power >= 0; power -= 2) even = fma(even, square, coefficients[power][i]);
#pragma unroll
      for (int power = top_odd - 2; power >= 1; power -= 2) odd = fma(odd, square, coefficients[power][i]);
      values[i] = fma(t, odd, even);
      values[W - 1 - i] = fma(-t, odd, even);
    }
  }
  __device__ T piece(int i, T t) const {
    if (2 * i >= W) {
      i = W - 1 - i;
      t = -t;
    }
    T sum = coefficients[degree][i];
#pragma unroll
    for (int power = degree - 1; power >= 0; --power) sum = fma(sum, t, coefficients[power][i]);
    return sum;
  }
};

template <int W, class T> Polynomials<T, W> polynomials_of(const KernelView<T>& kernel) {
  Polynomials<T, W> all;
  all.is_low = true;
  for (int power = 0; power <= Polynomials<T, W>::degree; ++power)
    for (int piece = 0; piece < (W + 1) / 2; ++piece) {
      const T coefficient = kernel.host_coefficients[power * W + piece];
      all.coefficients[power][piece] = coefficient;
      if (power > Polynomials<T, W>::low_degree && coefficient != 0) all.is_low = false;
    }
  return all;
}

}  // namespace offgrid::cuda
