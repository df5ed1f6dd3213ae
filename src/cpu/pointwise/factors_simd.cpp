#include "cpu/simd.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/pointwise/factors_simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "cpu/pointwise/factors.hpp"
#include "cpu/pointwise/phases-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {

// Turns of points along an axis, less whole ones: what they lose to rounding is less than 1e-16.
HWY_INLINE V64 turns_at(D64 d, const FactorAxis& axis, V64 x) {
  const V64 centre = hn::Set(d, axis.centre), rate = hn::Set(d, axis.rate), from_centre = hn::Sub(x, centre);
  const V64 turns = hn::Mul(from_centre, rate);
  const V64 lost = hn::Mul(difference_error(x, centre, from_centre), rate);
  const V64 tail = hn::MulAdd(from_centre, hn::Set(d, axis.rate_low), lost);
  return hn::Add(hn::Sub(turns, hn::Round(turns)), hn::Add(product_error(d, from_centre, rate, turns), tail));
}

// The logarithm of the factors along an axis, by Clenshaw's recurrence.
HWY_INLINE V64 exponent_at(D64 d, const FactorRule& rule, const FactorAxis& axis, V64 x) {
  const V64 one = hn::Set(d, 1.0), two = hn::Set(d, 2.0);
  const V64 u = hn::Mul(hn::Sub(x, hn::Set(d, axis.centre)), hn::Set(d, axis.scale)), square = hn::Mul(u, u);
  const V64 s = hn::MulSub(two, hn::IfThenElse(hn::Lt(square, one), square, one), one), twice = hn::Mul(two, s);
  V64 next = hn::Zero(d), after = next;
  for (std::size_t j = static_cast<std::size_t>(rule.terms) - 1; j > 0; --j)
    after = std::exchange(next, hn::MulAdd(twice, next, hn::Sub(hn::Set(d, rule.series[j]), after)));
  return hn::MulAdd(s, next, hn::Sub(hn::Set(d, rule.series[0]), after));
}

HWY_INLINE void store_complex(D64 d, const CosSin& values, std::complex<double>* to) {
  hn::StoreInterleaved2(values.cosine, values.sine, d, reinterpret_cast<double*>(to));
}
HWY_INLINE void store_complex(D64, const CosSin& values, std::complex<float>* to) {
  const hn::Rebind<float, D64> df;
  hn::StoreInterleaved2(hn::DemoteTo(df, values.cosine), hn::DemoteTo(df, values.sine), df,
                        reinterpret_cast<float*>(to));
}

// Of points i, i + 1 .. of a whole vector.
template <class T>
HWY_INLINE void store_factors(const FactorRule& rule, const Points<T>& points, std::int64_t i, std::complex<T>* to) {
  const D64 d;
  V64 turns = hn::Zero(d), exponent = turns;
  for (int a = 0; a < rule.dim; ++a) {
    const FactorAxis& axis = rule.axis[a];
    const V64 x = load_as_double(d, points.axis[a] + i);
    if (axis.rate != 0) turns = hn::Add(turns, turns_at(d, axis, x));
    if (rule.terms > 0) exponent = hn::Add(exponent, exponent_at(d, rule, axis, x));
  }
  CosSin factors = cos_sin(d, hn::Sub(turns, hn::Round(turns)));
  if (rule.terms > 0) {
    const V64 size = exponential(d, exponent);
    factors = {hn::Mul(factors.cosine, size), hn::Mul(factors.sine, size)};
  }
  store_complex(d, factors, to);
}

template <class T> void evaluate_any(const FactorRule& rule, const Points<T>& points, std::complex<T>* factors) {
  constexpr std::int64_t lanes = hn::MaxLanes(D64());
  const std::int64_t rest = points.count % lanes, whole = points.count - rest;
  for (std::int64_t i = 0; i < whole; i += lanes) store_factors(rule, points, i, factors + i);
  if (rest == 0) return;
  T last[max_dim][lanes] = {};
  Points<T> padded = points;
  for (int a = 0; a < std::min(rule.dim, max_dim); ++a) {
    std::copy_n(points.axis[a] + whole, rest, last[a]);
    padded.axis[a] = last[a];
  }
  std::complex<T> values[lanes];
  store_factors(rule, padded, 0, values);
  std::copy_n(values, rest, factors + whole);
}

void evaluate_f32(const FactorRule& rule, const Points<float>& points, std::complex<float>* factors) {
  evaluate_any(rule, points, factors);
}
void evaluate_f64(const FactorRule& rule, const Points<double>& points, std::complex<double>* factors) {
  evaluate_any(rule, points, factors);
}

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace offgrid::cpu {

HWY_EXPORT(evaluate_f32);
HWY_EXPORT(evaluate_f64);

template <> void evaluate_factors(const FactorRule& rule, const Points<float>& points, std::complex<float>* factors) {
  HWY_DYNAMIC_DISPATCH(evaluate_f32)(rule, points, factors);
}
template <> void evaluate_factors(const FactorRule& rule, const Points<double>& points, std::complex<double>* factors) {
  HWY_DYNAMIC_DISPATCH(evaluate_f64)(rule, points, factors);
}

}  // namespace offgrid::cpu
#endif
