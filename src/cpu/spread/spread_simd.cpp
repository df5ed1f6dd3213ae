#include "cpu/simd.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/spread/spread_simd.cpp"
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

// cells += row * factor
template <class T, int W, int Vectors>
HWY_INLINE void add_row(const typename Row<T, W>::Vector* row, typename Row<T, W>::Vector factor, T* cells) {
  const typename Row<T, W>::Tag d;
  HWY_UNROLL(16)
  for (int v = 0; v < Vectors; ++v) {
    T* target = cells + v * Row<T, W>::lanes;
    hn::Store(hn::MulAdd(row[v], factor, hn::Load(d, target)), d, target);
  }
}

template <class T, int W, int Vectors>
HWY_INLINE void add_plane(const typename Row<T, W>::Vector* row, const T* y, T* cells, std::int64_t row_reals) {
  const typename Row<T, W>::Tag d;
  HWY_UNROLL(16)
  for (int i = 0; i < W; ++i) {
    add_row<T, W, Vectors>(row, hn::Set(d, y[i * chunk_points]), cells);
    cells = next_row(cells, row_reals);
  }
}

// Point p of the chunk, in 3D its planes from `first` on. x: its kernel values times its strength.
template <class T, int D, int W, int Vectors>
HWY_INLINE void spread_planes(const Chunk<T, D, W>& chunk, int p, int first, const T* x, T* cells,
                              const SpreadRun<T>& run) {
  using R = Row<T, W>;
  const typename R::Tag d;
  typename R::Vector row[Vectors], scaled[Vectors];
  HWY_UNROLL(16)
  for (int v = 0; v < Vectors; ++v) row[v] = hn::Load(d, x + v * R::lanes);
  if constexpr (D == 1) add_row<T, W, Vectors>(row, hn::Set(d, T{1}), cells);
  if constexpr (D == 2) add_plane<T, W, Vectors>(row, chunk.along(1, p), cells, 2 * run.row_stride);
  if constexpr (D == 3) {
    for (int i = first; i < first + planes_at_once<T, D, W>; ++i) {
      const auto z = hn::Set(d, chunk.along(2, p)[i * chunk_points]);
      HWY_UNROLL(16)
      for (int v = 0; v < Vectors; ++v) scaled[v] = hn::Mul(row[v], z);
      add_plane<T, W, Vectors>(scaled, chunk.along(1, p), cells + i * 2 * run.plane_stride, 2 * run.row_stride);
    }
  }
}

template <class T, int W> using ScaledRows = T[chunk_points][Row<T, W>::reals];

// scaled = the rows of the chunk, multiplied by the points' strengths
template <class T, int D, int W>
HWY_INLINE void scale_rows(const Chunk<T, D, W>& chunk, const PackedPoint<T, D>* points, int count,
                           const std::complex<T>* strengths, ScaledRows<T, W>& scaled) {
  using R = Row<T, W>;
  const typename R::Tag d;
  for (int p = 0; p < count; ++p) {
    const std::complex<T> c = strengths[points[p].index];
    const auto pair = hn::OddEven(hn::Set(d, c.imag()), hn::Set(d, c.real()));
    HWY_UNROLL(16)
    for (int v = 0; v < R::vectors; ++v)
      hn::Store(hn::Mul(hn::Load(d, chunk.x[p] + v * R::lanes), pair), d, scaled[p] + v * R::lanes);
  }
}

template <class T, int D, int W> HWY_NOINLINE void spread_points(const SpreadRun<T>& run) {
  Chunk<T, D, W> chunk;
  alignas(64) ScaledRows<T, W> scaled;
  for_each_chunk<T, D>(run, [&](const PackedPoint<T, D>* points, int count) {
    evaluate_chunk<T, D, W>(*run.table, points, chunk);
    for (std::int64_t vector = 0; vector < run.batch; ++vector) {
      scale_rows<T, D, W>(chunk, points, count, run.strengths + vector * run.strength_stride, scaled);
      T* cells = reinterpret_cast<T*>(run.cells + vector * run.cell_stride);
      for_each_row_shape<T, D, W>(points, count, [&](auto vectors, int p, int first) {
        T* target = cells + aligned_real<T, D, W>(points[p]);
        if constexpr (D == 1) target += p % row_copies * 2 * run.copy_stride;
        spread_planes<T, D, W, vectors()>(chunk, p, first, scaled[p], target, run);
      });
    }
  });
}

template <class T> void spread_any(const SpreadRun<T>& run) {
  dispatch<1, max_dim>(run.dim, [&](auto dim) {
    dispatch<2, 16>(run.width, [&](auto width) { spread_points<T, dim(), width()>(run); });
  });
}

void spread_run_f32(const SpreadRun<float>& run) { spread_any(run); }
void spread_run_f64(const SpreadRun<double>& run) { spread_any(run); }

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace offgrid::cpu {

HWY_EXPORT(spread_run_f32);
HWY_EXPORT(spread_run_f64);

template <> void spread_run(const SpreadRun<float>& run) { HWY_DYNAMIC_DISPATCH(spread_run_f32)(run); }
template <> void spread_run(const SpreadRun<double>& run) { HWY_DYNAMIC_DISPATCH(spread_run_f64)(run); }

}  // namespace offgrid::cpu
#endif
