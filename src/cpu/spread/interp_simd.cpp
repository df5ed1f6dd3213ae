#include "cpu/simd.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/spread/interp_simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "core/dispatch.hpp"
#include "cpu/spread/kernel_eval-inl.hpp"
#include "cpu/spread/point_run-inl.hpp"
#include "cpu/spread/point_run.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {

// Adds up the complex numbers of a vector: halves it until one is left.
template <class D, class V> HWY_INLINE std::complex<hn::TFromD<D>> sum_complex(D d, V v) {
  using T = hn::TFromD<D>;
  if constexpr (hn::MaxLanes(D()) == 2) {
    alignas(16) T parts[2];
    hn::Store(v, d, parts);
    return {parts[0], parts[1]};
  } else {
    const hn::Half<D> half;
    return sum_complex(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// sum = sum over the rows of a plane of row * y
template <class T, int W, int Vectors>
HWY_INLINE void sum_plane(const T* cells, std::int64_t row_reals, const T* y, typename Row<T, W>::Vector* sum) {
  using R = Row<T, W>;
  const typename R::Tag d;
  HWY_UNROLL(16)
  for (int v = 0; v < Vectors; ++v) sum[v] = hn::Mul(hn::Load(d, cells + v * R::lanes), hn::Set(d, y[0]));
  HWY_UNROLL(16)
  for (int i = 1; i < W; ++i) {
    const auto factor = hn::Set(d, y[i * chunk_points]);
    cells = next_row(cells, row_reals);
    HWY_UNROLL(16)
    for (int v = 0; v < Vectors; ++v) sum[v] = hn::MulAdd(hn::Load(d, cells + v * R::lanes), factor, sum[v]);
  }
}

// What point p of the chunk reads, in 3D from its planes from `first` on.
template <class T, int D, int W, int Vectors>
HWY_INLINE std::complex<T> interpolate_planes(const Chunk<T, D, W>& chunk, int p, int first, const T* cells,
                                              const InterpRun<T>& run) {
  using R = Row<T, W>;
  const typename R::Tag d;
  typename R::Vector sum[Vectors], plane[Vectors];
  HWY_UNROLL(16)
  for (int v = 0; v < Vectors; ++v) sum[v] = D == 1 ? hn::Load(d, cells + v * R::lanes) : hn::Zero(d);
  if constexpr (D == 2) sum_plane<T, W, Vectors>(cells, 2 * run.row_stride, chunk.along(1, p), sum);
  if constexpr (D == 3) {
    for (int i = first; i < first + planes_at_once<T, D, W>; ++i) {
      sum_plane<T, W, Vectors>(cells + i * 2 * run.plane_stride, 2 * run.row_stride, chunk.along(1, p), plane);
      const auto z = hn::Set(d, chunk.along(2, p)[i * chunk_points]);
      HWY_UNROLL(16)
      for (int v = 0; v < Vectors; ++v) sum[v] = hn::MulAdd(plane[v], z, sum[v]);
    }
  }
  auto total = hn::Mul(sum[0], hn::Load(d, chunk.x[p]));
  HWY_UNROLL(16)
  for (int v = 1; v < Vectors; ++v) total = hn::MulAdd(sum[v], hn::Load(d, chunk.x[p] + v * R::lanes), total);
  return sum_complex(d, total);
}

template <class T, int D, int W> HWY_NOINLINE void interpolate_points(const InterpRun<T>& run) {
  Chunk<T, D, W> chunk;
  std::complex<T> sums[chunk_points];
  for_each_chunk<T, D>(run, [&](const PackedPoint<T, D>* points, int count) {
    evaluate_chunk<T, D, W>(*run.table, points, chunk);
    for (std::int64_t vector = 0; vector < run.batch; ++vector) {
      const T* cells = reinterpret_cast<const T*>(run.cells + vector * run.cell_stride);
      std::fill_n(sums, count, std::complex<T>{});
      for_each_row_shape<T, D, W>(points, count, [&](auto vectors, int p, int first) {
        const T* source = cells + aligned_real<T, D, W>(points[p]);
        sums[p] += interpolate_planes<T, D, W, vectors()>(chunk, p, first, source, run);
      });
      for (int p = 0; p < count; ++p) run.strengths[vector * run.strength_stride + points[p].index] = sums[p];
    }
  });
}

template <class T> void interpolate_any(const InterpRun<T>& run) {
  dispatch<1, max_dim>(run.dim, [&](auto dim) {
    dispatch<2, 16>(run.width, [&](auto width) { interpolate_points<T, dim(), width()>(run); });
  });
}

void interpolate_run_f32(const InterpRun<float>& run) { interpolate_any(run); }
void interpolate_run_f64(const InterpRun<double>& run) { interpolate_any(run); }

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace offgrid::cpu {

HWY_EXPORT(interpolate_run_f32);
HWY_EXPORT(interpolate_run_f64);

template <> void interpolate_run(const InterpRun<float>& run) { HWY_DYNAMIC_DISPATCH(interpolate_run_f32)(run); }
template <> void interpolate_run(const InterpRun<double>& run) { HWY_DYNAMIC_DISPATCH(interpolate_run_f64)(run); }

}  // namespace offgrid::cpu
#endif
