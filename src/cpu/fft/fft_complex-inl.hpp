// Vectors of complex numbers, each lane one line: split into real and imaginary parts for arithmetic, interleaved as in
// memory for reading and writing. Included once a SIMD target by fft_pass_simd.cpp.
#if defined(OFFGRID_CPU_FFT_COMPLEX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef OFFGRID_CPU_FFT_COMPLEX_INL
#undef OFFGRID_CPU_FFT_COMPLEX_INL
#else
#define OFFGRID_CPU_FFT_COMPLEX_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D> struct Complex { hn::Vec<D> re, im; };

template <class D> HWY_INLINE Complex<D> add(const Complex<D>& a, const Complex<D>& b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}

template <class D> HWY_INLINE Complex<D> sub(const Complex<D>& a, const Complex<D>& b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}

template <class D> HWY_INLINE Complex<D> mul(const Complex<D>& a, const Complex<D>& b) {
  return {hn::MulSub(a.re, b.re, hn::Mul(a.im, b.im)), hn::MulAdd(a.re, b.im, hn::Mul(a.im, b.re))};
}

// a - i b and a + i b, without a negation.
template <class D> HWY_INLINE Complex<D> sub_i(const Complex<D>& a, const Complex<D>& b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}

template <class D> HWY_INLINE Complex<D> add_i(const Complex<D>& a, const Complex<D>& b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}

// Scratch holds [point][V reals, V imaginary parts].
template <class D> HWY_INLINE Complex<D> load_scratch(D d, const hn::TFromD<D>* x) {
  return {hn::Load(d, x), hn::Load(d, x + hn::MaxLanes(d))};
}

template <class D> HWY_INLINE void store_scratch(D d, const Complex<D>& c, hn::TFromD<D>* y) {
  hn::Store(c.re, d, y);
  hn::Store(c.im, d, y + hn::MaxLanes(d));
}

// Into the second-level cache: the first belongs to the scratch of the block at work.
HWY_INLINE void prefetch(const void* p) { __builtin_prefetch(p, 0, 2); }

// Complex numbers as they are in memory: lines 0 .. V/2 - 1, and V/2 .. V - 1. Split, they are in the order of
// line_of_lane.
template <class D> struct Interleaved { hn::Vec<D> low, high; };

#if HWY_TARGET == HWY_SCALAR  // one lane: the two vectors are the real and the imaginary part of one line

template <class D> HWY_INLINE Complex<D> split(const Interleaved<D>& v) { return {v.low, v.high}; }

template <class D> HWY_INLINE Interleaved<D> join(const Complex<D>& c) { return {c.re, c.im}; }

#else

template <class D> HWY_INLINE Complex<D> split(const Interleaved<D>& v) {
  return {hn::OddEven(hn::DupEven(v.high), v.low), hn::OddEven(v.high, hn::DupOdd(v.low))};
}

template <class D> HWY_INLINE Interleaved<D> join(const Complex<D>& c) {
  return {hn::OddEven(hn::DupEven(c.im), c.re), hn::OddEven(c.im, hn::DupOdd(c.re))};
}

#endif

// Only the first `count` reals are touched. Vectors of 128 bits have no masked access that stays within them.
template <class D> HWY_INLINE hn::Vec<D> load_first(D d, const hn::TFromD<D>* p, int count) {
  using T = hn::TFromD<D>;
  constexpr int lanes = hn::MaxLanes(d);
  if constexpr (lanes * sizeof(T) > 16) return hn::MaskedLoad(hn::FirstN(d, std::max(count, 0)), d, p);
  HWY_ALIGN T buffer[lanes] = {};
  if (count > 0) std::memcpy(buffer, p, std::min(count, lanes) * sizeof(T));
  return hn::Load(d, buffer);
}

template <class D> HWY_INLINE void store_first(hn::Vec<D> v, D d, hn::TFromD<D>* p, int count) {
  using T = hn::TFromD<D>;
  constexpr int lanes = hn::MaxLanes(d);
  if constexpr (lanes * sizeof(T) > 16) return hn::BlendedStore(v, hn::FirstN(d, std::max(count, 0)), d, p);
  HWY_ALIGN T buffer[lanes];
  hn::Store(v, d, buffer);
  if (count > 0) std::memcpy(p, buffer, std::min(count, lanes) * sizeof(T));
}

}  // namespace offgrid::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // OFFGRID_CPU_FFT_COMPLEX_INL
