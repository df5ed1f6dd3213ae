// Type 3 by the C and the C++ interface: points to targets and back, boxes, points in chunks, lengths and words of refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "c_calls.hpp"
#include "offgrid/offgrid.hpp"
#include "oracle.hpp"

namespace {

using namespace support;
using offgrid::Error;
using offgrid::Plan;

template <class T> class Type3ApiTest : public testing::Test {
 protected:
  using Complex = std::complex<T>;
  using Vector = std::vector<Complex>;
  const PointSet<T> points_ = points_between<T>(-2, 3, 2, 40, 1), targets_ = points_between<T>(1, 9, 2, 30, 2);
  const std::vector<T>&x_ = points_.axis[0], &y_ = points_.axis[1], &s_ = targets_.axis[0], &t_ = targets_.axis[1];
  const offgrid::Box point_box_{{-2, -2}, {3, 3}}, target_box_{{1, 1}, {9, 9}};
  const Vector strengths_ = random_values<T>(80, 3), values_ = random_values<T>(60, 4);
  const double tolerance_ = 1e-4;

  // Of two vectors.
  [[nodiscard]] Sums sum(int sign, const PointSet<T>& from, const Vector& in, const PointSet<T>& to) const {
    Sums all;
    for (const std::size_t v : {0, 1}) {
      const auto one = std::span(in).subspan(v * in.size() / 2, in.size() / 2);
      const Sums sums = oracle::direct_type3<T>(sign, axes_of(from), one, axes_of(to));
      all.insert(all.end(), sums.begin(), sums.end());
    }
    return all;
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Type3ApiTest, Precisions);

std::string words_of(offgrid_status status, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

TYPED_TEST(Type3ApiTest, points_to_targets_and_back_with_both_signs) {
  for (const int sign : {0, -1}) {
    Plan<TypeParam> plan({.type = 3, .dim = 2, .tolerance = this->tolerance_, .sign = sign, .transforms = 2});
    plan.set_points({this->x_, this->y_}, {this->s_, this->t_});
    EXPECT_EQ(plan.points(), 40);
    EXPECT_EQ(plan.targets(), 30);
    typename TestFixture::Vector values(60), strengths(80);
    plan.execute(this->strengths_, values);
    plan.adjoint(this->values_, strengths);
    const int forward = sign == 0 ? 1 : sign;
    EXPECT_LE(relative_error(values, this->sum(forward, this->points_, this->strengths_, this->targets_)), 1e-4);
    EXPECT_LE(relative_error(strengths, this->sum(-forward, this->targets_, this->values_, this->points_)), 1e-4);
  }
}

TYPED_TEST(Type3ApiTest, one_call_with_listed_axes_and_with_spans) {
  const offgrid::Problem problem{.type = 3, .dim = 2, .tolerance = this->tolerance_, .transforms = 2};
  const Sums truth = this->sum(1, this->points_, this->strengths_, this->targets_);
  typename TestFixture::Vector listed(60), spanned(60);
  offgrid::transform<TypeParam>(problem, {this->x_, this->y_}, {this->s_, this->t_}, this->strengths_, listed);
  EXPECT_LE(relative_error(listed, truth), this->tolerance_);
  const std::vector<std::span<const TypeParam>> points{this->x_, this->y_}, targets{this->s_, this->t_};
  offgrid::transform<TypeParam>(problem, points, targets, this->strengths_, spanned);
  EXPECT_EQ(spanned, listed);
  const std::string refusal = words_of(OFFGRID_WRONG_STATE, [&] {
    offgrid::transform<TypeParam>({.type = 1, .modes = {8, 8}}, points, targets, this->strengths_, listed);
  });
  EXPECT_NE(refusal.find("only a plan of type 3 has targets"), std::string::npos) << refusal;
}

TYPED_TEST(Type3ApiTest, boxes_then_memory_then_points_and_targets_apart) {
  Plan<TypeParam> plan({.type = 3, .dim = 2, .tolerance = this->tolerance_, .transforms = 2});
  EXPECT_EQ(plan.get("memory_bytes"), 0);
  plan.set_boxes(this->point_box_, this->target_box_);
  EXPECT_GT(plan.get("memory_bytes"), 0);
  plan.set_targets({this->t_, this->s_});
  plan.set_targets({this->s_, this->t_});
  plan.set_points({this->x_, this->y_});
  typename TestFixture::Vector values(60);
  plan.execute(this->strengths_, values);
  EXPECT_LE(relative_error(values, this->sum(1, this->points_, this->strengths_, this->targets_)), 1e-4);
  plan.set_boxes(this->point_box_, this->target_box_);
  EXPECT_EQ(plan.points(), 0);
  EXPECT_EQ(plan.targets(), 0);
  EXPECT_NE(words_of(OFFGRID_WRONG_STATE, [&] { plan.execute(this->strengths_, values); }).find("no points"),
            std::string::npos);
}

// The bytes behind these words of a refusal; 0 where it does not have them.
double bytes_behind(const std::string& words, const std::string& refusal) {
  const std::size_t found = refusal.find(words);
  if (found == std::string::npos) return 0;
  std::istringstream rest(refusal.substr(found + words.size()));
  double number = 0;
  std::string unit;
  rest >> number >> unit;
  return number * std::pow(1024, 1 + std::string("KMGTPE").find(unit.at(0)));
}

// Where there was CUDA, auto refused nothing under 8 EiB. What is refused is more than what grids can have, as the words say
// it; those of auto name the larger memory.
TYPED_TEST(Type3ApiTest, boxes_just_over_the_memory_are_refused_by_auto_too) {
  const auto refusal = [](const char* device, double half) -> std::string {
    try {
      Plan<TypeParam> plan({.type = 3, .dim = 3, .tolerance = 1e-3, .options = {{"device", device}}});
      plan.set_boxes({{-1, -1, -1}, {1, 1, 1}}, {{-half, -half, -half}, {half, half, half}});
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  const auto taken = [](const std::string& words) { return bytes_behind("would take ", words); };
  const auto room = [](const std::string& words) { return bytes_behind("of which grids can have ", words); };
  double half = 10;
  while (refusal("cpu", half).empty() && half < 1e6) half *= 1.1;
  ASSERT_LT(half, 1e6);
  const std::string by_cpu = refusal("cpu", half), by_gpu = refusal("cuda", half), by_auto = refusal("auto", half);
  EXPECT_GT(room(by_cpu), 0) << by_cpu;
  for (const std::string& words : {by_cpu, by_gpu, by_auto}) EXPECT_GE(taken(words), room(words)) << words;
  EXPECT_EQ(room(by_auto), by_gpu.empty() ? 0 : std::max(room(by_cpu), room(by_gpu))) << by_auto;
  EXPECT_EQ(by_auto.empty(), by_gpu.empty()) << by_auto;
  EXPECT_NE(refusal("auto", 1000 * half), "");
}

TYPED_TEST(Type3ApiTest, points_in_chunks) {
  Plan<TypeParam> plan({.type = 3, .dim = 2, .tolerance = this->tolerance_});
  plan.set_boxes(this->point_box_, this->target_box_);
  const std::span all_x(this->x_), all_y(this->y_);
  const std::span strengths = std::span(this->strengths_).first(40);
  for (const std::size_t first : {0, 10, 20, 30}) {
    plan.set_points({all_x.subspan(first, 10), all_y.subspan(first, 10)});
    plan.add(strengths.subspan(first, 10));
  }
  plan.set_targets({this->s_, this->t_});
  typename TestFixture::Vector values(30), zeros(30, 7);
  plan.finish(values);
  const Sums truth = oracle::direct_type3<TypeParam>(1, axes_of(this->points_), strengths, axes_of(this->targets_));
  EXPECT_LE(relative_error(values, truth), 1e-4);
  plan.finish(zeros);
  EXPECT_EQ(zeros, typename TestFixture::Vector(30));
}

TYPED_TEST(Type3ApiTest, what_is_wrong_is_said) {
  const auto make = [](offgrid::Problem problem) {
    return words_of(OFFGRID_INVALID_ARGUMENT, [&] { Plan<TypeParam> plan(problem); });
  };
  EXPECT_EQ(make({.type = 3}), "dim is 0, expected 1, 2 or 3");
  EXPECT_EQ(make({.type = 3, .modes = {8, 8}}), "modes: a type 3 has none, give dim");
  EXPECT_EQ(make({.type = 1, .modes = {8, 8}, .dim = 3}), "dim is 3, but there are modes for 2 axes");
  Plan<TypeParam> plan({.type = 3, .dim = 2});
  typename TestFixture::Vector wrong(7), values(30);
  const auto strengths = std::span(this->strengths_).first(40);
  EXPECT_NE(words_of(OFFGRID_WRONG_STATE,
                     [&] {
                       plan.set_points({this->x_, this->y_});
                     })
                .find("boxes"),
            std::string::npos);
  EXPECT_NE(words_of(OFFGRID_WRONG_STATE, [&] { plan.add(strengths); }).find("boxes"), std::string::npos);
  EXPECT_NE(words_of(OFFGRID_WRONG_STATE, [&] { plan.finish(values); }).find("boxes"), std::string::npos);
  plan.set_points({this->x_, this->y_}, {this->s_, this->t_});
  EXPECT_EQ(words_of(OFFGRID_INVALID_ARGUMENT,
                     [&] {
                       plan.set_points({this->x_, this->y_}, {this->s_});
                     }),
            "targets: arrays for 1 axes, expected 2");
  EXPECT_EQ(words_of(OFFGRID_INVALID_ARGUMENT,
                     [&] {
                       plan.set_targets({this->s_, this->x_});
                     }),
            "targets: axis 1 has 40 points, axis 0 has 30");
  EXPECT_EQ(words_of(OFFGRID_INVALID_ARGUMENT, [&] { plan.execute(strengths, wrong); }),
            "out: the span has 7 elements, expected 30, the number of values");
  EXPECT_EQ(words_of(OFFGRID_INVALID_ARGUMENT, [&] { plan.add(wrong); }),
            "strengths: the span has 7 elements, expected 40, the number of strengths");
  EXPECT_EQ(words_of(OFFGRID_INVALID_ARGUMENT, [&] { plan.finish(wrong); }),
            "values: the span has 7 elements, expected 30, the number of values");
  Plan<TypeParam> type1({.type = 1, .modes = {8, 8}});
  type1.set_points({this->x_, this->y_});
  for (const std::function<void()>& call : std::initializer_list<std::function<void()>>{
           [&] {
             type1.set_points({this->x_, this->y_}, {this->s_, this->t_});
           },
           [&] {
             type1.set_targets({this->s_, this->t_});
           },
           [&] { type1.add(strengths); }, [&] { type1.set_boxes(this->point_box_, this->target_box_); }})
    EXPECT_NE(words_of(OFFGRID_WRONG_STATE, call).find("only a plan of type 3 has targets"), std::string::npos);
}

TEST(Type3C, points_to_targets_with_words_for_what_is_missing) {
  const auto points = points_between<double>(-1, 1, 1, 20, 1), targets = points_between<double>(-5, 5, 1, 9, 2);
  auto strengths = random_values<double>(20, 3);
  std::vector<std::complex<double>> values(9);
  const OwnedPlan plan = make_plan({.type = 3, .dim = 1, .modes = {}, .tolerance = 1e-9});
  const void* const x[] = {points.axis[0].data()};
  const void* const s[] = {targets.axis[0].data()};
  EXPECT_EQ(offgrid_set_points_and_targets(plan.get(), 20, nullptr, 9, s, nullptr), OFFGRID_INVALID_ARGUMENT);
  EXPECT_STREQ(offgrid_last_error(), "points is null, expected 1 arrays");
  EXPECT_EQ(offgrid_set_points_and_targets(plan.get(), 20, x, 9, nullptr, nullptr), OFFGRID_INVALID_ARGUMENT);
  EXPECT_STREQ(offgrid_last_error(), "targets is null, expected 1 arrays");
  const double low = -1, high = 1;
  EXPECT_EQ(offgrid_set_boxes(plan.get(), &high, &low, &low, &high), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(offgrid_set_boxes(plan.get(), nullptr, &low, &low, &high), OFFGRID_INVALID_ARGUMENT);
  ASSERT_EQ(offgrid_set_points_and_targets(plan.get(), 20, x, 9, s, nullptr), OFFGRID_OK) << offgrid_last_error();
  EXPECT_EQ(offgrid_execute(plan.get(), strengths.data(), nullptr, nullptr), OFFGRID_INVALID_ARGUMENT);
  ASSERT_EQ(offgrid_execute(plan.get(), strengths.data(), values.data(), nullptr), OFFGRID_OK) << offgrid_last_error();
  EXPECT_LE(relative_error(values, oracle::direct_type3<double>(1, axes_of(points), strengths, axes_of(targets))),
            1e-9);
  double count = 0;
  EXPECT_EQ(offgrid_plan_get(plan.get(), "targets", &count), OFFGRID_OK);
  EXPECT_EQ(count, 9);
}

}  // namespace
