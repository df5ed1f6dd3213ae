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

#include "cpu/point_run.hpp"
#include "cpu/policy.hpp"
#include "cpu/sort.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {

// body(points, count) with chunk_points readable points each time; a short chunk is filled up with copies of its last
// one.
template <class T, int D, class Run, class F> HWY_INLINE void for_each_chunk(const Run& run, F&& body) {
  const auto* points = reinterpret_cast<const PackedPoint<T, D>*>(run.points);
  std::int64_t first = 0;
  for (; first + 2 * chunk_points <= run.count; first += chunk_points) {
    // Strengths lie in the caller's order: ask for the next chunk's while this one is worked on.
    for (int p = 0; p < chunk_points; ++p) hwy::Prefetch(run.strengths + points[first + chunk_points + p].index);
    body(points + first, chunk_points);
  }
  for (; first < run.count; first += chunk_points) {
    const int count = static_cast<int>(std::min<std::int64_t>(chunk_points, run.count - first));
    PackedPoint<T, D> padded[chunk_points];
    for (int p = 0; p < chunk_points; ++p) padded[p] = points[first + std::min(p, count - 1)];
    body(padded, count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#endif
