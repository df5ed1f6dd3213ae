#include "cpu/simd.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/sort/fold.cpp"
#include <hwy/foreach_target.h>
#include <cstdint>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "cpu/pointwise/double_double-inl.hpp"
#include "cpu/sort/fold.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {

inline void store_place(D64 d, V64 t, double* target) { hn::StoreU(t, d, target); }
inline void store_place(D64, V64 t, float* target) {
  const hn::Rebind<float, D64> df;
  hn::StoreU(hn::DemoteTo(df, t), df, target);
}

struct Folded {
  V64 first_cell, t;
};

// offset: from the point's window to its first cell, in [0, 1)
inline Folded place_in_cell(D64 d, V64 i0, V64 offset, V64 cells) {
  const V64 t = hn::MulSub(hn::Set(d, 2.0), offset, hn::Set(d, 1.0));
  const V64 wrapped = hn::IfThenElse(hn::Lt(i0, hn::Zero(d)), hn::Add(i0, cells), i0);
  return {wrapped, t};
}

// The parts that are too small for one double (tail, low) are added last, where the sum has become small.
inline Folded fold(D64 d, V64 x, const FoldAxis& axis) {
  const V64 cells = hn::Set(d, axis.cells), half_width = hn::Set(d, axis.half_width), rate = hn::Set(d, axis.map.rate);
  const V64 centre = hn::Set(d, axis.map.centre), from_centre = hn::Sub(x, centre);
  const V64 turns = hn::Mul(from_centre, rate);
  V64 tail = hn::MulAdd(from_centre, hn::Set(d, axis.map.rate_low), product_error(d, from_centre, rate, turns));
  if (axis.map.centre != 0) tail = hn::MulAdd(difference_error(x, centre, from_centre), rate, tail);
  const V64 fraction = hn::Sub(turns, hn::Round(turns));
  const V64 g = hn::Mul(fraction, cells);
  const V64 low = hn::MulAdd(tail, cells, product_error(d, fraction, cells, g));
  const V64 i0 = hn::Ceil(hn::Sub(g, half_width));
  const V64 offset = hn::Add(hn::Sub(hn::Sub(i0, g), low), half_width);  // [0, 1)
  return place_in_cell(d, i0, offset, cells);
}

// Without the small parts. Turns are good to 2^-50 where there are few of them, t to 2^-27 on a grid that is not too long:
// single precision cannot tell.
constexpr double few_turns = 4, few_cells = 0x1p22;
inline Folded fold_near(D64 d, V64 x, const FoldAxis& axis) {
  const V64 cells = hn::Set(d, axis.cells), half_width = hn::Set(d, axis.half_width);
  const V64 turns = hn::Mul(x, hn::Set(d, axis.map.rate));
  const V64 g = hn::MulSub(hn::Sub(turns, hn::Round(turns)), cells, half_width);
  const V64 i0 = hn::Ceil(g);
  return place_in_cell(d, i0, hn::Sub(i0, g), cells);
}

enum class Reach { near, any };
template <Reach reach> Folded fold_by(D64 d, V64 x, const FoldAxis& axis) {
  return reach == Reach::near ? fold_near(d, x, axis) : fold(d, x, axis);
}

// Whether points in single precision may be folded that way where they are near.
template <class T> bool may_be_near(const FoldPlan& plan) {
  bool all = sizeof(T) == 4;
  for (int a = 0; a < plan.dim; ++a) all = all && plan.axis[a].map.centre == 0 && plan.axis[a].cells <= few_cells;
  return all;
}

using D32 = hn::Rebind<std::uint32_t, D64>;

// Whole numbers below 2^32: added to 2^52, they stand in the lowest bits.
inline hn::VFromD<D32> to_u32(D64 d, V64 whole) {
  const hn::RebindToUnsigned<D64> du;
  return hn::TruncateTo(D32(), hn::BitCast(du, hn::Add(whole, hn::Set(d, 0x1p52))));
}

// Where a coordinate is too large, or is not a number, nothing of its chunk is of use.
using Mask = hn::MFromD<D64>;
inline Mask all_true(D64 d) { return hn::Eq(hn::Zero(d), hn::Zero(d)); }
template <Reach reach> Mask in_range(D64 d, V64 x, const FoldAxis& axis) {
  const double near = std::min(axis.map.largest, few_turns / std::abs(axis.map.rate));
  return hn::Le(hn::Abs(x), hn::Set(d, reach == Reach::near ? near : axis.map.largest));
}

enum class Want { keys, all };

template <Want want, Reach reach, class T>
bool fold_chunk_of(const FoldPlan& plan, const Points<T>& points, FoldedChunk<T>& out) {
  const D64 d;
  Mask good = all_true(d);
  for (std::int64_t i = 0; i < points.count; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    V64 key = hn::Zero(d), cell = hn::Zero(d);
    for (int a = 0; a < plan.dim; ++a) {
      const FoldAxis& axis = plan.axis[a];
      const V64 x = load_as_double(d, points.axis[a] + i);
      good = hn::And(good, in_range<reach>(d, x, axis));
      const Folded folded = fold_by<reach>(d, x, axis);
      const V64 block = hn::Floor(hn::Mul(folded.first_cell, hn::Set(d, axis.inverse_block)));
      const V64 inside = hn::NegMulAdd(block, hn::Set(d, axis.block), folded.first_cell);
      const V64 box = hn::Floor(hn::Mul(inside, hn::Set(d, axis.inverse_box)));
      key = hn::MulAdd(block, hn::Set(d, axis.block_weight), hn::MulAdd(box, hn::Set(d, axis.box_weight), key));
      if constexpr (want == Want::keys) continue;
      store_place(d, folded.t, out.t[a] + i);
      cell = hn::MulAdd(inside, hn::Set(d, axis.cell_weight), cell);
    }
    hn::StoreU(to_u32(d, key), D32(), out.key + i);
    if constexpr (want == Want::all) hn::StoreU(to_u32(d, cell), D32(), out.cell + i);
  }
  return hn::AllTrue(d, good);
}

template <Want want, class T> bool fold_chunk_simd(const FoldPlan& plan, const Points<T>& points, FoldedChunk<T>& out) {
  if (may_be_near<T>(plan) && fold_chunk_of<want, Reach::near>(plan, points, out)) return true;
  return fold_chunk_of<want, Reach::any>(plan, points, out);
}

using V32 = hn::VFromD<D32>;
inline void store_packed(V64 t, V32 cell, V32 index, PackedPoint<float, 1>* packed) {
  const auto place = hn::BitCast(D32(), hn::DemoteTo(hn::Rebind<float, D64>(), t));
  hn::StoreInterleaved3(place, cell, index, D32(), reinterpret_cast<std::uint32_t*>(packed));
}
inline void store_packed(V64 t, V32 cell, V32 index, PackedPoint<double, 1>* packed) {
  const hn::RebindToUnsigned<D64> du;
  const auto both = hn::Or(hn::PromoteTo(du, cell), hn::ShiftLeft<32>(hn::PromoteTo(du, index)));
  hn::StoreInterleaved2(hn::BitCast(du, t), both, du, reinterpret_cast<std::uint64_t*>(packed));
}

template <Reach reach, class T>
bool fold_in_order_of(const FoldPlan& plan, const Points<T>& points, std::int64_t first, PackedPoint<T, 1>* packed) {
  const D64 d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Mask good = all_true(d);
  V32 index = hn::Add(hn::Set(D32(), static_cast<std::uint32_t>(first)), hn::Iota(D32(), 0));
  for (std::int64_t i = 0; i < points.count; i += lanes) {
    const V64 x = load_as_double(d, points.axis[0] + i);
    good = hn::And(good, in_range<reach>(d, x, plan.axis[0]));
    const Folded folded = fold_by<reach>(d, x, plan.axis[0]);
    store_packed(folded.t, to_u32(d, folded.first_cell), index, packed + i);
    index = hn::Add(index, hn::Set(D32(), static_cast<std::uint32_t>(lanes)));
  }
  return hn::AllTrue(d, good);
}

template <class T>
bool fold_in_order_simd(const FoldPlan& plan, const Points<T>& points, std::int64_t first, PackedPoint<T, 1>* packed) {
  if (may_be_near<T>(plan) && fold_in_order_of<Reach::near>(plan, points, first, packed)) return true;
  return fold_in_order_of<Reach::any>(plan, points, first, packed);
}

bool fold_all_f32(const FoldPlan& plan, const Points<float>& points, FoldedChunk<float>& out) {
  return fold_chunk_simd<Want::all>(plan, points, out);
}
bool fold_all_f64(const FoldPlan& plan, const Points<double>& points, FoldedChunk<double>& out) {
  return fold_chunk_simd<Want::all>(plan, points, out);
}
bool fold_keys_f32(const FoldPlan& plan, const Points<float>& points, FoldedChunk<float>& out) {
  return fold_chunk_simd<Want::keys>(plan, points, out);
}
bool fold_keys_f64(const FoldPlan& plan, const Points<double>& points, FoldedChunk<double>& out) {
  return fold_chunk_simd<Want::keys>(plan, points, out);
}
bool fold_in_order_f32(const FoldPlan& plan, const Points<float>& points, std::int64_t first,
                       PackedPoint<float, 1>* packed) {
  return fold_in_order_simd(plan, points, first, packed);
}
bool fold_in_order_f64(const FoldPlan& plan, const Points<double>& points, std::int64_t first,
                       PackedPoint<double, 1>* packed) {
  return fold_in_order_simd(plan, points, first, packed);
}

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace offgrid::cpu {
namespace {

HWY_EXPORT(fold_all_f32);
HWY_EXPORT(fold_all_f64);
HWY_EXPORT(fold_keys_f32);
HWY_EXPORT(fold_keys_f64);
HWY_EXPORT(fold_in_order_f32);
HWY_EXPORT(fold_in_order_f64);

// The coordinates, and zeros behind them; false where one cannot be folded.
template <class T> bool fill_up(const T* x, std::int64_t count, double largest, T* filled) {
  bool good = true;
  for (std::int64_t i = 0; i < count; ++i) good = good && std::abs(static_cast<double>(x[i])) <= largest;
  std::copy_n(x, count, filled);
  std::fill_n(filled + count, fold_chunk - count, T{0});
  return good;
}

// Coordinates of a chunk that is shorter than the others, filled up.
template <class T> struct Patch { alignas(64) T axis[max_dim][fold_chunk]; };

// fold(points) on the coordinates filled up to a whole chunk.
template <class T, class Fold> bool fold_patched(const FoldPlan& plan, Points<T> chunk, Fold&& fold) {
  Patch<T> patch;
  for (int axis = 0; axis < plan.dim; ++axis) {
    if (!fill_up(chunk.axis[axis], chunk.count, plan.axis[axis].map.largest, patch.axis[axis])) return false;
    chunk.axis[axis] = patch.axis[axis];
  }
  return fold(chunk);
}

}  // namespace

template <class T>
bool fold_points(const FoldPlan& plan, const Points<T>& points, ChunkOfPoints which, FoldedChunk<T>& folded) {
  const auto fold = [&](const Points<T>& chunk) {
    if constexpr (sizeof(T) == 4)
      return HWY_DYNAMIC_DISPATCH(fold_all_f32)(plan, chunk, folded);
    else
      return HWY_DYNAMIC_DISPATCH(fold_all_f64)(plan, chunk, folded);
  };
  const Points<T> chunk = points.part(which.first, which.count);
  return which.count == fold_chunk ? fold(chunk) : fold_patched(plan, chunk, fold);
}

template <class T>
bool fold_keys(const FoldPlan& plan, const Points<T>& points, ChunkOfPoints which, FoldedChunk<T>& folded) {
  const auto fold = [&](const Points<T>& chunk) {
    if constexpr (sizeof(T) == 4)
      return HWY_DYNAMIC_DISPATCH(fold_keys_f32)(plan, chunk, folded);
    else
      return HWY_DYNAMIC_DISPATCH(fold_keys_f64)(plan, chunk, folded);
  };
  const Points<T> chunk = points.part(which.first, which.count);
  return which.count == fold_chunk ? fold(chunk) : fold_patched(plan, chunk, fold);
}

template <class T>
bool fold_in_order(const FoldPlan& plan, const Points<T>& points, ChunkOfPoints which, PackedPoint<T, 1>* packed) {
  const auto fold_to = [&](PackedPoint<T, 1>* target) {
    return [&plan, &which, target](const Points<T>& chunk) {
      if constexpr (sizeof(T) == 4)
        return HWY_DYNAMIC_DISPATCH(fold_in_order_f32)(plan, chunk, which.first, target);
      else
        return HWY_DYNAMIC_DISPATCH(fold_in_order_f64)(plan, chunk, which.first, target);
    };
  };
  const Points<T> chunk = points.part(which.first, which.count);
  if (which.count == fold_chunk) return fold_to(packed)(chunk);
  PackedPoint<T, 1> whole[fold_chunk];  // vectors end past a short chunk
  if (!fold_patched(plan, chunk, fold_to(whole))) return false;
  std::copy_n(whole, which.count, packed);
  return true;
}

template bool fold_points(const FoldPlan&, const Points<float>&, ChunkOfPoints, FoldedChunk<float>&);
template bool fold_points(const FoldPlan&, const Points<double>&, ChunkOfPoints, FoldedChunk<double>&);
template bool fold_keys(const FoldPlan&, const Points<float>&, ChunkOfPoints, FoldedChunk<float>&);
template bool fold_keys(const FoldPlan&, const Points<double>&, ChunkOfPoints, FoldedChunk<double>&);
template bool fold_in_order(const FoldPlan&, const Points<float>&, ChunkOfPoints, PackedPoint<float, 1>*);
template bool fold_in_order(const FoldPlan&, const Points<double>&, ChunkOfPoints, PackedPoint<double, 1>*);

}  // namespace offgrid::cpu
#endif
