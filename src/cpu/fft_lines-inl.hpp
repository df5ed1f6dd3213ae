// How a pass reads and writes the lines of one block: vectors of adjacent lines (ContiguousLines), or complex numbers
// collected from lines that are far apart (ScatteredLines). Included once a SIMD target by fft_pass.cpp.
#if defined(OFFGRID_CPU_FFT_LINES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef OFFGRID_CPU_FFT_LINES_INL
#undef OFFGRID_CPU_FFT_LINES_INL
#else
#define OFFGRID_CPU_FFT_LINES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "cpu/fft_butterfly-inl.hpp"
#include "cpu/fft_pass.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Interleaved complex numbers, V/2 lines in each vector. Splitting them leaves the lines in the order of line_of_lane.
template <class D> struct Interleaved { hn::Vec<D> low, high; };

#if HWY_TARGET == HWY_SCALAR  // one lane: the two vectors are the real and the imaginary part of one line

template <class D> HWY_INLINE Complex<D> split(const Interleaved<D>& v) { return {v.low, v.high}; }

template <class D> HWY_INLINE Interleaved<D> join(const Complex<D>& c) { return {c.re, c.im}; }

template <class D, class T> HWY_INLINE Interleaved<D> gather(D d, const T* p, const std::int64_t* offset) {
  return {hn::Load(d, p + offset[0]), hn::Load(d, p + offset[0] + 1)};
}

#else

template <class D> HWY_INLINE Complex<D> split(const Interleaved<D>& v) {
  return {hn::OddEven(hn::DupEven(v.high), v.low), hn::OddEven(v.high, hn::DupOdd(v.low))};
}

template <class D> HWY_INLINE Interleaved<D> join(const Complex<D>& c) {
  return {hn::OddEven(hn::DupEven(c.im), c.re), hn::OddEven(c.im, hn::DupOdd(c.re))};
}

// 128 bits, repeated in the whole vector: one complex double, or two complex floats.
template <class D, class T> HWY_INLINE hn::Vec<D> gather_block(D d, const T* p, const std::int64_t* offset) {
  if constexpr (sizeof(T) == 8) {
    return hn::LoadDup128(d, p + offset[0]);
  } else {
    const hn::Repartition<double, D> pairs;
    double even, odd;
    std::memcpy(&even, p + offset[0], sizeof(double));
    std::memcpy(&odd, p + offset[1], sizeof(double));
    return hn::BitCast(d, hn::OddEven(hn::Set(pairs, odd), hn::Set(pairs, even)));
  }
}

template <class D, class T> HWY_INLINE hn::Vec<D> gather_half(D d, const T* p, const std::int64_t* offset) {
  constexpr int in_block = 8 / sizeof(T), blocks = hn::MaxLanes(d) / (2 * in_block);
  static_assert(blocks <= 4);
  const auto b0 = gather_block(d, p, offset);
  if constexpr (blocks == 1) return b0;
  if constexpr (blocks >= 2) {
    const auto b1 = gather_block(d, p, offset + in_block);
    if constexpr (blocks == 2) return hn::ConcatUpperLower(d, b1, b0);
    if constexpr (blocks == 4) {
      const auto b2 = gather_block(d, p, offset + 2 * in_block), b3 = gather_block(d, p, offset + 3 * in_block);
      return hn::ConcatUpperLower(d, hn::OddEvenBlocks(b3, b2), hn::OddEvenBlocks(b1, b0));
    }
  }
}

// One complex number from each line.
template <class D, class T> HWY_INLINE Interleaved<D> gather(D d, const T* p, const std::int64_t* offset) {
  return {gather_half(d, p, offset), gather_half(d, p, offset + hn::MaxLanes(d) / 2)};
}

#endif

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

// Adjacent lines: line_stride = 1.
template <class D, class Element> class ContiguousLines {
  using T = hn::TFromD<D>;

 public:
  ContiguousLines(D d, const AxisPass<T>& pass, const Lines<T, Element>& lines, const LineBlock& block)
      : d_(d), lines_(lines), step_(2 * lines.stride), count_(block.count) {
    const std::int64_t row = block.first_line / pass.lines, line = block.first_line % pass.lines;
    data_ = lines.data + row * lines.row_stride + line;
    if (lines.scale_lines) scale_line_ = 2 * line;
    if (lines.twiddle.blocks) twiddle_block_ = lines.twiddle.blocks + block.index * pass.plan->size();
  }

  const Lines<T, Element>& lines() const { return lines_; }
  Element* data() const { return data_; }

  template <class S> HWY_INLINE Complex<D> load(const S& slot, std::int64_t i) const {
    const T* p = slot.data + i * step_;
    Interleaved<D> v;
    if (HWY_LIKELY(count_ == V))
      v = {hn::LoadU(d_, p), hn::LoadU(d_, p + V)};
    else
      v = load_part(p);
    if (slot.scale) v = scaled(slot, i, v);
    const Complex<D> c = split(v);
    return twiddle_block_ ? mul(c, twiddle(slot.position + i)) : c;
  }

  template <class S> HWY_INLINE void store(const S& slot, std::int64_t i, Complex<D> c) const {
    if (twiddle_block_) c = mul(c, twiddle(slot.position + i));
    Interleaved<D> v = join(c);
    if (slot.scale) v = scaled(slot, i, v);
    T* p = slot.data + i * step_;
    if (HWY_UNLIKELY(count_ != V)) return store_part(p, v);
    hn::StoreU(v.low, d_, p);
    hn::StoreU(v.high, d_, p + V);
  }

 private:
  static constexpr int V = hn::MaxLanes(D());

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

  // The lines past `count` belong to others: they are neither read nor written.
  HWY_NOINLINE Interleaved<D> load_part(const T* p) const {
    HWY_ALIGN T buffer[2 * V] = {};
    std::memcpy(buffer, p, 2 * count_ * sizeof(T));
    return {hn::Load(d_, buffer), hn::Load(d_, buffer + V)};
  }

  HWY_NOINLINE void store_part(T* p, const Interleaved<D>& v) const {
    HWY_ALIGN T buffer[2 * V];
    hn::Store(v.low, d_, buffer);
    hn::Store(v.high, d_, buffer + V);
    std::memcpy(p, buffer, 2 * count_ * sizeof(T));
  }

  D d_;
  const Lines<T, Element>& lines_;
  Element* data_;
  std::int64_t step_, scale_line_ = 0;
  int count_;
  const std::complex<T>* twiddle_block_ = nullptr;
};

// Lines that are not adjacent: one complex number a line is collected, or dealt out, for every point.
template <class D, class Element> class ScatteredLines {
  using T = hn::TFromD<D>;

 public:
  ScatteredLines(D d, const AxisPass<T>& pass, const Lines<T, Element>& lines, const LineBlock& block)
      : d_(d), lines_(lines), step_(2 * lines.stride), count_(block.count) {
    for (int lane = 0; lane < V; ++lane) {
      const std::int64_t line = block.first_line + std::min(lane, count_ - 1);  // spare lanes repeat the last line
      offset_[lane] = 2 * (line % pass.lines * lines.line_stride + line / pass.lines * lines.row_stride);
    }
  }

  const Lines<T, Element>& lines() const { return lines_; }
  Element* data() const { return lines_.data; }

  template <class S> HWY_INLINE Complex<D> load(const S& slot, std::int64_t i) const {
    const T* p = slot.data + i * step_;
    const Complex<D> c = split(gather(d_, p, offset_));
    return slot.scale ? scaled(slot, i, c) : c;
  }

  template <class S> HWY_INLINE void store(const S& slot, std::int64_t i, Complex<D> c) const {
    if (slot.scale) c = scaled(slot, i, c);
    const Interleaved<D> v = join(c);
    HWY_ALIGN T buffer[2 * V];
    hn::Store(v.low, d_, buffer);
    hn::Store(v.high, d_, buffer + V);
    T* p = slot.data + i * step_;
    for (int lane = 0; lane < count_; ++lane) std::memcpy(p + offset_[lane], buffer + 2 * lane, 2 * sizeof(T));
  }

 private:
  static constexpr int V = hn::MaxLanes(D());

  template <class S> HWY_INLINE Complex<D> scaled(const S& slot, std::int64_t i, const Complex<D>& c) const {
    const auto s = hn::Set(d_, slot.scale[i * lines_.scale_stride]);
    return {hn::Mul(c.re, s), hn::Mul(c.im, s)};
  }

  D d_;
  const Lines<T, Element>& lines_;
  std::int64_t step_;
  int count_;
  std::int64_t offset_[V];
};

}  // namespace offgrid::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // OFFGRID_CPU_FFT_LINES_INL
