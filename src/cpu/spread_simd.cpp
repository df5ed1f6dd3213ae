#include "cpu/simd.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/spread_simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "core/dispatch.hpp"
#include "cpu/kernel_eval-inl.hpp"
#include "cpu/point_run-inl.hpp"
#include "cpu/point_run.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {

// cells[0 .. w) += row * factor, in whole vectors: past w the row holds zeros.
template <class T, int W>
HWY_INLINE void add_row(const typename Row<T, W>::Vector* row, typename Row<T, W>::Vector factor, T* cells) {
  const typename Row<T, W>::Tag d;
  for (int v = 0; v < Row<T, W>::vectors; ++v) {
    T* target = cells + v * Row<T, W>::lanes;
    hn::StoreU(hn::MulAdd(row[v], factor, hn::LoadU(d, target)), d, target);
  }
}

template <class T, int W>
HWY_INLINE void add_plane(const typename Row<T, W>::Vector* row, const T* y, T* cells, std::int64_t row_reals) {
  const typename Row<T, W>::Tag d;
  HWY_UNROLL(16)
  for (int i = 0; i < W; ++i) add_row<T, W>(row, hn::Set(d, y[i * chunk_points]), cells + i * row_reals);
}

// Point p of the chunk adds its strength to the cells from `cells` on.
template <class T, int D, int W>
HWY_INLINE void spread_point(const Chunk<T, D, W>& chunk, int p, std::complex<T> strength, T* cells,
                             const SpreadRun<T>& run) {
  using R = Row<T, W>;
  const typename R::Tag d;
  const auto complex = hn::OddEven(hn::Set(d, strength.imag()), hn::Set(d, strength.real()));
  typename R::Vector row[R::vectors], scaled[R::vectors];
  for (int v = 0; v < R::vectors; ++v) row[v] = hn::Mul(hn::Load(d, chunk.x[p] + v * R::lanes), complex);
  if constexpr (D == 1) add_row<T, W>(row, hn::Set(d, T{1}), cells);
  if constexpr (D == 2) add_plane<T, W>(row, chunk.other[0][0] + p, cells, 2 * run.row_stride);
  if constexpr (D == 3) {
    for (int i = 0; i < W; ++i) {
      const auto z = hn::Set(d, chunk.other[1][i][p]);
      for (int v = 0; v < R::vectors; ++v) scaled[v] = hn::Mul(row[v], z);
      add_plane<T, W>(scaled, chunk.other[0][0] + p, cells + i * 2 * run.plane_stride, 2 * run.row_stride);
    }
  }
}

template <class T, int D, int W> HWY_NOINLINE void spread_points(const SpreadRun<T>& run) {
  Chunk<T, D, W> chunk;
  for_each_chunk<T, D>(run, [&](const PackedPoint<T, D>* points, int count) {
    evaluate_chunk<T, D, W>(*run.table, points, chunk);
    for (std::int64_t vector = 0; vector < run.batch; ++vector) {
      const std::complex<T>* strengths = run.strengths + vector * run.strength_stride;
      T* cells = reinterpret_cast<T*>(run.cells + vector * run.cell_stride);
      for (int p = 0; p < count; ++p)
        spread_point<T, D, W>(chunk, p, strengths[points[p].index], cells + 2 * std::int64_t{points[p].cell}, run);
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
