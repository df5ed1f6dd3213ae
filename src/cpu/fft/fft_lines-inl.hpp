// How the radix passes reach the lines of one block. Adjacent lines are read and written as they are, by the first and
// the last pass (ContiguousLines). Lines that are far apart are transposed into scratch and out of it
// (fft_transpose-inl.hpp), where the passes find them (StagedLines). Included once a SIMD target by fft_pass_simd.cpp.
#if defined(OFFGRID_CPU_FFT_LINES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef OFFGRID_CPU_FFT_LINES_INL
#undef OFFGRID_CPU_FFT_LINES_INL
#else
#define OFFGRID_CPU_FFT_LINES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "cpu/fft/fft_butterfly-inl.hpp"
#include "cpu/fft/fft_pass.hpp"
#include "cpu/fft/fft_transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Where one input or output of a butterfly is, while p runs from the first group of a range to its last.
template <class Real, class T> struct Slot {
  Real* data = nullptr;  // null: not in memory
  const T* scale = nullptr;
  std::int64_t position = 0;
};

// Cuts the groups p of a radix pass into ranges in which each of the points p + j * groups, j = 0 .. R - 1, stays in
// one segment or in none, so that the loop over a range has nothing to decide.
template <int R, class T, class Element> class SlotRanges {
 public:
  using Real = std::conditional_t<std::is_const_v<Element>, const T, T>;

  SlotRanges(const Lines<T, Element>& lines, Element* block, std::int64_t groups)
      : lines_(lines), block_(reinterpret_cast<Real*>(block)), groups_(groups) {}

  bool next() {
    begin = end;
    if (begin == groups_) return false;
    end = groups_;
    for (int j = 0; j < R; ++j) place(slots[j], begin + j * groups_);
    return true;
  }

  std::int64_t begin = 0, end = 0;
  Slot<Real, T> slots[R];

 private:
  void place(Slot<Real, T>& slot, std::int64_t position) {
    slot = {nullptr, nullptr, position};
    for (const Segment& s : lines_.segments) {
      if (position < s.position) end = std::min(end, begin + s.position - position);
      const std::int64_t i = position - s.position;
      if (i < 0 || i >= s.count) continue;
      end = std::min(end, begin + s.count - i);
      slot.data = block_ + 2 * (s.offset + i * lines_.stride);
      if (lines_.scale) slot.scale = lines_.scale + s.scale_offset + i * lines_.scale_stride;
    }
  }

  const Lines<T, Element>& lines_;
  Real* block_;
  std::int64_t groups_;
};

// Adjacent lines: line_stride = 1. The lines past `count` belong to others and are neither read nor written.
template <class D, class Element> class ContiguousLines {
  using T = hn::TFromD<D>;

 public:
  ContiguousLines(D d, const AxisPass<T>& pass, const Lines<T, Element>& lines, const LineBlock& block)
      : d_(d), lines_(lines), step_(2 * lines.stride), count_(block.count) {
    const std::int64_t offset = line_offset(pass, lines, block.first_line);
    data_ = lines.data + offset;
    ahead_ = 2 * (line_offset(pass, lines, block.next_line) - offset);
    if (lines.scale_lines) scale_line_ = 2 * offset;
    if (lines.twiddle.blocks) twiddle_block_ = lines.twiddle.blocks + block.index * pass.plan->size();
  }

  const Lines<T, Element>& lines() const { return lines_; }
  Element* data() const { return data_; }

  template <class S> HWY_INLINE Complex<D> load(const S& slot, std::int64_t i) const {
    const T* p = slot.data + i * step_;
    prefetch_next(p);
    Interleaved<D> v;
    if (HWY_LIKELY(count_ == V))
      v = {hn::LoadU(d_, p), hn::LoadU(d_, p + V)};
    else
      v = {load_first(d_, p, 2 * count_), load_first(d_, p + V, 2 * count_ - V)};
    if (slot.scale) v = scaled(slot, i, v);
    const Complex<D> c = split(v);
    return twiddle_block_ ? mul(c, twiddle(slot.position + i)) : c;
  }

  template <class S> HWY_INLINE void store(const S& slot, std::int64_t i, Complex<D> c) const {
    if (twiddle_block_) c = mul(c, twiddle(slot.position + i));
    Interleaved<D> v = join(c);
    if (slot.scale) v = scaled(slot, i, v);
    T* p = slot.data + i * step_;
    prefetch_next(p);
    if (HWY_LIKELY(count_ == V)) {
      hn::StoreU(v.low, d_, p);
      hn::StoreU(v.high, d_, p + V);
    } else {
      store_first(v.low, d_, p, 2 * count_);
      store_first(v.high, d_, p + V, 2 * count_ - V);
    }
  }

 private:
  static constexpr int V = hn::MaxLanes(D());

  // The points of a block are far from each other, so no hardware prefetcher sees the next block coming.
  HWY_INLINE void prefetch_next(const T* p) const {
    prefetch(p + ahead_);
    if constexpr (2 * V * sizeof(T) > 64) prefetch(p + ahead_ + V);
  }

  template <class S> HWY_INLINE Interleaved<D> scaled(const S& slot, std::int64_t i, const Interleaved<D>& v) const {
    const T* s = slot.scale + scale_line_ + i * lines_.scale_stride;
    if (!lines_.scale_lines) return {hn::Mul(v.low, hn::Set(d_, *s)), hn::Mul(v.high, hn::Set(d_, *s))};
    return {hn::Mul(v.low, hn::LoadU(d_, s)), hn::Mul(v.high, hn::LoadU(d_, s + V))};
  }

  HWY_INLINE Complex<D> twiddle(std::int64_t point) const {
    const std::complex<T> block = twiddle_block_[point];
    const T* lane = lines_.twiddle.lanes + 2 * V * point;
    const Complex<D> w =
        mul<D>({hn::Set(d_, block.real()), hn::Set(d_, block.imag())}, {hn::Load(d_, lane), hn::Load(d_, lane + V)});
    return {w.re, hn::Mul(w.im, hn::Set(d_, lines_.twiddle.sign))};
  }

  D d_;
  const Lines<T, Element>& lines_;
  Element* data_;
  std::int64_t step_, ahead_, scale_line_ = 0;
  int count_;
  const std::complex<T>* twiddle_block_ = nullptr;
};

// Lines in scratch, [point][V reals, V imaginary parts], which stand for lines in memory: with the same segments and
// factors.
template <class D, class Element> class StagedLines {
  using T = hn::TFromD<D>;

 public:
  StagedLines(D d, const Lines<T, Element>& lines, T* scratch) : d_(d), lines_(lines) {
    lines_.data = reinterpret_cast<Element*>(scratch);
    lines_.stride = V;
    for (Segment& s : lines_.segments) s.offset = s.position * V;
  }

  const Lines<T, Element>& lines() const { return lines_; }
  Element* data() const { return lines_.data; }

  template <class S> HWY_INLINE Complex<D> load(const S& slot, std::int64_t i) const {
    const Complex<D> c = load_scratch(d_, slot.data + i * 2 * V);
    return slot.scale ? scaled(slot, i, c) : c;
  }

  template <class S> HWY_INLINE void store(const S& slot, std::int64_t i, const Complex<D>& c) const {
    store_scratch(d_, slot.scale ? scaled(slot, i, c) : c, slot.data + i * 2 * V);
  }

 private:
  static constexpr int V = hn::MaxLanes(D());

  template <class S> HWY_INLINE Complex<D> scaled(const S& slot, std::int64_t i, const Complex<D>& c) const {
    const auto s = hn::Set(d_, slot.scale[i * lines_.scale_stride]);
    return {hn::Mul(c.re, s), hn::Mul(c.im, s)};
  }

  D d_;
  Lines<T, Element> lines_;
};

}  // namespace offgrid::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // OFFGRID_CPU_FFT_LINES_INL
