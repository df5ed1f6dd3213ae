// The small transforms b_k = sum_j a_j exp(-2 pi i j k / R), in place, on vectors of complex numbers: R = 1 .. 8.
// Included once a SIMD target by fft_pass_simd.cpp.
#if defined(OFFGRID_CPU_FFT_BUTTERFLY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef OFFGRID_CPU_FFT_BUTTERFLY_INL
#undef OFFGRID_CPU_FFT_BUTTERFLY_INL
#else
#define OFFGRID_CPU_FFT_BUTTERFLY_INL
#endif

#include <hwy/highway.h>

#include "cpu/fft/fft_complex-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D> HWY_INLINE void dft(D, Complex<D> (&)[1]) {}

template <class D> HWY_INLINE void dft(D, Complex<D> (&a)[2]) {
  const Complex<D> sum = add(a[0], a[1]);
  a[1] = sub(a[0], a[1]);
  a[0] = sum;
}

template <class D> HWY_INLINE void dft(D, Complex<D> (&a)[4]) {
  const Complex<D> s02 = add(a[0], a[2]), d02 = sub(a[0], a[2]);
  const Complex<D> s13 = add(a[1], a[3]), d13 = sub(a[1], a[3]);
  a[0] = add(s02, s13);
  a[1] = sub_i(d02, d13);
  a[2] = sub(s02, s13);
  a[3] = add_i(d02, d13);
}

// Two transforms of length 4, of the even and of the odd points; w = exp(-i pi / 4) = (1 - i) / sqrt 2 and w^3 = -(1 +
// i) / sqrt 2.
template <class D> HWY_INLINE void dft(D d, Complex<D> (&a)[8]) {
  Complex<D> even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
  dft(d, even);
  dft(d, odd);
  const auto half = hn::Set(d, static_cast<hn::TFromD<D>>(0.70710678118654752440L));
  const Complex<D> o1{hn::Mul(half, hn::Add(odd[1].re, odd[1].im)), hn::Mul(half, hn::Sub(odd[1].im, odd[1].re))};
  const Complex<D> o3{hn::Mul(half, hn::Sub(odd[3].re, odd[3].im)), hn::Mul(half, hn::Add(odd[3].re, odd[3].im))};
  a[0] = add(even[0], odd[0]);
  a[1] = add(even[1], o1);
  a[2] = sub_i(even[2], odd[2]);
  a[3] = sub(even[3], o3);
  a[4] = sub(even[0], odd[0]);
  a[5] = sub(even[1], o1);
  a[6] = add_i(even[2], odd[2]);
  a[7] = add(even[3], o3);
}

// cos and sin of 2 pi j / R for j = 0 .. R - 1.
template <int R> struct OddRoots;
template <> struct OddRoots<3> {
  static constexpr long double cos[] = {1.0L, -0.5L, -0.5L};
  static constexpr long double sin[] = {0.0L, 0.86602540378443864676L, -0.86602540378443864676L};
};
template <> struct OddRoots<5> {
  static constexpr long double c1 = 0.30901699437494742410L, c2 = -0.80901699437494742410L;
  static constexpr long double s1 = 0.95105651629515357212L, s2 = 0.58778525229247312917L;
  static constexpr long double cos[] = {1.0L, c1, c2, c2, c1};
  static constexpr long double sin[] = {0.0L, s1, s2, -s2, -s1};
};
template <> struct OddRoots<7> {
  static constexpr long double c1 = 0.62348980185873353053L, c2 = -0.22252093395631440429L,
                               c3 = -0.90096886790241912624L;
  static constexpr long double s1 = 0.78183148246802980871L, s2 = 0.97492791218182360702L, s3 = 0.43388373911755812048L;
  static constexpr long double cos[] = {1.0L, c1, c2, c3, c3, c2, c1};
  static constexpr long double sin[] = {0.0L, s1, s2, s3, -s3, -s2, -s1};
};

// Odd R: with s_j = a_j + a_{R-j} and d_j = a_j - a_{R-j}, b_k and b_{R-k} = a_0 + sum_j s_j cos -+ i sum_j d_j sin.
template <int R, class D> HWY_INLINE void dft(D d, Complex<D> (&a)[R]) {
  using T = hn::TFromD<D>;
  constexpr int half = (R - 1) / 2;
  Complex<D> sums[half], differences[half];
  const Complex<D> first = a[0];
  HWY_UNROLL(8)
  for (int j = 1; j <= half; ++j) {
    sums[j - 1] = add(a[j], a[R - j]);
    differences[j - 1] = sub(a[j], a[R - j]);
    a[0] = add(a[0], sums[j - 1]);
  }
  HWY_UNROLL(8)
  for (int k = 1; k <= half; ++k) {
    const auto sin_k = hn::Set(d, static_cast<T>(OddRoots<R>::sin[k]));
    Complex<D> even = first, odd{hn::Mul(differences[0].re, sin_k), hn::Mul(differences[0].im, sin_k)};
    HWY_UNROLL(8)
    for (int j = 1; j <= half; ++j) {
      const auto c = hn::Set(d, static_cast<T>(OddRoots<R>::cos[j * k % R]));
      even = {hn::MulAdd(sums[j - 1].re, c, even.re), hn::MulAdd(sums[j - 1].im, c, even.im)};
      if (j == 1) continue;
      const auto s = hn::Set(d, static_cast<T>(OddRoots<R>::sin[j * k % R]));
      odd = {hn::MulAdd(differences[j - 1].re, s, odd.re), hn::MulAdd(differences[j - 1].im, s, odd.im)};
    }
    a[k] = sub_i(even, odd);
    a[R - k] = add_i(even, odd);
  }
}

// Coprime A and B need no twiddles in between (Good and Thomas): point (B i + A j) mod R goes to row i, column j, and
// output k comes from row k mod A, column k mod B.
template <int A, int B, class D> HWY_INLINE void dft_coprime(D d, Complex<D> (&a)[A * B]) {
  Complex<D> rows[A][B];
  HWY_UNROLL(8)
  for (int j = 0; j < B; ++j) {
    Complex<D> column[A];
    HWY_UNROLL(8)
    for (int i = 0; i < A; ++i) column[i] = a[(B * i + A * j) % (A * B)];
    dft(d, column);
    HWY_UNROLL(8)
    for (int i = 0; i < A; ++i) rows[i][j] = column[i];
  }
  HWY_UNROLL(8)
  for (int i = 0; i < A; ++i) dft(d, rows[i]);
  HWY_UNROLL(16)
  for (int k = 0; k < A * B; ++k) a[k] = rows[k % A][k % B];
}

template <class D> HWY_INLINE void dft(D d, Complex<D> (&a)[6]) { dft_coprime<2, 3>(d, a); }

template <class D> HWY_INLINE void dft(D d, Complex<D> (&a)[10]) { dft_coprime<2, 5>(d, a); }

template <class D> HWY_INLINE void dft(D d, Complex<D> (&a)[12]) { dft_coprime<4, 3>(d, a); }

}  // namespace offgrid::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // OFFGRID_CPU_FFT_BUTTERFLY_INL
