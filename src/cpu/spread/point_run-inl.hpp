// Walks over a run of sorted points in chunks; included once a target (Highway).
#if defined(OFFGRID_CPU_POINT_RUN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef OFFGRID_CPU_POINT_RUN_INL
#undef OFFGRID_CPU_POINT_RUN_INL
#else
#define OFFGRID_CPU_POINT_RUN_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "cpu/policy.hpp"
#include "cpu/sort/sort.hpp"
#include "cpu/spread/kernel_eval-inl.hpp"
#include "cpu/spread/point_run.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {

// body(points, count) with chunk_points readable points each time; a short chunk is filled up with copies of its last
// one.
template <class T, int D, class Run, class F> HWY_INLINE void for_each_chunk(const Run& run, F&& body) {
  const auto* points = reinterpret_cast<const PackedPoint<T, D>*>(run.points);
  PackedPoint<T, D> padded[chunk_points];
  for (std::int64_t left = run.count; left > 0; left -= chunk_points, points += chunk_points) {
    const int count = static_cast<int>(std::min<std::int64_t>(chunk_points, left));
    if (count == chunk_points) {
      // Strengths lie in the caller's order: ask for the next chunk's while this one is worked on.
      const auto ahead = static_cast<int>(std::min<std::int64_t>(chunk_points, left - chunk_points));
      for (int p = 0; p < ahead; ++p) hwy::Prefetch(run.strengths + points[chunk_points + p].index);
    } else {
      for (int p = 0; p < chunk_points; ++p) padded[p] = points[std::min(p, count - 1)];
    }
    body(count == chunk_points ? points : padded, count);
  }
}

// Whether to branch on how many vectors a point's rows touch: a misprediction costs about as much as 16 vectors.
template <class T, int D, int W> constexpr bool rows_vary = Row<T, W>::values != Row<T, W>::vectors&& D == 3 && W >= 4;

// body(vectors) with the number of vectors, a compile-time constant, that the point's rows touch.
template <class T, int D, int W, class F> HWY_INLINE void with_row_vectors(const PackedPoint<T, D>& point, F&& body) {
  using R = Row<T, W>;
  if constexpr (rows_vary<T, D, W>) {
    if (static_cast<int>(point.cell % R::cells) + W <= R::values * R::cells) {
      body(std::integral_constant<int, R::values>());
      return;
    }
  }
  body(std::integral_constant<int, R::vectors>());
}

// The next row, by a step that the compiler cannot see through: left to itself, GCC precomputes the addresses of all rows
// of an unrolled loop and spills them.
template <class Real> HWY_INLINE Real* next_row(Real* row, std::int64_t reals) {
  row += reals;
  asm volatile("" : "+r"(row));
  return row;
}

// First real of the vector that the point's first cell lies in.
template <class T, int D, int W> HWY_INLINE std::int64_t aligned_real(const PackedPoint<T, D>& point) {
  return 2 * std::int64_t{point.cell - point.cell % Row<T, W>::cells};
}

// In 3D the planes of a chunk's points are taken one after the other where all of a point's cells at once would not leave
// room for its neighbours' in the first-level cache.
template <class T, int D, int W> constexpr int planes_at_once = W* W* W * sizeof(std::complex<T>) > 20 * 1024 ? 1 : W;

// body(vectors, p, first) for the points of a chunk, and in 3D for each group of planes, `first` being its first plane.
template <class T, int D, int W, class F>
HWY_INLINE void for_each_row_shape(const PackedPoint<T, D>* points, int count, F&& body) {
  for (int first = 0; first < (D == 3 ? W : 1); first += planes_at_once<T, D, W>)
    for (int p = 0; p < count; ++p)
      with_row_vectors<T, D, W>(points[p], [&](auto vectors) { body(vectors, p, first); });
}

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#endif
