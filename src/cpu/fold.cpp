#include "cpu/simd.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/fold.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <cmath>
#include <numbers>

#include "cpu/fold.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<double>;
using V64 = hn::VFromD<D64>;

// 1 / (2 pi) = turn_high + turn_low to 106 bits.
constexpr double turn_high = 0x1.45f306dc9c883p-3, turn_low = -0x1.6b01ec5417056p-57;

inline V64 load_as_double(D64 d, const double* source) { return hn::LoadU(d, source); }
inline V64 load_as_double(D64 d, const float* source) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D64>(), source));
}
inline void store_place(D64 d, V64 t, double* target) { hn::StoreU(t, d, target); }
inline void store_place(D64, V64 t, float* target) {
  const hn::Rebind<float, D64> df;
  hn::StoreU(hn::DemoteTo(df, t), df, target);
}

struct Folded {
  V64 first_cell, t;
};

// The parts that are too small for one double (tail, low) are added last, where the sum has become small.
inline Folded fold(D64 d, V64 x, const FoldAxis& axis) {
  const V64 cells = hn::Set(d, axis.cells), half_width = hn::Set(d, axis.half_width);
  const V64 turns = hn::Mul(x, hn::Set(d, turn_high));
  const V64 tail = hn::MulAdd(x, hn::Set(d, turn_low), hn::MulSub(x, hn::Set(d, turn_high), turns));
  const V64 fraction = hn::Sub(turns, hn::Round(turns));
  const V64 g = hn::Mul(fraction, cells);
  const V64 low = hn::MulAdd(tail, cells, hn::MulSub(fraction, cells, g));
  const V64 i0 = hn::Ceil(hn::Sub(g, half_width));
  const V64 offset = hn::Add(hn::Sub(hn::Sub(i0, g), low), half_width);  // [0, 1)
  const V64 t = hn::MulSub(hn::Set(d, 2.0), offset, hn::Set(d, 1.0));
  const V64 wrapped = hn::IfThenElse(hn::Lt(i0, hn::Zero(d)), hn::Add(i0, cells), i0);
  return {wrapped, t};
}

// False where a coordinate lies outside the exact range, or is not a number: what was written is then of no use.
template <class T>
bool fold_chunk_simd(const FoldPlan& plan, const Points<T>& points, std::int64_t count, FoldedChunk<T>& out) {
  const D64 d;
  auto good = hn::Eq(hn::Zero(d), hn::Zero(d));
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += lanes) {
    V64 key = hn::Zero(d), cell = hn::Zero(d);
    for (int a = 0; a < plan.dim; ++a) {
      const FoldAxis& axis = plan.axis[a];
      const V64 x = load_as_double(d, points.axis[a] + i);
      good = hn::And(good, hn::Le(hn::Abs(x), hn::Set(d, exact_range)));
      const Folded folded = fold(d, x, axis);
      store_place(d, folded.t, out.t[a] + i);
      const V64 block = hn::Floor(hn::Mul(folded.first_cell, hn::Set(d, axis.inverse_block)));
      const V64 inside = hn::NegMulAdd(block, hn::Set(d, axis.block), folded.first_cell);
      const V64 box = hn::Floor(hn::Mul(inside, hn::Set(d, axis.inverse_box)));
      key = hn::MulAdd(block, hn::Set(d, axis.block_weight), hn::MulAdd(box, hn::Set(d, axis.box_weight), key));
      cell = hn::MulAdd(inside, hn::Set(d, axis.cell_weight), cell);
    }
    hn::Store(key, d, out.key + i);
    hn::Store(cell, d, out.cell + i);
  }
  return hn::AllTrue(d, good);
}

bool fold_chunk_f32(const FoldPlan& plan, const Points<float>& points, std::int64_t count, FoldedChunk<float>& out) {
  return fold_chunk_simd(plan, points, count, out);
}
bool fold_chunk_f64(const FoldPlan& plan, const Points<double>& points, std::int64_t count, FoldedChunk<double>& out) {
  return fold_chunk_simd(plan, points, count, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace offgrid::cpu {
namespace {

HWY_EXPORT(fold_chunk_f32);
HWY_EXPORT(fold_chunk_f64);

template <class T> bool fold_chunk_now(const FoldPlan& plan, const Points<T>& points, FoldedChunk<T>& out) {
  if constexpr (sizeof(T) == 4)
    return HWY_DYNAMIC_DISPATCH(fold_chunk_f32)(plan, points, points.count, out);
  else
    return HWY_DYNAMIC_DISPATCH(fold_chunk_f64)(plan, points, points.count, out);
}

// Coordinates of one chunk, copied where they need help: a short last vector, or values out of the exact range.
template <class T> struct Patch { alignas(64) T axis[max_dim][fold_chunk]; };

template <class T> bool bring_near(const T* x, std::int64_t count, T* near) {
  bool finite = true;
  for (std::int64_t i = 0; i < fold_chunk; ++i) {
    const double value = i < count ? static_cast<double>(x[i]) : 0.0;
    finite = finite && std::isfinite(value);
    near[i] = static_cast<T>(std::abs(value) <= exact_range ? value : std::remainder(value, 2 * std::numbers::pi));
  }
  return finite;
}

}  // namespace

template <class T>
bool fold_points(const FoldPlan& plan, const Points<T>& points, std::int64_t first, std::int64_t count,
                 FoldedChunk<T>& folded) {
  Points<T> chunk{count, {}};
  for (int axis = 0; axis < plan.dim; ++axis) chunk.axis[axis] = points.axis[axis] + first;
  if (count == fold_chunk && fold_chunk_now(plan, chunk, folded)) return true;
  Patch<T> patch;
  for (int axis = 0; axis < plan.dim; ++axis) {
    if (!bring_near(chunk.axis[axis], count, patch.axis[axis])) return false;
    chunk.axis[axis] = patch.axis[axis];
  }
  return fold_chunk_now(plan, chunk, folded);
}

template bool fold_points(const FoldPlan&, const Points<float>&, std::int64_t, std::int64_t, FoldedChunk<float>&);
template bool fold_points(const FoldPlan&, const Points<double>&, std::int64_t, std::int64_t, FoldedChunk<double>&);

}  // namespace offgrid::cpu
#endif
