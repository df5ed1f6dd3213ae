// Every function of src/highway, which stands in for Highway where that is missing, against the same arithmetic lane by
// lane, with every instruction set that this machine has.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "highway/vectors_test.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace highway_test::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Failures = std::vector<std::string>;

template <class D> struct Check {
  using T = hn::TFromD<D>;
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
  Failures& failures;

  // Lane i of v must be of(i).
  template <class Of> void same(const char* name, hn::Vec<D> v, Of of) {
    alignas(64) T got[lanes];
    hn::Store(v, D(), got);
    for (int i = 0; i < lanes; ++i)
      if (!(got[i] == static_cast<T>(of(i))))
        failures.push_back(std::string(name) + " with " + std::to_string(lanes) + " lanes, lane " + std::to_string(i) +
                           ": " + std::to_string(got[i]) + ", expected " + std::to_string(static_cast<T>(of(i))));
  }
};

template <class D> struct Numbers {
  using T = hn::TFromD<D>;
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
  alignas(64) T a[lanes], b[lanes], c[lanes];
  Numbers() {
    for (int i = 0; i < lanes; ++i) {
      a[i] = T(1) / T(3 + i) - T(0.5);
      b[i] = T(0.1) * T(i) - T(1) / T(7);
      c[i] = -a[i] * b[i];  // so that a fused a b + c shows the rounding
    }
  }
};

template <class T> T mul_add(T a, T b, T c) {
#if HWY_NATIVE_FMA
  return std::fma(a, b, c);
#else
  return a * b + c;
#endif
}

template <class D> void check_arithmetic(D d, Failures& failures) {
  Check<D> check{failures};
  const Numbers<D> n;
  const auto &a = n.a, &b = n.b, &c = n.c;
  const auto va = hn::Load(d, a), vb = hn::LoadU(d, b), vc = hn::Load(d, c);
  check.same("Zero", hn::Zero(d), [](int) { return 0; });
  check.same("Set", hn::Set(d, a[0]), [&](int) { return a[0]; });
  check.same("Add", hn::Add(va, vb), [&](int i) { return a[i] + b[i]; });
  check.same("Sub", hn::Sub(va, vb), [&](int i) { return a[i] - b[i]; });
  check.same("Mul", hn::Mul(va, vb), [&](int i) { return a[i] * b[i]; });
  check.same("MulAdd", hn::MulAdd(va, vb, vc), [&](int i) { return mul_add(a[i], b[i], c[i]); });
  check.same("MulSub", hn::MulSub(va, vb, vc), [&](int i) { return mul_add(a[i], b[i], -c[i]); });
  check.same("NegMulAdd", hn::NegMulAdd(va, vb, vc), [&](int i) { return mul_add(-a[i], b[i], c[i]); });
  alignas(64) typename Check<D>::T room[2 * Check<D>::lanes + 1];
  hn::StoreU(va, d, room + 1);
  check.same("StoreU and LoadU", hn::LoadU(d, room + 1), [&](int i) { return a[i]; });
}

template <class D> void check_lanes(D d, Failures& failures) {
  Check<D> check{failures};
  constexpr int N = Check<D>::lanes, B = 16 / sizeof(hn::TFromD<D>);
  const Numbers<D> n;
  const auto &a = n.a, &b = n.b;
  const auto va = hn::Load(d, a), vb = hn::Load(d, b);
  check.same("OddEven", hn::OddEven(va, vb), [&](int i) { return i % 2 == 1 ? a[i] : b[i]; });
  check.same("DupEven", hn::DupEven(va), [&](int i) { return a[i - i % 2]; });
  check.same("DupOdd", hn::DupOdd(va), [&](int i) { return a[i - i % 2 + 1]; });
  check.same("ConcatLowerLower", hn::ConcatLowerLower(d, va, vb),
             [&](int i) { return i < N / 2 ? b[i] : a[i - N / 2]; });
  check.same("ConcatUpperUpper", hn::ConcatUpperUpper(d, va, vb),
             [&](int i) { return i < N / 2 ? b[i + N / 2] : a[i]; });
  const auto from = [&](int i, int first) {
    const int at = i / B * B + i % B / 2 + first;
    return i % 2 == 0 ? a[at] : b[at];  // GCC 12 reads the wrong lanes of (i % 2 == 0 ? a : b)[at] under its sanitizers
  };
  check.same("InterleaveLower", hn::InterleaveLower(d, va, vb), [&](int i) { return from(i, 0); });
  check.same("InterleaveUpper", hn::InterleaveUpper(d, va, vb), [&](int i) { return from(i, B / 2); });
  if constexpr (N > B) {
    check.same("OddEvenBlocks", hn::OddEvenBlocks(va, vb), [&](int i) { return i / B % 2 == 1 ? a[i] : b[i]; });
    check.same("SwapAdjacentBlocks", hn::SwapAdjacentBlocks(va), [&](int i) { return a[i ^ B]; });
  }
  const hn::Half<D> half;
  Check<hn::Half<D>> halves{failures};
  halves.same("LowerHalf", hn::LowerHalf(half, va), [&](int i) { return a[i]; });
  halves.same("UpperHalf", hn::UpperHalf(half, va), [&](int i) { return a[i + N / 2]; });
  const hn::RebindToSigned<D> di;
  const auto twice = hn::ShiftRight<1>(hn::Iota(di, 0)), later = hn::Add(twice, hn::Set(di, N / 2));
  check.same("TableLookupLanes", hn::TableLookupLanes(va, hn::IndicesFromVec(d, twice)),
             [&](int i) { return a[i / 2]; });
  check.same("TableLookupLanes", hn::TableLookupLanes(va, hn::IndicesFromVec(d, later)),
             [&](int i) { return a[i / 2 + N / 2]; });
}

template <class D> void check_masks(D d, Failures& failures) {
  Check<D> check{failures};
  constexpr int N = Check<D>::lanes;
  const Numbers<D> n;
  for (int count = 0; count <= N + 1; ++count) {
    alignas(64) hn::TFromD<D> room[N];
    std::copy(n.b, n.b + N, room);
    const auto mask = hn::FirstN(d, static_cast<std::size_t>(count));
    check.same("MaskedLoad", hn::MaskedLoad(mask, d, n.a), [&](int i) { return i < count ? n.a[i] : 0; });
    hn::BlendedStore(hn::Load(d, n.a), mask, d, room);
    check.same("BlendedStore", hn::Load(d, room), [&](int i) { return i < count ? n.a[i] : n.b[i]; });
    if (hn::AllTrue(d, mask) != (count >= N)) failures.push_back("AllTrue of " + std::to_string(count));
  }
}

void check_doubles(Failures& failures) {
  using D = hn::ScalableTag<double>;
  const D d;
  Check<D> check{failures};
  for (const double first : {-2.75, -2.5, -0.5, 0.25, 1.5, 2.5, 1e15 + 0.5, -1e300}) {
    alignas(64) double x[Check<D>::lanes];
    for (int i = 0; i < Check<D>::lanes; ++i) x[i] = first + i;
    const auto v = hn::Load(d, x);
    check.same("Round", hn::Round(v), [&](int i) { return std::nearbyint(x[i]); });
    check.same("Floor", hn::Floor(v), [&](int i) { return std::floor(x[i]); });
    check.same("Ceil", hn::Ceil(v), [&](int i) { return std::ceil(x[i]); });
    check.same("Abs", hn::Abs(v), [&](int i) { return std::abs(x[i]); });
    const auto limit = hn::Set(d, x[0] + 1), one = hn::Set(d, 1.0), zero = hn::Zero(d);
    check.same("Lt", hn::IfThenElse(hn::Lt(v, limit), one, zero), [&](int i) { return x[i] < x[0] + 1; });
    check.same("Le", hn::IfThenElse(hn::Le(v, limit), one, zero), [&](int i) { return x[i] <= x[0] + 1; });
    const auto both = hn::And(hn::Le(v, limit), hn::Eq(v, limit));
    check.same("Eq and And", hn::IfThenElse(both, one, zero), [&](int i) { return x[i] == x[0] + 1; });
    const hn::Rebind<float, D> df;
    if (std::abs(first) > 1e30) continue;
    Check<hn::Rebind<float, D>> floats{failures};
    floats.same("DemoteTo", hn::DemoteTo(df, v), [&](int i) { return static_cast<float>(x[i]); });
    check.same("PromoteTo", hn::PromoteTo(d, hn::DemoteTo(df, v)), [&](int i) { return static_cast<float>(x[i]); });
  }
  const auto nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
  if (hn::AllTrue(d, hn::Le(nan, nan))) failures.emplace_back("a NaN is in order");
}

void check_whole_numbers(Failures& failures) {
  using D64 = hn::ScalableTag<std::uint64_t>;
  using D32 = hn::Rebind<std::uint32_t, D64>;
  const D64 d64;
  const D32 d32;
  constexpr int N = static_cast<int>(hn::MaxLanes(d64));
  Check<D64> wide{failures};
  Check<D32> narrow{failures};
  const auto few = hn::Iota(d32, 0xFFFFFFF0U);
  const auto many = hn::Or(hn::PromoteTo(d64, few), hn::ShiftLeft<32>(hn::PromoteTo(d64, hn::Iota(d32, 3))));
  const auto expected = [](int i) { return (std::uint64_t(3 + i) << 32) | (0xFFFFFFF0U + std::uint64_t(i)); };
  wide.same("PromoteTo, ShiftLeft, Or", many, expected);
  narrow.same("TruncateTo", hn::TruncateTo(d32, many),
              [](int i) { return 0xFFFFFFF0U + static_cast<std::uint32_t>(i); });
  const auto bits = hn::BitCast(d64, hn::BitCast(hn::ScalableTag<double>(), many));
  wide.same("BitCast", bits, expected);
  std::uint64_t pairs[2 * N];
  hn::StoreInterleaved2(many, hn::Iota(d64, 100), d64, pairs);
  std::uint32_t triples[3 * N];
  hn::StoreInterleaved3(few, hn::Iota(d32, 100), hn::Iota(d32, 200), d32, triples);
  for (int i = 0; i < N; ++i) {
    if (pairs[2 * i] != expected(i) || pairs[2 * i + 1] != 100U + i) failures.push_back("StoreInterleaved2");
    const std::uint32_t want[] = {0xFFFFFFF0U + i, 100U + i, 200U + i};
    if (!std::equal(want, want + 3, triples + 3 * i)) failures.push_back("StoreInterleaved3");
  }
}

template <class T> void check_tags(Failures& failures) {
  const hn::ScalableTag<T> all;
  const hn::CappedTag<T, 32 / sizeof(T)> rows;  // of spreading
  check_arithmetic(all, failures);
  check_arithmetic(rows, failures);
  check_lanes(all, failures);
  check_lanes(rows, failures);
  check_masks(all, failures);
}

Failures failures() {
  Failures all;
  check_tags<float>(all);
  check_tags<double>(all);
  check_doubles(all);
  check_whole_numbers(all);
  if (hn::Lanes(hn::ScalableTag<std::uint8_t>()) != OFFGRID_HWY_BYTES) all.emplace_back("Lanes of bytes");
  return all;
}
const char* target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace highway_test::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

namespace highway_test {

HWY_EXPORT(failures);
HWY_EXPORT(target);

TEST(Vectors, do_what_highway_does_with_every_instruction_set) {
  const std::int64_t all = hwy::SupportedTargets();
  int tried = 0;
  for (int bit = 0; bit < 62; ++bit) {
    const std::int64_t target_bit = all & (std::int64_t{1} << bit);
    if (target_bit == 0) continue;
    hwy::SetSupportedTargetsForTest(target_bit);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (const std::string& failure : HWY_DYNAMIC_DISPATCH(failures)())
      ADD_FAILURE() << HWY_DYNAMIC_DISPATCH(target)() << ": " << failure;
    ++tried;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_GE(tried, 1);
}

}  // namespace highway_test
#endif
