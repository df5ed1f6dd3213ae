// The radix passes over one block of lines, compiled once a SIMD target. The first pass reads memory and the last one
// writes it; in between, the block lives in scratch as [point][V reals, V imaginary parts].
#include "cpu/simd.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/fft_pass.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "cpu/fft_lines-inl.hpp"
#include "cpu/threads.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu::HWY_NAMESPACE {

// Order in which a butterfly's outputs 1 .. R - 1 are stored: forwards, or backwards for the other sign.
struct OutputOrder {
  std::ptrdiff_t first, step;  // in reals
};

template <class D> HWY_INLINE Complex<D> load_scratch(D d, const hn::TFromD<D>* x) {
  return {hn::Load(d, x), hn::Load(d, x + hn::MaxLanes(d))};
}

template <class D> HWY_INLINE void store_scratch(D d, const Complex<D>& c, hn::TFromD<D>* y) {
  hn::Store(c.re, d, y);
  hn::Store(c.im, d, y + hn::MaxLanes(d));
}

template <int R, class D>
HWY_INLINE void store_twiddled(D d, const Complex<D> (&a)[R], const Complex<D>* w, hn::TFromD<D>* y,
                               OutputOrder order) {
  store_scratch(d, a[0], y);
  HWY_UNROLL(8)
  for (int k = 1; k < R; ++k) store_scratch(d, mul(a[k], w[k - 1]), y + order.first + (k - 1) * order.step);
}

template <int R, class D> HWY_INLINE void load_twiddles(D d, const std::complex<hn::TFromD<D>>* table, Complex<D>* w) {
  HWY_UNROLL(8)
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
      HWY_UNROLL(8)
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
      HWY_UNROLL(8)
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
      HWY_UNROLL(8)
      for (int j = 0; j < R; ++j) a[j] = load_scratch(d, x + unit * (q + pass.stride * j));
      dft(d, a);
      HWY_UNROLL(8)
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
    case 7:
      return f.template operator()<7>();
    case 8:
      return f.template operator()<8>();
  }
}

template <class D, class In, class Out>
void run_passes(D d, const AxisPass<hn::TFromD<D>>& axis, const In& in, const Out& out, hn::TFromD<D>* x,
                hn::TFromD<D>* y) {
  const auto& passes = axis.plan->passes();
  with_radix(passes.front().radix, [&]<int R>() { first_pass<R>(d, axis, in, x); });
  for (std::size_t i = 1; i + 1 < passes.size(); ++i) {
    with_radix(passes[i].radix, [&]<int R>() { middle_pass<R>(d, axis, passes[i], x, y); });
    std::swap(x, y);
  }
  with_radix(passes.back().radix, [&]<int R>() { last_pass<R>(d, axis, x, out); });
}

template <class D, class In>
void run_block_from(D d, const AxisPass<hn::TFromD<D>>& axis, const In& in, const LineBlock& block, hn::TFromD<D>* x) {
  using T = hn::TFromD<D>;
  T* y = x + pass_scratch(*axis.plan) / 2;
  if (axis.out.line_stride == 1)
    run_passes(d, axis, in, ContiguousLines<D, std::complex<T>>(d, axis, axis.out, block), x, y);
  else
    run_passes(d, axis, in, ScatteredLines<D, std::complex<T>>(d, axis, axis.out, block), x, y);
}

template <class T> void run_block_on(const AxisPass<T>& axis, const LineBlock& block, T* scratch) {
  using D = hn::ScalableTag<T>;
  const D d;
  if (axis.in.line_stride == 1)
    run_block_from(d, axis, ContiguousLines<D, const std::complex<T>>(d, axis, axis.in, block), block, scratch);
  else
    run_block_from(d, axis, ScatteredLines<D, const std::complex<T>>(d, axis, axis.in, block), block, scratch);
}

void run_block_f32(const AxisPass<float>& axis, const LineBlock& block, float* x) { run_block_on(axis, block, x); }
void run_block_f64(const AxisPass<double>& axis, const LineBlock& block, double* x) { run_block_on(axis, block, x); }
int vector_bytes() { return hn::MaxLanes(hn::ScalableTag<std::uint8_t>()); }

}  // namespace offgrid::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace offgrid::cpu {

HWY_EXPORT(run_block_f32);
HWY_EXPORT(run_block_f64);
HWY_EXPORT(vector_bytes);

namespace {

// Vectors of adjacent lines must not run from one row into the next; scattered lines may.
template <class T> bool keeps_to_rows(const AxisPass<T>& pass) {
  return pass.in.line_stride == 1 || pass.out.line_stride == 1;
}

std::int64_t blocks_of(std::int64_t lines, std::int64_t at_once) { return (lines + at_once - 1) / at_once; }

template <class T> LineBlock block_range(const AxisPass<T>& pass, std::int64_t block) {
  const std::int64_t at_once = lines_at_once<T>();
  if (!keeps_to_rows(pass)) {
    const std::int64_t first = block * at_once;
    return {block, first, static_cast<int>(std::min(at_once, pass.rows * pass.lines - first))};
  }
  const std::int64_t in_row = blocks_of(pass.lines, at_once);
  const std::int64_t line = block % in_row * at_once;
  return {block, block / in_row * pass.lines + line, static_cast<int>(std::min(at_once, pass.lines - line))};
}

template <class T> std::int64_t block_count(const AxisPass<T>& pass) {
  if (!keeps_to_rows(pass)) return blocks_of(pass.rows * pass.lines, lines_at_once<T>());
  return pass.rows * blocks_of(pass.lines, lines_at_once<T>());
}

}  // namespace

template <class T> int lines_at_once() {
  static const int bytes = HWY_DYNAMIC_DISPATCH(vector_bytes)();
  return bytes / static_cast<int>(sizeof(T));
}

// Two buffers for the Stockham passes. The odd cache lines between them keep the two apart in the sets of the cache.
template <class T> std::int64_t pass_scratch(const FftPlan<T>& plan) {
  const std::int64_t skew = 5 * 64 / sizeof(T);
  return 2 * (2 * lines_at_once<T>() * plan.size() + skew);
}

template <> void run_block(const AxisPass<float>& pass, const LineBlock& block, float* scratch) {
  HWY_DYNAMIC_DISPATCH(run_block_f32)(pass, block, scratch);
}

template <> void run_block(const AxisPass<double>& pass, const LineBlock& block, double* scratch) {
  HWY_DYNAMIC_DISPATCH(run_block_f64)(pass, block, scratch);
}

// Neighbouring blocks share cache lines and pages, so a thread takes several of them at a time.
template <class T> void run_pass(const AxisPass<T>& pass, const Workers<T>& workers) {
  const std::int64_t blocks = block_count(pass);
  const std::int64_t a_job = std::clamp<std::int64_t>(blocks / (8 * workers.threads), 1, 16);
  parallel_for(workers.threads, blocks_of(blocks, a_job), [&](std::int64_t job, int thread) {
    T* scratch = workers.scratch + thread * workers.per_thread;
    for (std::int64_t b = job * a_job; b < std::min(blocks, (job + 1) * a_job); ++b)
      run_block(pass, block_range(pass, b), scratch);
  });
}

template int lines_at_once<float>();
template int lines_at_once<double>();
template std::int64_t pass_scratch(const FftPlan<float>&);
template std::int64_t pass_scratch(const FftPlan<double>&);
template void run_pass(const AxisPass<float>&, const Workers<float>&);
template void run_pass(const AxisPass<double>&, const Workers<double>&);

}  // namespace offgrid::cpu
#endif  // HWY_ONCE
