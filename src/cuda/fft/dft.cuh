// Fourier transforms of a few values, in registers: x[k] <- sum_j x[j] e(j k / R) with e(t) = exp(2 pi i t).
#pragma once

#include <numbers>
#include <utility>

#include "cuda/kernels/complex.cuh"

namespace offgrid::cuda {

struct Root {
  double re, im;
};

// Returns e(part / whole) for 0 <= part < whole, by a series in the first eighth of the circle and by symmetry
// elsewhere.
constexpr Root root_of_one(int part, int whole) {
  if (2 * part > whole) {
    const Root other = root_of_one(whole - part, whole);
    return {other.re, -other.im};
  }
  if (4 * part > whole) {
    const Root other = root_of_one(whole - 2 * part, 2 * whole);
    return {-other.re, other.im};
  }
  if (8 * part > whole) {
    const Root other = root_of_one(whole - 4 * part, 4 * whole);
    return {other.im, other.re};
  }
  const double angle = 2 * std::numbers::pi * part / whole;
  Root root{0, 0};
  double term = 1;
  for (int power = 0; power < 20; power += 2) {
    root.re += term;
    term *= angle / (power + 1);
    root.im += term;
    term *= -angle / (power + 2);
  }
  return root;
}

// A transform of length R = R1 R2 is made of transforms of lengths R1 and R2. Returns R1, which is R itself for a
// prime.
constexpr int first_factor(int r) {
  if (r == 16 || r == 12 || r == 8 || r == 4) return r == 4 ? 2 : 4;
  for (int f = 2; f < r; ++f)
    if (r % f == 0) return f;
  return r;
}

// Calls body(i) for i < Count, with i as a compile-time constant.
template <class Body, int... I>
__device__ __forceinline__ void for_constants(Body&& body, std::integer_sequence<int, I...>) {
  (body(std::integral_constant<int, I>{}), ...);
}
template <int Count, class Body> __device__ __forceinline__ void for_constants(Body&& body) {
  for_constants(body, std::make_integer_sequence<int, Count>{});
}

// Returns x e(Part / Whole).
template <int Part, int Whole, class A> __device__ __forceinline__ Complex<A> times_root(Complex<A> x) {
  constexpr int part = Part % Whole;
  constexpr Root root = root_of_one(part, Whole);
  constexpr A re = static_cast<A>(root.re), im = static_cast<A>(root.im);
  if constexpr (part == 0)
    return x;
  else if constexpr (2 * part == Whole)
    return {-x.x, -x.y};
  else if constexpr (4 * part == Whole)
    return {-x.y, x.x};
  else if constexpr (4 * part == 3 * Whole)
    return {x.y, -x.x};
  else
    return {fma(x.x, re, -x.y * im), fma(x.x, im, x.y * re)};
}

template <class A, int R> __device__ __forceinline__ void transform(Complex<A> (&x)[R]) {
  constexpr int first = first_factor(R), second = R / first;
  if constexpr (R == 1) {
    return;
  } else if constexpr (R == 2) {
    const Complex<A> a = x[0], b = x[1];
    x[0] = {a.x + b.x, a.y + b.y};
    x[1] = {a.x - b.x, a.y - b.y};
  } else if constexpr (second == 1) {  // an odd prime, where terms j and R - j, and results k and R - k, share products
    constexpr int pairs = R / 2;
    Complex<A> sum[pairs], difference[pairs], all = x[0];
    for_constants<pairs>([&](auto j) {
      const Complex<A> a = x[j + 1], b = x[R - 1 - j];
      sum[j] = {a.x + b.x, a.y + b.y};
      difference[j] = {a.x - b.x, a.y - b.y};
      all.x += sum[j].x;
      all.y += sum[j].y;
    });
    for_constants<pairs>([&](auto k) {
      Complex<A> even = x[0], odd{0, 0};
      for_constants<pairs>([&](auto j) {
        constexpr Root root = root_of_one((j + 1) * (k + 1) % R, R);
        constexpr A re = static_cast<A>(root.re), im = static_cast<A>(root.im);
        even = {fma(sum[j].x, re, even.x), fma(sum[j].y, re, even.y)};
        odd = j == 0 ? Complex<A>{difference[j].x * im, difference[j].y * im}
                     : Complex<A>{fma(difference[j].x, im, odd.x), fma(difference[j].y, im, odd.y)};
      });
      x[k + 1] = {even.x - odd.y, even.y + odd.x};
      x[R - 1 - k] = {even.x + odd.y, even.y - odd.x};
    });
    x[0] = all;
  } else {  // j = j1 second + j2, k = k1 + first k2
    Complex<A> halfway[second][first];
    for_constants<second>([&](auto j2) {
      for_constants<first>([&](auto j1) { halfway[j2][j1] = x[j1 * second + j2]; });
      transform<A, first>(halfway[j2]);
      for_constants<first>([&](auto k1) { halfway[j2][k1] = times_root<j2() * k1(), R, A>(halfway[j2][k1]); });
    });
    for_constants<first>([&](auto k1) {
      Complex<A> column[second];
      for_constants<second>([&](auto j2) { column[j2] = halfway[j2][k1]; });
      transform<A, second>(column);
      for_constants<second>([&](auto k2) { x[k1 + first * k2] = column[k2]; });
    });
  }
}

}  // namespace offgrid::cuda
