// What is measured of crowded points does not depend on their order.
#include "cpu/sort/crowding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <random>
#include <vector>

#include "cpu/policy.hpp"
#include "points.hpp"

namespace offgrid::cpu {
namespace {

Design design_in_1d() { return make_design({1, 1, {100, 1, 1}, Precision::f32, 1e-5}, {}, cost_traits(32)); }

SortedPoints sorted(const Design& design, const std::vector<float>& x, bool in_order) {
  SortPolicy policy = sort_policy({1, design.window.width, 4, design.grid[0], static_cast<std::int64_t>(x.size())});
  policy.may_crowd = true;
  if (!in_order) policy = {.box_log2 = {10, 0, 0}, .may_crowd = true};
  PointStorage none;
  return sort_points<float>({static_cast<std::int64_t>(x.size()), {x.data()}}, make_layout(design), policy, 2, none);
}

// Two places, in turn, in blocks and at random.
TEST(Crowding, order_does_not_matter) {
  const Design design = design_in_1d();
  constexpr std::size_t count = 100000;
  std::vector<float> in_turn(count), in_blocks(count), at_random(count);
  for (std::size_t j = 0; j < count; ++j) {
    in_turn[j] = j % 2 == 0 ? -3.0F : 0.0F;
    in_blocks[j] = j < count / 2 ? -3.0F : 0.0F;
  }
  at_random = in_turn;
  std::shuffle(at_random.begin(), at_random.end(), std::mt19937(1));
  for (const auto* x : {&in_turn, &in_blocks, &at_random})
    for (const bool in_order : {true, false}) {
      const SortedPoints points = sorted(design, *x, in_order);
      EXPECT_EQ(points.in_order, in_order);
      EXPECT_NEAR(points.overlap, count / 2.0, 0.1 * count);
      EXPECT_NEAR(points.repeats, count / 2.0, 0.1 * count);
      EXPECT_TRUE(summation_for(design, points).wide);
    }
}

TEST(Crowding, points_all_over_the_place_do_not_repeat) {
  const Design design = design_in_1d();
  const auto raw = support::uniform_points<float>(1, 100000);
  const SortedPoints points = sorted(design, raw.axis[0], true);
  EXPECT_LT(points.repeats, 20);
  const double expected = 1e5 * design.window.width / static_cast<double>(design.grid[0]);
  EXPECT_NEAR(points.overlap, expected, 0.1 * expected);
}

// A few of many points at one place are found, too, and so are points that are a little apart, on both sides of a node.
TEST(Crowding, a_few_repeats_among_many_points_are_found) {
  const Design design = design_in_1d();
  auto x = support::uniform_points<float>(1, 200000).axis[0];
  for (std::size_t j = 0; j < x.size(); j += 50) x[j] = j % 100 == 0 ? 1e-7F : -1e-7F;
  for (const bool in_order : {true, false}) EXPECT_NEAR(sorted(design, x, in_order).repeats, 4000, 500);
}

TEST(Crowding, a_few_points_cannot_be_crowded) {
  const Design design = design_in_1d();
  EXPECT_TRUE(may_crowd(design, 100000));
  EXPECT_FALSE(may_crowd(design, 30));
}

// Points are measured only as closely as the tolerance asks for, which must not change what is decided.
TEST(Crowding, what_is_allowed_does_not_change_the_decision) {
  constexpr std::size_t count = 200000;
  const auto even = support::uniform_points<float>(1, count).axis[0];
  int crowded = 0, cases = 0;
  for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5})
    for (const std::size_t repeated : {0, 100, 1000, 10000, 100000, 200000})
      for (const bool in_order : {true, false}) {
        const Design design = make_design({1, 1, {100, 1, 1}, Precision::f32, tolerance}, {}, cost_traits(32));
        auto x = even;
        for (std::size_t j = 0; j < repeated; ++j) x[j * (count / repeated)] = 0.3F;
        const SortPolicy policy{.box_log2 = {10, 0, 0}, .in_order = in_order, .may_crowd = true};
        SortPolicy hasty = policy;
        hasty.allowed_error = allowed_error(design);
        PointStorage none;
        const Points<float> points{count, {x.data()}};
        const Layout layout = make_layout(design);
        const Summation exact = summation_for(design, sort_points<float>(points, layout, policy, 2, none));
        const Summation quick = summation_for(design, sort_points<float>(points, layout, hasty, 2, none));
        EXPECT_EQ(exact.wide, quick.wide) << tolerance << ", " << repeated << " of the points at one place";
        EXPECT_EQ(exact.part_points, quick.part_points)
            << tolerance << ", " << repeated << " of the points at one place";
        crowded += exact.wide ? 1 : 0;
        ++cases;
      }
  EXPECT_GT(crowded, cases / 8);
  EXPECT_LT(crowded, cases - cases / 8);
}

}  // namespace
}  // namespace offgrid::cpu
