// Cosines, sines and exponentials of vectors; included once per target (Highway). The numbers are good to some 2e-16.
#if defined(OFFGRID_CPU_PHASES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef OFFGRID_CPU_PHASES_INL
#undef OFFGRID_CPU_PHASES_INL
#else
#define OFFGRID_CPU_PHASES_INL
#endif

#include <hwy/highway.h>

#include <array>
#include <numbers>

#include "cpu/pointwise/double_double-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {

// Taylor's coefficients: of sin(x) / x and of cos(x) by powers of -x^2, and of exp(x).
template <int First, int Step, int Terms> constexpr std::array<double, Terms> inverse_factorials() {
  std::array<double, Terms> terms{};
  double term = 1;
  for (int n = 1, i = 0; i < Terms; ++n) {
    term /= n;
    if (n == First + i * Step) terms[static_cast<std::size_t>(i++)] = n % 4 < 2 || Step == 1 ? term : -term;
  }
  return terms;
}
inline constexpr auto sine_terms = inverse_factorials<1, 2, 9>();          // x^17 / 17! is the last
inline constexpr auto cosine_terms = inverse_factorials<2, 2, 8>();        // x^16 / 16!
inline constexpr auto exponential_terms = inverse_factorials<1, 1, 13>();  // x^13 / 13!

template <std::size_t Terms> HWY_INLINE V64 polynomial(D64 d, const std::array<double, Terms>& terms, V64 x) {
  V64 sum = hn::Set(d, terms[Terms - 1]);
  HWY_UNROLL(16)
  for (std::size_t i = Terms - 1; i > 0; --i) sum = hn::MulAdd(sum, x, hn::Set(d, terms[i - 1]));
  return sum;
}

struct CosSin {
  V64 cosine, sine;
};

// Of 2 pi turns, |turns| <= 1/2: by quarter turns q = -2 .. 2 to at most an eighth, where the next terms are under 1e-17.
HWY_INLINE CosSin cos_sin(D64 d, V64 turns) {
  const V64 one = hn::Set(d, 1.0), q = hn::Round(hn::Mul(turns, hn::Set(d, 4.0))), square_of_q = hn::Mul(q, q);
  const V64 angle = hn::Mul(hn::NegMulAdd(q, hn::Set(d, 0.25), turns), hn::Set(d, 2 * std::numbers::pi));
  const V64 square = hn::Mul(angle, angle);
  const V64 sine = hn::Mul(angle, polynomial(d, sine_terms, square));
  const V64 cosine = hn::MulAdd(square, polynomial(d, cosine_terms, square), one);
  // (c, s), (-s, c), (-c, -s), (s, -c) for q = 0, 1, +-2, -1
  const auto odd = hn::Eq(square_of_q, one);
  const V64 half = hn::NegMulAdd(square_of_q, hn::Set(d, 0.5), one);  // -1 where q = +-2
  return {hn::IfThenElse(odd, hn::Mul(hn::Sub(hn::Zero(d), q), sine), hn::Mul(half, cosine)),
          hn::IfThenElse(odd, hn::Mul(q, cosine), hn::Mul(half, sine))};
}

// exp(x) for |x| <= 700: 2^n exp(r), where n is added to the exponent of 1 by way of the lowest bits of a large number.
HWY_INLINE V64 exponential(D64 d, V64 x) {
  constexpr double ln2 = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;  // n ln2 is exact
  const V64 n = hn::Round(hn::Mul(x, hn::Set(d, std::numbers::log2e)));
  const V64 r = hn::NegMulAdd(n, hn::Set(d, ln2_low), hn::NegMulAdd(n, hn::Set(d, ln2), x));
  const hn::RebindToUnsigned<D64> du;
  const auto bits = hn::BitCast(du, hn::Add(n, hn::Set(d, 0x1.8p52 + 1023)));
  const V64 power = hn::BitCast(d, hn::ShiftLeft<52>(bits));
  return hn::Mul(power, hn::MulAdd(r, polynomial(d, exponential_terms, r), hn::Set(d, 1.0)));
}

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#endif
