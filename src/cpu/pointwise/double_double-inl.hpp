// Coordinates as vectors of doubles, and what their sums and products lose to rounding; included once per target (Highway).
#if defined(OFFGRID_CPU_DOUBLE_DOUBLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef OFFGRID_CPU_DOUBLE_DOUBLE_INL
#undef OFFGRID_CPU_DOUBLE_DOUBLE_INL
#else
#define OFFGRID_CPU_DOUBLE_DOUBLE_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<double>;
using V64 = hn::VFromD<D64>;

HWY_INLINE V64 load_as_double(D64 d, const double* source) { return hn::LoadU(d, source); }
HWY_INLINE V64 load_as_double(D64 d, const float* source) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D64>(), source));
}

// a * b - product, exactly. Without fused multiplication the factors are split into halves whose products are exact.
HWY_INLINE V64 product_error(D64 d, V64 a, V64 b, V64 product) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulSub(a, b, product);
#else
  const V64 split = hn::Set(d, 0x1p27 + 1);
  const V64 wide_a = hn::Mul(a, split), wide_b = hn::Mul(b, split);
  const V64 high_a = hn::Sub(wide_a, hn::Sub(wide_a, a)), high_b = hn::Sub(wide_b, hn::Sub(wide_b, b));
  const V64 low_a = hn::Sub(a, high_a), low_b = hn::Sub(b, high_b);
  const V64 most = hn::Sub(hn::Mul(high_a, high_b), product);
  return hn::Add(hn::Add(hn::Add(most, hn::Mul(high_a, low_b)), hn::Mul(low_a, high_b)), hn::Mul(low_a, low_b));
#endif
}

// a - b - difference, exactly.
HWY_INLINE V64 difference_error(V64 a, V64 b, V64 difference) {
  const V64 taken = hn::Sub(a, difference);  // b as it was subtracted
  return hn::Add(hn::Sub(a, hn::Add(difference, taken)), hn::Sub(taken, b));
}

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#endif
