// The C++ interface: a plan that owns its handle, moves, checks the lengths of its spans and throws what the C calls
// return; designated initialisers for the problem; one call for a single transform.
#include <gtest/gtest.h>

#include "offgrid/offgrid.hpp"
#include "oracle.hpp"

namespace {

using namespace support;
using offgrid::Error;
using offgrid::Plan;

static_assert(!std::is_copy_constructible_v<Plan<float>> && std::is_nothrow_move_constructible_v<Plan<float>>);
static_assert(!std::is_copy_assignable_v<Plan<double>> && std::is_nothrow_move_assignable_v<Plan<double>>);

template <class T> class FacadeTest : public testing::Test {
 protected:
  using Complex = std::complex<T>;
  const PointSet<T> points_ = uniform_points<T>(2, 30);
  const std::vector<T>&x_ = points_.axis[0], &y_ = points_.axis[1];
  const std::vector<Complex> strengths_ = random_values<T>(30, 1), coefficients_ = random_values<T>(56, 2);
  std::vector<Complex> modes_ = std::vector<Complex>(56), values_ = std::vector<Complex>(30);

  [[nodiscard]] Sums true_modes(int sign = -1, bool fft_order = false) const {
    return direct_sum<T>(To::modes, {{8, 7}, sign, 1, fft_order}, points_, strengths_);
  }
  [[nodiscard]] Sums true_values(int sign) const {
    return direct_sum<T>(To::points, {{8, 7}, sign}, points_, coefficients_);
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FacadeTest, Precisions);

offgrid_status status_of(const std::function<void()>& call) {
  try {
    call();
    return OFFGRID_OK;
  } catch (const Error& error) {
    EXPECT_GT(std::string(error.what()).size(), 10U);
    return error.status();
  }
}

TYPED_TEST(FacadeTest, type_1_and_its_adjoint) {
  Plan<TypeParam> plan({.type = 1, .modes = {8, 7}, .tolerance = 1e-5});
  plan.set_points({this->x_, this->y_});
  plan.execute(this->strengths_, this->modes_);
  plan.adjoint(this->coefficients_, this->values_);
  EXPECT_LE(relative_error(this->modes_, this->true_modes()), 1e-5);
  EXPECT_LE(relative_error(this->values_, this->true_values(+1)), 1e-5);
}

TYPED_TEST(FacadeTest, type_2_and_its_adjoint) {
  Plan<TypeParam> plan({.type = 2, .modes = {8, 7}, .tolerance = 1e-5});
  plan.set_points({this->x_, this->y_});
  plan.execute(this->coefficients_, this->values_);
  plan.adjoint(this->strengths_, this->modes_);
  EXPECT_LE(relative_error(this->values_, this->true_values(+1)), 1e-5);
  EXPECT_LE(relative_error(this->modes_, this->true_modes(-1)), 1e-5);
}

TYPED_TEST(FacadeTest, options_by_name_with_numbers_and_words) {
  Plan<TypeParam> plan({.modes = {8, 7},
                        .tolerance = 1e-5,
                        .sign = 1,
                        .options = {{"mode_order", "fft"}, {"upsampling", 2}, {"threads", 1}}});
  plan.set_points({this->x_, this->y_});
  plan.execute(this->strengths_, this->modes_);
  EXPECT_LE(relative_error(this->modes_, this->true_modes(1, true)), 1e-5);
  EXPECT_EQ(plan.get("upsampling"), 2);
}

TYPED_TEST(FacadeTest, moves_carry_the_points_along) {
  Plan<TypeParam> first({.modes = {8, 7}, .tolerance = 1e-5});
  first.set_points({this->x_, this->y_});
  Plan<TypeParam> second(std::move(first));
  second.execute(this->strengths_, this->modes_);
  EXPECT_LE(relative_error(this->modes_, this->true_modes()), 1e-5);
  Plan<TypeParam> third({.modes = {3}});
  third = std::move(second);
  EXPECT_EQ(third.points(), 30);
  third.execute(this->strengths_, this->modes_);
  EXPECT_LE(relative_error(this->modes_, this->true_modes()), 1e-5);
}

TYPED_TEST(FacadeTest, a_plan_that_was_moved_from_gets_a_code) {
  Plan<TypeParam> plan({.modes = {8, 7}});
  plan.set_points({this->x_, this->y_});
  const Plan<TypeParam> taken(std::move(plan));
  EXPECT_EQ(status_of([&] { plan.execute(this->strengths_, this->modes_); }), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([&] { plan.set_points({this->x_, this->y_}); }), OFFGRID_INVALID_ARGUMENT);
}

TYPED_TEST(FacadeTest, spans_of_the_wrong_length_are_refused) {
  Plan<TypeParam> plan({.modes = {8, 7}});
  const std::vector<TypeParam> shorter(29);
  EXPECT_EQ(status_of([&] { plan.set_points({this->x_}); }), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([&] { plan.set_points({this->x_, shorter}); }), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([&] { plan.set_points({this->x_, this->y_, this->y_}); }), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([&] { plan.set_points({}); }), OFFGRID_INVALID_ARGUMENT);
  plan.set_points({this->x_, this->y_});
  std::vector<std::complex<TypeParam>> wrong(57);
  EXPECT_EQ(status_of([&] { plan.execute(wrong, this->modes_); }), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([&] { plan.execute(this->strengths_, wrong); }), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([&] { plan.adjoint(wrong, this->values_); }), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([&] { plan.adjoint(this->coefficients_, wrong); }), OFFGRID_INVALID_ARGUMENT);
  plan.execute(this->strengths_, this->modes_);
  EXPECT_LE(relative_error(this->modes_, this->true_modes()), 3e-6);
}

// The message of a call that must throw.
std::string words_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), OFFGRID_INVALID_ARGUMENT);
    return error.what();
  }
  return "nothing was thrown";
}

TYPED_TEST(FacadeTest, a_wrong_length_says_both_lengths) {
  Plan<TypeParam> plan({.modes = {8, 7}});
  const std::vector<TypeParam> shorter(29);
  EXPECT_EQ(words_of([&] { plan.set_points({this->x_}); }), "points: arrays for 1 axes, expected 2");
  EXPECT_EQ(words_of([&] { plan.set_points({this->x_, shorter}); }), "points: axis 1 has 29 points, axis 0 has 30");
  plan.set_points({this->x_, this->y_});
  std::vector<std::complex<TypeParam>> wrong(57);
  EXPECT_EQ(words_of([&] { plan.execute(wrong, this->modes_); }),
            "in: the span has 57 elements, expected 30, the number of strengths");
  EXPECT_EQ(words_of([&] { plan.execute(this->strengths_, wrong); }),
            "out: the span has 57 elements, expected 56, the number of modes");
  EXPECT_EQ(words_of([&] { plan.adjoint(wrong, this->values_); }),
            "in: the span has 57 elements, expected 56, the number of modes");
}

TYPED_TEST(FacadeTest, executing_without_points_says_so) {
  Plan<TypeParam> plan({.modes = {8, 7}});
  EXPECT_EQ(plan.points(), 0);
  EXPECT_EQ(status_of([&] { plan.execute(this->strengths_, this->modes_); }), OFFGRID_WRONG_STATE);
  EXPECT_EQ(status_of([&] { plan.adjoint(this->coefficients_, this->values_); }), OFFGRID_WRONG_STATE);
}

// For callers whose dimension is known at run time only.
TYPED_TEST(FacadeTest, points_as_a_span_of_axes) {
  const std::vector<std::span<const TypeParam>> axes{this->x_, this->y_};
  Plan<TypeParam> plan({.modes = {8, 7}, .tolerance = 1e-5});
  plan.set_points(axes);
  plan.execute(this->strengths_, this->modes_);
  EXPECT_LE(relative_error(this->modes_, this->true_modes()), 1e-5);
  EXPECT_EQ(words_of([&] { plan.set_points(std::span(axes).first(1)); }), "points: arrays for 1 axes, expected 2");
  std::fill(this->modes_.begin(), this->modes_.end(), 0);
  offgrid::transform<TypeParam>({.modes = {8, 7}, .tolerance = 1e-5}, axes, this->strengths_, this->modes_);
  EXPECT_LE(relative_error(this->modes_, this->true_modes()), 1e-5);
}

TYPED_TEST(FacadeTest, in_place_is_refused) {
  Plan<TypeParam> plan({.modes = {6, 5}, .tolerance = 1e-5});
  plan.set_points({this->x_, this->y_});
  std::vector<std::complex<TypeParam>> both = this->strengths_;
  EXPECT_NE(words_of([&] { plan.execute(both, both); }).find("overlap"), std::string::npos);
  EXPECT_NE(words_of([&] { plan.adjoint(both, both); }).find("overlap"), std::string::npos);
  EXPECT_EQ(both, this->strengths_);
}

TYPED_TEST(FacadeTest, refused_points_leave_the_earlier_ones) {
  Plan<TypeParam> plan({.modes = {8, 7}, .tolerance = 1e-5});
  plan.set_points({this->x_, this->y_});
  const std::vector<TypeParam> bad(9, std::numeric_limits<TypeParam>::quiet_NaN());
  EXPECT_EQ(status_of([&] { plan.set_points({bad, bad}); }), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(plan.points(), 30);
  plan.execute(this->strengths_, this->modes_);
  EXPECT_LE(relative_error(this->modes_, this->true_modes()), 1e-5);
}

TYPED_TEST(FacadeTest, a_batch_is_a_longer_span) {
  Plan<TypeParam> plan({.modes = {8, 7}, .tolerance = 1e-5, .transforms = 3});
  plan.set_points({this->x_, this->y_});
  const auto strengths = random_values<TypeParam>(90, 1);
  std::vector<std::complex<TypeParam>> modes(168);
  plan.execute(strengths, modes);
  EXPECT_LE(relative_error(modes, direct_sum<TypeParam>(To::modes, {{8, 7}, -1, 3}, this->points_, strengths)), 1e-5);
}

TYPED_TEST(FacadeTest, errors_carry_status_and_words) {
  const auto make = [](offgrid::Problem problem) { return status_of([&] { Plan<TypeParam> plan(problem); }); };
  EXPECT_EQ(make({.type = 7, .modes = {4}}), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(make({.modes = {}}), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(make({.modes = {1, 2, 3, 4}}), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(make({.modes = {4}, .transforms = 0}), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(make({.modes = {4}, .sign = 2}), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(make({.modes = {4}, .options = {{"colour", "red"}}}), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(make({.modes = {4}, .options = {{"upsampling", 1}}}), OFFGRID_INVALID_ARGUMENT);
  Plan<TypeParam> plan({.modes = {4}});
  EXPECT_EQ(status_of([&] { (void)plan.get("colour"); }), OFFGRID_INVALID_ARGUMENT);
  for (const char* name : {"upsampling", "peak_bytes", "transforms"})
    EXPECT_NE(std::string(offgrid_last_error()).find(name), std::string::npos) << name;
  std::vector<std::complex<TypeParam>> none, modes(4);
  EXPECT_EQ(status_of([&] { plan.execute(none, modes); }), OFFGRID_WRONG_STATE);
}

TYPED_TEST(FacadeTest, numbers_and_words_about_a_plan) {
  Plan<TypeParam> plan({.type = 2, .modes = {8, 7}, .tolerance = 1e-4, .transforms = 3, .options = {{"width", 6}}});
  for (const char* later : {"width", "upsampling", "grid1", "expected_error", "workspace_bytes"})
    EXPECT_EQ(status_of([&] { (void)plan.get(later); }), OFFGRID_WRONG_STATE) << later;
  EXPECT_NE(plan.describe().find("chosen when points are set"), std::string::npos);
  EXPECT_EQ(plan.get("transforms"), 3);
  EXPECT_EQ(plan.get("points"), -1);
  plan.set_points({this->x_, this->y_});
  EXPECT_EQ(plan.get("points"), 30);
  EXPECT_EQ(plan.get("width"), 6);
  EXPECT_EQ(plan.points(), 30);
  EXPECT_LE(plan.get("expected_error"), 1e-4);
  EXPECT_GE(plan.workspace_bytes(), sizeof(std::complex<TypeParam>) * plan.get("grid1") * plan.get("grid2"));
  const std::string words = plan.describe();
  EXPECT_EQ(words, offgrid_plan_describe(plan.handle()));
  const std::string precision = sizeof(TypeParam) == 4 ? "f32" : "f64";
  for (const std::string& part : {std::string("type 2"), std::string("8 x 7 modes"), std::string("3 transforms"),
                                  precision, std::string("width 6"), std::string("points       30")})
    EXPECT_NE(words.find(part), std::string::npos) << part << " in:\n" << words;
}

TYPED_TEST(FacadeTest, one_call) {
  offgrid::transform<TypeParam>({.type = 1, .modes = {8, 7}, .tolerance = 1e-5}, {this->x_, this->y_}, this->strengths_,
                                this->modes_);
  EXPECT_LE(relative_error(this->modes_, this->true_modes()), 1e-5);
  offgrid::transform<TypeParam>({.type = 2, .modes = {8, 7}, .tolerance = 1e-5, .sign = -1}, {this->x_, this->y_},
                                this->coefficients_, this->values_);
  EXPECT_LE(relative_error(this->values_, this->true_values(-1)), 1e-5);
}

}  // namespace
