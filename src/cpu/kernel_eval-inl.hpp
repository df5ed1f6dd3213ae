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

#include "cpu/kernel_eval.hpp"
#include "cpu/policy.hpp"
#include "cpu/sort.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A row of W complex cells as whole vectors, as short as will do.
template <class T, int W> struct Row {
  using Tag = hn::CappedTag<T, std::bit_ceil(2U * W)>;
  using Vector = hn::VFromD<Tag>;
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(Tag()));
  static constexpr int vectors = (2 * W + lanes - 1) / lanes;
  static constexpr int reals = vectors * lanes;
};

// Kernel values of up to chunk_points points.
template <class T, int D, int W> struct Chunk {
  alignas(64) T x[chunk_points][Row<T, W>::reals];  // each value twice
  alignas(64) T other[D > 1 ? D - 1 : 1][W][chunk_points];
};

// How many points are evaluated together along x: enough independent chains to hide the latency of the multiply-add.
template <class T, int W> constexpr int x_group = Row<T, W>::vectors == 1 ? 8 : Row<T, W>::vectors == 2 ? 4 : 2;

template <class T, int D, int W>
HWY_INLINE void evaluate_x(const KernelTable<T>& table, const PackedPoint<T, D>* points, Chunk<T, D, W>& chunk) {
  using R = Row<T, W>;
  const typename R::Tag d;
  constexpr int group = x_group<T, W>;
  for (int first = 0; first < chunk_points; first += group) {
    typename R::Vector value[group][R::vectors];
    const T* row = table.rows.data() + table.degree * KernelTable<T>::row_reals;
    for (int p = 0; p < group; ++p)
      for (int v = 0; v < R::vectors; ++v) value[p][v] = hn::Load(d, row + v * R::lanes);
    for (int power = table.degree; power > 0; --power) {
      row -= KernelTable<T>::row_reals;
      for (int p = 0; p < group; ++p)
        for (int v = 0; v < R::vectors; ++v)
          value[p][v] = hn::MulAdd(value[p][v], hn::Set(d, points[first + p].t[0]), hn::Load(d, row + v * R::lanes));
    }
    for (int p = 0; p < group; ++p)
      for (int v = 0; v < R::vectors; ++v) hn::Store(value[p][v], d, chunk.x[first + p] + v * R::lanes);
  }
}

template <class T, int W>
HWY_INLINE void evaluate_pairs(const KernelTable<T>& table, const T* t, T (*values)[chunk_points]) {
  const hn::CappedTag<T, chunk_points> d;
  using Vector = hn::VFromD<decltype(d)>;
  constexpr int pairs = (W + 1) / 2;
  for (int first = 0; first < chunk_points; first += static_cast<int>(hn::MaxLanes(d))) {
    const Vector place = hn::Load(d, t + first);
    const Vector square = hn::Mul(place, place);
    const T *even = table.even.data() + (table.half - 1) * KernelTable<T>::max_pairs,
            *odd = table.odd.data() + (table.half - 1) * KernelTable<T>::max_pairs;
    Vector e[pairs], o[pairs];
    for (int i = 0; i < pairs; ++i) e[i] = hn::Set(d, even[i]), o[i] = hn::Set(d, odd[i]);
    for (int term = table.half - 1; term > 0; --term) {
      even -= KernelTable<T>::max_pairs, odd -= KernelTable<T>::max_pairs;
      for (int i = 0; i < pairs; ++i) {
        e[i] = hn::MulAdd(e[i], square, hn::Set(d, even[i]));
        o[i] = hn::MulAdd(o[i], square, hn::Set(d, odd[i]));
      }
    }
    for (int i = 0; i < pairs; ++i) {
      hn::Store(hn::MulAdd(place, o[i], e[i]), d, values[i] + first);
      if (W - 1 - i != i) hn::Store(hn::NegMulAdd(place, o[i], e[i]), d, values[W - 1 - i] + first);
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
    evaluate_pairs<T, W>(table, t, chunk.other[axis - 1]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#endif
