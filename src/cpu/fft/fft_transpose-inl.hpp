// Lines that are not adjacent in memory, but whose points are: transposed into scratch, where lane = line, and back.
// A tile is V lines of V/2 points, so that every access is a whole vector. Included once a SIMD target by
// fft_pass_simd.cpp.
#if defined(OFFGRID_CPU_FFT_TRANSPOSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef OFFGRID_CPU_FFT_TRANSPOSE_INL
#undef OFFGRID_CPU_FFT_TRANSPOSE_INL
#else
#define OFFGRID_CPU_FFT_TRANSPOSE_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "cpu/fft/fft_complex-inl.hpp"
#include "cpu/fft/fft_pass.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // one lane: there are no tiles

template <class D, int N> HWY_INLINE void transpose(D, hn::Vec<D> (&)[N]) {}

#else

// 128-bit blocks of 1, 2 or 4 vectors that hold as many blocks, `apart` vectors from each other.
template <int Blocks, class D> HWY_INLINE void transpose_blocks(D d, hn::Vec<D>* v, int apart) {
  auto &v0 = v[0], &v1 = v[(Blocks > 1) * apart], &v2 = v[(Blocks > 2) * 2 * apart], &v3 = v[(Blocks > 2) * 3 * apart];
  if constexpr (Blocks == 2) {
    const auto low = hn::ConcatLowerLower(d, v1, v0);
    v1 = hn::ConcatUpperUpper(d, v1, v0);
    v0 = low;
  }
  if constexpr (Blocks == 4) {
    const auto low02 = hn::ConcatLowerLower(d, v2, v0), low13 = hn::ConcatLowerLower(d, v3, v1);
    const auto high02 = hn::ConcatUpperUpper(d, v2, v0), high13 = hn::ConcatUpperUpper(d, v3, v1);
    v0 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(low13), low02);
    v1 = hn::OddEvenBlocks(low13, hn::SwapAdjacentBlocks(low02));
    v2 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(high13), high02);
    v3 = hn::OddEvenBlocks(high13, hn::SwapAdjacentBlocks(high02));
  }
}

// N vectors of N complex numbers. A complex double is a block; complex floats are first brought together in pairs.
template <class D, int N> HWY_INLINE void transpose(D d, hn::Vec<D> (&v)[N]) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    transpose_blocks<N>(d, v, 1);
  } else {
    const hn::Repartition<double, D> whole;
    HWY_UNROLL(8)
    for (int i = 0; i < N; i += 2) {
      const auto a = hn::BitCast(whole, v[i]), b = hn::BitCast(whole, v[i + 1]);
      v[i] = hn::BitCast(d, hn::InterleaveLower(whole, a, b));
      v[i + 1] = hn::BitCast(d, hn::InterleaveUpper(whole, a, b));
    }
    transpose_blocks<N / 2>(d, v, 2);
    transpose_blocks<N / 2>(d, v + 1, 2);
  }
}

#endif

template <class D, class Element> class Transposer {
  using T = hn::TFromD<D>;
  using Real = std::conditional_t<std::is_const_v<Element>, const T, T>;

 public:
  Transposer(D d, const AxisPass<T>& pass, const Lines<T, Element>& lines, const LineBlock& block)
      : d_(d), lines_(lines), count_(block.count) {
    for (int i = 0; i < V; ++i)  // spare lanes read the last line again
      line_[i] =
          reinterpret_cast<Real*>(lines.data + line_offset(pass, lines, block.first_line + std::min(i, count_ - 1)));
    ahead_ = 2 * (line_offset(pass, lines, block.next_line) - line_offset(pass, lines, block.first_line));
  }

  HWY_NOINLINE void load(T* scratch) const {
    for (const Segment& s : lines_.segments) {
      if (V == 1 || s.count < points || lines_.stride != 1) {
        load_points(s, scratch);
        continue;
      }
      // The last tile may overlap the one before.
      for (std::int64_t i = 0; i < s.count; i += points) load_tile(s, std::min(i, s.count - points), scratch);
    }
  }

  HWY_NOINLINE void store(const T* scratch) const {
    for (const Segment& s : lines_.segments) {
      if (V == 1 || s.count < points || lines_.stride != 1) {
        store_points(s, scratch);
        continue;
      }
      for (std::int64_t i = 0; i < s.count; i += points) store_tile(s, std::min(i, s.count - points), scratch);
    }
  }

 private:
  static constexpr int V = hn::MaxLanes(D());
  static constexpr int points = V > 1 ? V / 2 : 1;  // of a tile

  HWY_INLINE void load_tile(const Segment& s, std::int64_t i, T* scratch) const {
    hn::Vec<D> low[points], high[points];
    HWY_UNROLL(8)
    for (int j = 0; j < points; ++j) {
      const T *a = line_[j] + 2 * (s.offset + i), *b = line_[j + V / 2] + 2 * (s.offset + i);
      prefetch(a + ahead_);
      prefetch(b + ahead_);
      low[j] = hn::LoadU(d_, a);
      high[j] = hn::LoadU(d_, b);
    }
    transpose(d_, low);
    transpose(d_, high);
    T* to = scratch + 2 * V * (s.position + i);
    HWY_UNROLL(8)
    for (int j = 0; j < points; ++j) store_scratch(d_, split<D>({low[j], high[j]}), to + 2 * V * j);
  }

  HWY_INLINE void store_tile(const Segment& s, std::int64_t i, const T* scratch) const {
    hn::Vec<D> low[points], high[points];
    const T* from = scratch + 2 * V * (s.position + i);
    HWY_UNROLL(8)
    for (int j = 0; j < points; ++j) {
      const Interleaved<D> v = join(load_scratch(d_, from + 2 * V * j));
      low[j] = v.low;
      high[j] = v.high;
    }
    transpose(d_, low);
    transpose(d_, high);
    HWY_UNROLL(8)
    for (int j = 0; j < points; ++j) {
      T *a = line_[j] + 2 * (s.offset + i), *b = line_[j + V / 2] + 2 * (s.offset + i);
      prefetch(a + ahead_);
      prefetch(b + ahead_);
      if (j < count_) hn::StoreU(low[j], d_, a);
      if (j + V / 2 < count_) hn::StoreU(high[j], d_, b);
    }
  }

  // One number at a time: segments that are shorter than a tile, or points that are not adjacent either.
  void load_points(const Segment& s, T* scratch) const {
    for (std::int64_t i = 0; i < s.count; ++i)
      for (int lane = 0; lane < V; ++lane) {
        const T* p = line_[line_of_lane<T>(lane)] + 2 * (s.offset + i * lines_.stride);
        T* to = scratch + 2 * V * (s.position + i) + lane;
        to[0] = p[0];
        to[V] = p[1];
      }
  }

  void store_points(const Segment& s, const T* scratch) const {
    for (std::int64_t i = 0; i < s.count; ++i)
      for (int lane = 0; lane < V; ++lane) {
        if (line_of_lane<T>(lane) >= count_) continue;
        T* p = line_[line_of_lane<T>(lane)] + 2 * (s.offset + i * lines_.stride);
        const T* from = scratch + 2 * V * (s.position + i) + lane;
        p[0] = from[0];
        p[1] = from[V];
      }
  }

  D d_;
  const Lines<T, Element>& lines_;
  int count_;
  std::int64_t ahead_;
  Real* line_[V];
};

}  // namespace offgrid::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // OFFGRID_CPU_FFT_TRANSPOSE_INL
