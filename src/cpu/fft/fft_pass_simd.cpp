// The radix passes over one block of lines, compiled once a SIMD target. The first pass reads memory and the last one
// writes it; in between, the block lives in scratch as [point][V reals, V imaginary parts].
#include "cpu/simd.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/fft/fft_pass_simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "cpu/fft/fft_butterfly-inl.hpp"
#include "cpu/fft/fft_complex-inl.hpp"
#include "cpu/fft/fft_lines-inl.hpp"
#include "cpu/fft/fft_pass.hpp"
#include "cpu/fft/fft_transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu::HWY_NAMESPACE {

// Order in which a butterfly's outputs 1 .. R - 1 are stored: forwards, or backwards for the other sign.
struct OutputOrder {
  std::ptrdiff_t first, step;  // in reals
};

template <int R, class D>
HWY_INLINE void store_twiddled(D d, const Complex<D> (&a)[R], const Complex<D>* w, hn::TFromD<D>* y,
                               OutputOrder order) {
  store_scratch(d, a[0], y);
  HWY_UNROLL(12)
  for (int k = 1; k < R; ++k) store_scratch(d, mul(a[k], w[k - 1]), y + order.first + (k - 1) * order.step);
}

template <int R, class D> HWY_INLINE void load_twiddles(D d, const std::complex<hn::TFromD<D>>* table, Complex<D>* w) {
  HWY_UNROLL(12)
  for (int k = 0; k < R - 1; ++k) w[k] = {hn::Set(d, table[k].real()), hn::Set(d, table[k].imag())};
}

template <class T> OutputOrder output_order(const AxisPass<T>& axis, const RadixPass& pass, std::ptrdiff_t unit) {
  const std::ptrdiff_t step = unit * pass.stride;
  if (axis.sign == Sign::minus) return {step, step};
  return {step * (pass.radix - 1), -step};
}

template <int R, class D, class In>
HWY_NOINLINE void first_pass(D d, const AxisPass<hn::TFromD<D>>& axis, const In& in, hn::TFromD<D>* HWY_RESTRICT y) {
  using T = hn::TFromD<D>;
  constexpr std::ptrdiff_t unit = 2 * hn::MaxLanes(d);
  const RadixPass& pass = axis.plan->passes().front();
  const std::complex<T>* table = axis.plan->twiddles(pass, axis.sign);
  const OutputOrder order = output_order(axis, pass, unit);
  SlotRanges<R, T, const std::complex<T>> ranges(in.lines(), in.data(), pass.groups);
  while (ranges.next()) {
    for (std::int64_t p = ranges.begin; p < ranges.end; ++p) {
      Complex<D> a[R], w[R];
      HWY_UNROLL(12)
      for (int j = 0; j < R; ++j) {
        a[j] = {hn::Zero(d), hn::Zero(d)};
        if (ranges.slots[j].data) a[j] = in.load(ranges.slots[j], p - ranges.begin);
      }
      dft(d, a);
      load_twiddles<R>(d, table + p * (R - 1), w);
      store_twiddled<R>(d, a, w, y + unit * R * p, order);
    }
  }
}

template <int R, class D>
HWY_NOINLINE void middle_pass(D d, const AxisPass<hn::TFromD<D>>& axis, const RadixPass& pass,
                              const hn::TFromD<D>* HWY_RESTRICT x, hn::TFromD<D>* HWY_RESTRICT y) {
  constexpr std::ptrdiff_t unit = 2 * hn::MaxLanes(d);
  const auto* table = axis.plan->twiddles(pass, axis.sign);
  const OutputOrder order = output_order(axis, pass, unit);
  const std::ptrdiff_t apart = unit * pass.stride * pass.groups;
  for (std::int64_t p = 0; p < pass.groups; ++p) {
    Complex<D> w[R];
    load_twiddles<R>(d, table + p * (R - 1), w);
    const auto* from = x + unit * pass.stride * p;
    auto* to = y + unit * pass.stride * R * p;
    for (std::int64_t q = 0; q < pass.stride; ++q, from += unit, to += unit) {
      Complex<D> a[R];
      HWY_UNROLL(12)
      for (int j = 0; j < R; ++j) a[j] = load_scratch(d, from + apart * j);
      dft(d, a);
      store_twiddled<R>(d, a, w, to, order);
    }
  }
}

// One group is left, so there are no twiddles and the loop is over the stride.
template <int R, class D, class Out>
HWY_NOINLINE void last_pass(D d, const AxisPass<hn::TFromD<D>>& axis, const hn::TFromD<D>* HWY_RESTRICT x,
                            const Out& out) {
  using T = hn::TFromD<D>;
  constexpr std::ptrdiff_t unit = 2 * hn::MaxLanes(d);
  const RadixPass& pass = axis.plan->passes().back();
  SlotRanges<R, T, std::complex<T>> ranges(out.lines(), out.data(), pass.stride);
  while (ranges.next()) {
    if (axis.sign == Sign::plus) std::reverse(ranges.slots + 1, ranges.slots + R);
    for (std::int64_t q = ranges.begin; q < ranges.end; ++q) {
      Complex<D> a[R];
      HWY_UNROLL(12)
      for (int j = 0; j < R; ++j) a[j] = load_scratch(d, x + unit * (q + pass.stride * j));
      dft(d, a);
      HWY_UNROLL(12)
      for (int k = 0; k < R; ++k)
        if (ranges.slots[k].data) out.store(ranges.slots[k], q - ranges.begin, a[k]);
    }
  }
}

// Calls f.operator()<R>() for the radix of a pass.
template <class F> HWY_INLINE void with_radix(int radix, const F& f) {
  switch (radix) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    case 4:
      return f.template operator()<4>();
    case 5:
      return f.template operator()<5>();
    case 6:
      return f.template operator()<6>();
    case 7:
      return f.template operator()<7>();
    case 8:
      return f.template operator()<8>();
    case 10:
      return f.template operator()<10>();
    case 12:
      return f.template operator()<12>();
  }
}

template <class D, class In> void run_first(D d, const AxisPass<hn::TFromD<D>>& axis, const In& in, hn::TFromD<D>* y) {
  with_radix(axis.plan->passes().front().radix, [&]<int R>() { first_pass<R>(d, axis, in, y); });
}

template <class D, class Out>
void run_last(D d, const AxisPass<hn::TFromD<D>>& axis, const hn::TFromD<D>* x, const Out& out) {
  with_radix(axis.plan->passes().back().radix, [&]<int R>() { last_pass<R>(d, axis, x, out); });
}

// x holds the latest result at every step, and y is free.
template <class T> void run_block_on(const AxisPass<T>& axis, const LineBlock& block, T* scratch) {
  using D = hn::ScalableTag<T>;
  using Element = std::complex<T>;
  const D d;
  T *x = scratch, *y = scratch + pass_scratch(*axis.plan) / 2;
  if (axis.in.line_stride == 1) {
    run_first(d, axis, ContiguousLines<D, const Element>(d, axis, axis.in, block), x);
  } else {
    Transposer<D, const Element>(d, axis, axis.in, block).load(y);
    run_first(d, axis, StagedLines<D, const Element>(d, axis.in, y), x);
  }
  const auto& passes = axis.plan->passes();
  for (std::size_t i = 1; i + 1 < passes.size(); ++i) {
    with_radix(passes[i].radix, [&]<int R>() { middle_pass<R>(d, axis, passes[i], x, y); });
    std::swap(x, y);
  }
  if (axis.out.line_stride == 1) {
    run_last(d, axis, x, ContiguousLines<D, Element>(d, axis, axis.out, block));
  } else {
    run_last(d, axis, x, StagedLines<D, Element>(d, axis.out, y));
    Transposer<D, Element>(d, axis, axis.out, block).store(y);
  }
}

void run_block_f32(const AxisPass<float>& axis, const LineBlock& block, float* x) { run_block_on(axis, block, x); }
void run_block_f64(const AxisPass<double>& axis, const LineBlock& block, double* x) { run_block_on(axis, block, x); }
int lanes_f32() { return hn::MaxLanes(hn::ScalableTag<float>()); }
int lanes_f64() { return hn::MaxLanes(hn::ScalableTag<double>()); }

}  // namespace offgrid::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace offgrid::cpu {

HWY_EXPORT(run_block_f32);
HWY_EXPORT(run_block_f64);
HWY_EXPORT(lanes_f32);
HWY_EXPORT(lanes_f64);

void run_block(const AxisPass<float>& pass, const LineBlock& block, float* scratch) {
  HWY_DYNAMIC_DISPATCH(run_block_f32)(pass, block, scratch);
}

void run_block(const AxisPass<double>& pass, const LineBlock& block, double* scratch) {
  HWY_DYNAMIC_DISPATCH(run_block_f64)(pass, block, scratch);
}

template <> int lines_at_once<float>() { return HWY_DYNAMIC_DISPATCH(lanes_f32)(); }

template <> int lines_at_once<double>() { return HWY_DYNAMIC_DISPATCH(lanes_f64)(); }

}  // namespace offgrid::cpu
#endif  // HWY_ONCE
