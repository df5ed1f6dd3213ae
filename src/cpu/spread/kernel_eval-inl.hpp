// SIMD evaluation of the kernel for a chunk of points; included once a target (Highway).
// Along x a point needs its w values side by side to update a grid row, along y and z one value at a time: so x is
// evaluated with lane = piece and y, z with lane = point.
#if defined(OFFGRID_CPU_KERNEL_EVAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef OFFGRID_CPU_KERNEL_EVAL_INL
#undef OFFGRID_CPU_KERNEL_EVAL_INL
#else
#define OFFGRID_CPU_KERNEL_EVAL_INL
#endif

#include <hwy/highway.h>

#include <bit>

#include "cpu/policy.hpp"
#include "cpu/sort/sort.hpp"
#include "cpu/spread/kernel_eval.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A row of W complex cells as whole, aligned vectors of at most 32 bytes. Aligned, because a vector that straddles two
// cache lines costs twice, and one that overlaps an earlier store without matching it stalls; 32 bytes, because shorter
// vectors waste less on alignment and 64-byte stores take two cycles where this was tuned.
template <class T, int W> struct Row {
  using Tag = hn::CappedTag<T, 32 / sizeof(T)>;
  using Vector = hn::VFromD<Tag>;
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(Tag()));
  static constexpr int cells = lanes / 2;                      // complex numbers of a vector
  static constexpr int pieces = (W + lanes - 1) / lanes;       // vectors that hold the kernel's values once
  static constexpr int values = (W + cells - 1) / cells;       // vectors that hold them twice
  static constexpr int vectors = (W + 2 * cells - 2) / cells;  // vectors that a row may touch: `values` or this many
  static constexpr int reals = (vectors + 1) * lanes;          // room for values stored at any shift
};

// Kernel values of up to chunk_points points. A point's values along x stand where its first cell lies in a vector, with
// zeros around them.
template <class T, int D, int W> struct Chunk {
  alignas(64) T x[chunk_points][Row<T, W>::reals];              // each value twice
  alignas(64) T other[(D > 1 ? D - 1 : 1) * W * chunk_points];  // [axis - 1][piece][point]

  // Values of point p along axis 1 or 2, chunk_points apart.
  [[nodiscard]] const T* along(int axis, int p) const { return other + (axis - 1) * W * chunk_points + p; }
};

// How many points are evaluated together along x: enough independent chains to hide the latency of the multiply-add.
template <class T, int W> constexpr int x_group = Row<T, W>::pieces <= 2 ? 8 : 4;

// Stores a point's values, each twice, at its shift in the vector, with zeros before and after.
template <class T, int W> HWY_INLINE void store_row(const typename Row<T, W>::Vector* value, std::uint32_t cell, T* x) {
  using R = Row<T, W>;
  const typename R::Tag d;
  const hn::RebindToSigned<typename R::Tag> di;
  const auto lower = hn::ShiftRight<1>(hn::Iota(di, 0));
  const auto upper = hn::Add(lower, hn::Set(di, R::cells));
  hn::Store(hn::Zero(d), d, x);
  HWY_UNROLL(16)
  for (int v = R::values; v < R::vectors; ++v) hn::Store(hn::Zero(d), d, x + v * R::lanes);
  HWY_UNROLL(16)
  for (int v = 0; v < R::values; ++v) {
    const auto twice = hn::TableLookupLanes(value[v / 2], hn::IndicesFromVec(d, v % 2 == 0 ? lower : upper));
    hn::StoreU(twice, d, x + 2 * (cell % R::cells) + v * R::lanes);
  }
}

template <class T, int D, int W>
HWY_INLINE void evaluate_x(const KernelTable<T>& table, const PackedPoint<T, D>* points, Chunk<T, D, W>& chunk) {
  using R = Row<T, W>;
  const typename R::Tag d;
  constexpr int group = x_group<T, W>;
  for (int first = 0; first < chunk_points; first += group) {
    typename R::Vector value[group][R::pieces];
    const T* row = table.rows.data() + table.degree * KernelTable<T>::row_pieces;
    HWY_UNROLL(16)
    for (int p = 0; p < group; ++p) {
      HWY_UNROLL(16)
      for (int v = 0; v < R::pieces; ++v) value[p][v] = hn::Load(d, row + v * R::lanes);
    }
    for (int power = table.degree; power > 0; --power) {
      row -= KernelTable<T>::row_pieces;
      HWY_UNROLL(16)
      for (int p = 0; p < group; ++p) {
        const auto t = hn::Set(d, points[first + p].t[0]);
        HWY_UNROLL(16)
        for (int v = 0; v < R::pieces; ++v) value[p][v] = hn::MulAdd(value[p][v], t, hn::Load(d, row + v * R::lanes));
      }
    }
    HWY_UNROLL(16)
    for (int p = 0; p < group; ++p) store_row<T, W>(value[p], points[first + p].cell, chunk.x[first + p]);
  }
}

template <class T, int W> HWY_INLINE void evaluate_pairs(const KernelTable<T>& table, const T* t, T* values) {
  const hn::CappedTag<T, chunk_points> d;
  using Vector = hn::VFromD<decltype(d)>;
  constexpr int pairs = (W + 1) / 2;
  for (int first = 0; first < chunk_points; first += static_cast<int>(hn::MaxLanes(d))) {
    const Vector place = hn::Load(d, t + first);
    const Vector square = hn::Mul(place, place);
    const T *even = table.even.data() + (table.half - 1) * KernelTable<T>::max_pairs,
            *odd = table.odd.data() + (table.half - 1) * KernelTable<T>::max_pairs;
    Vector e[pairs], o[pairs];
    HWY_UNROLL(16)
    for (int i = 0; i < pairs; ++i) {
      e[i] = hn::Set(d, even[i]);
      o[i] = hn::Set(d, odd[i]);
    }
    for (int term = table.half - 1; term > 0; --term) {
      even -= KernelTable<T>::max_pairs;
      odd -= KernelTable<T>::max_pairs;
      HWY_UNROLL(16)
      for (int i = 0; i < pairs; ++i) {
        e[i] = hn::MulAdd(e[i], square, hn::Set(d, even[i]));
        o[i] = hn::MulAdd(o[i], square, hn::Set(d, odd[i]));
      }
    }
    HWY_UNROLL(16)
    for (int i = 0; i < pairs; ++i) {
      hn::Store(hn::MulAdd(place, o[i], e[i]), d, values + i * chunk_points + first);
      if (W - 1 - i != i) hn::Store(hn::NegMulAdd(place, o[i], e[i]), d, values + (W - 1 - i) * chunk_points + first);
    }
  }
}

// `points` must be readable for a whole chunk: a short one is copied by the caller and filled up.
template <class T, int D, int W>
HWY_INLINE void evaluate_chunk(const KernelTable<T>& table, const PackedPoint<T, D>* points, Chunk<T, D, W>& chunk) {
  evaluate_x<T, D, W>(table, points, chunk);
  for (int axis = 1; axis < D; ++axis) {
    alignas(64) T t[chunk_points];
    for (int p = 0; p < chunk_points; ++p) t[p] = points[p].t[axis];
    evaluate_pairs<T, W>(table, t, chunk.other + (axis - 1) * W * chunk_points);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#endif
