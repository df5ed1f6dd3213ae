// The fold is exact with every instruction set that this machine has: without fused multiplication, too.
#include "cpu/sort/fold.hpp"

#include <gtest/gtest.h>
#include <cstdint>

#include <cmath>
#include <numbers>

#include "only_target.hpp"
#include "points.hpp"

namespace offgrid::cpu {
namespace {

TEST(Fold, is_exact_with_every_instruction_set) {
  constexpr double cells = 3e6;
  constexpr int width = 13;
  FoldPlan plan;
  plan.axis[0].cells = cells, plan.axis[0].half_width = width / 2.0;
  const auto set = support::points_between<double>(-50, 50, 1, fold_chunk, 3);
  const Points<double> points{fold_chunk, {set.axis[0].data(), nullptr, nullptr}};
  support::with_each_target([&](std::int64_t target) {
    FoldedChunk<double> folded;
    ASSERT_TRUE(fold_points(plan, points, {0, fold_chunk}, folded));
    for (std::int64_t i = 0; i < fold_chunk; ++i) {
      const long double turns = static_cast<long double>(set.axis[0][i]) / (2 * std::numbers::pi_v<long double>);
      const long double g = (turns - std::round(turns)) * static_cast<long double>(cells);
      const long double offset = std::ceil(g - width / 2.0L) - g + width / 2.0L;
      EXPECT_NEAR(folded.t[0][i], static_cast<double>(2 * offset - 1), 1e-11) << "target " << target;
    }
  });
}

// Near points take a shorter way, and a far one among them the long one, for its whole chunk.
TEST(Fold, single_precision_is_exact_near_and_far) {
  constexpr double cells = 4e6;
  constexpr int width = 6;
  FoldPlan plan;
  plan.axis[0].cells = cells, plan.axis[0].half_width = width / 2.0;
  for (const double reach : {3.0, 25.0, 1e3}) {
    const auto set = support::points_between<float>(-reach, reach, 1, fold_chunk, 5);
    FoldedChunk<float> folded;
    ASSERT_TRUE(fold_points(plan, Points<float>{fold_chunk, {set.axis[0].data()}}, {0, fold_chunk}, folded));
    for (std::int64_t i = 0; i < fold_chunk; ++i) {
      const long double turns = static_cast<long double>(set.axis[0][i]) / (2 * std::numbers::pi_v<long double>);
      const long double g = (turns - std::round(turns)) * static_cast<long double>(cells);
      const long double offset = std::ceil(g - width / 2.0L) - g + width / 2.0L;
      EXPECT_NEAR(folded.t[0][i], static_cast<double>(2 * offset - 1), 0x1p-24) << "up to " << reach;
    }
  }
}

}  // namespace
}  // namespace offgrid::cpu
