// The design: grids large and smooth enough, errors that keep the tolerance wherever it can be reached, choices that
// follow the options, and a report that names them. Pure host code: no engine, no device.
#include "core/design.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "core/design/cost.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace {

using namespace offgrid;

const std::vector<Sizes> shapes{{1, 1, 1},    {2, 1, 1},   {97, 1, 1},   {1000, 1, 1}, {1 << 20, 1, 1},
                                {1, 1000, 1}, {64, 64, 1}, {1000, 3, 1}, {1, 1, 1},    {3, 500, 2},
                                {64, 64, 64}, {1, 1, 700}, {127, 90, 33}};

int dim_of(const Sizes& modes) { return modes[2] > 1 ? 3 : modes[1] > 1 ? 2 : 1; }

Design design_of(const Sizes& modes, Precision precision, double tolerance, const Options& options = {}) {
  return make_design({1, dim_of(modes), modes, precision, tolerance}, options, {});
}

// body(design) for each shape, precision and promised tolerance.
template <class F> void for_each_design(F body, const Options& options = {}) {
  for (const Sizes& modes : shapes)
    for (const auto precision : {Precision::f32, Precision::f64})
      for (int digits = 1; digits <= (precision == Precision::f32 ? 6 : 13); ++digits) {
        const double tolerance = std::stod("1e-" + std::to_string(digits));
        SCOPED_TRACE(text(modes[0], " ", modes[1], " ", modes[2], " tolerance ", tolerance, " f",
                          precision == Precision::f32 ? 32 : 64));
        body(design_of(modes, precision, tolerance, options));
      }
}

bool is_smooth(std::int64_t n) {
  for (const std::int64_t factor : {2, 3, 5, 7})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

TEST(Design, grid_is_large_enough_for_sigma_and_width_and_smooth) {
  for_each_design([](const Design& design) {
    for (int axis = 0; axis < max_dim; ++axis) {
      const std::int64_t grid = design.grid[axis];
      if (axis >= design.dim()) {
        EXPECT_EQ(grid, 1);
        continue;
      }
      EXPECT_GE(static_cast<double>(grid),
                design.window.sigma * static_cast<double>(design.problem.modes[axis]) * (1 - 1e-12));
      EXPECT_GE(grid, design.window.width);
      EXPECT_TRUE(is_smooth(grid)) << grid;
    }
  });
}

TEST(Design, grid_is_not_wastefully_large) {
  for_each_design([](const Design& design) {
    for (int axis = 0; axis < design.dim(); ++axis)
      EXPECT_LE(static_cast<double>(design.grid[axis]),
                1.3 * 2.5 * static_cast<double>(design.problem.modes[axis]) + 64);
  });
}

TEST(Design, expected_error_keeps_the_tolerance_wherever_promised) {
  for_each_design([](const Design& design) {
    EXPECT_LE(design.expected_error, design.problem.tolerance);
    EXPECT_GT(design.expected_error, 0);
    EXPECT_LE(design.reachable_tolerance, design.problem.tolerance);
  });
}

TEST(Design, expected_error_keeps_the_tolerance_at_a_given_upsampling) {
  for_each_design([](const Design& design) { EXPECT_LE(design.expected_error, design.problem.tolerance); },
                  {.upsampling = 2});
}

TEST(Design, tighter_tolerances_never_expect_more_error) {
  for (const Sizes& modes : shapes)
    for (const auto precision : {Precision::f32, Precision::f64}) {
      double last = 2;
      for (int tenths = 0; tenths <= 160; tenths += 5) {
        const Design design = design_of(modes, precision, std::pow(10, -0.1 * tenths));
        EXPECT_LE(design.expected_error, std::max(last, design.reachable_tolerance) * (1 + 1e-9)) << tenths;
        last = std::min(last, std::pow(10, -0.1 * tenths));
      }
    }
}

TEST(Design, reachable_tolerance_does_not_depend_on_what_was_asked) {
  for (const Sizes& modes : shapes)
    for (const auto precision : {Precision::f32, Precision::f64})
      EXPECT_NEAR(design_of(modes, precision, 1e-3).reachable_tolerance /
                      design_of(modes, precision, 1e-30).reachable_tolerance,
                  1, 1e-9);
}

TEST(Design, strict_takes_the_reachable_tolerance_and_refuses_less) {
  for (const Sizes& modes : shapes)
    for (const auto precision : {Precision::f32, Precision::f64}) {
      const double reachable = design_of(modes, precision, 1e-3).reachable_tolerance;
      EXPECT_NO_THROW(design_of(modes, precision, reachable * 1.001, {.strict = true}));
      EXPECT_THROW(design_of(modes, precision, reachable * 0.5, {.strict = true}), Error);
      EXPECT_NO_THROW(design_of(modes, precision, reachable * 0.5));
    }
}

TEST(Design, width_and_sigma_that_are_asked_for_are_taken) {
  for (int width = 2; width <= 16; ++width)
    for (const double sigma : {1.25, 1.5, 2.0, 2.5}) {
      const Design design = design_of({40, 41, 1}, Precision::f64, 1e-6, {.upsampling = sigma, .width = width});
      EXPECT_EQ(design.window.width, width);
      EXPECT_EQ(design.polynomial.width, width);
      EXPECT_GE(static_cast<double>(design.grid[0]), sigma * 40);
    }
}

TEST(Design, grids_take_the_sizes_that_an_engine_likes_as_far_as_they_go) {
  static constexpr int liked[] = {16, 40, 100, 1000};
  BackendTraits traits;
  traits.grid_sizes = liked;
  for (const std::int64_t modes : {1, 5, 8, 20, 21, 49, 50, 51, 400, 500, 501, 3000}) {
    const Design design = make_design({1, 1, {modes, 1, 1}}, {.upsampling = 2, .width = 4}, traits);
    EXPECT_GE(design.grid[0], 2 * modes);
    if (modes <= 500)
      EXPECT_EQ(design.grid[0], *std::lower_bound(std::begin(liked), std::end(liked), 2 * modes));
    else
      EXPECT_TRUE(is_smooth(design.grid[0])) << design.grid[0];
    EXPECT_LE(design.expected_error, 1e-2) << modes;  // the window is made for the sigma that this led to
  }
}

TEST(Design, an_axis_that_is_alone_may_have_sizes_of_its_own) {
  static constexpr int liked[] = {16, 40, 100, 1000}, in_1d[] = {16, 40, 100, 1000, 7000};
  BackendTraits traits;
  traits.grid_sizes = liked;
  traits.sizes_in_1d = in_1d;
  const Options options{.upsampling = 2, .width = 4};
  EXPECT_EQ(make_design({1, 1, {3000, 1, 1}}, options, traits).grid[0], 7000);
  const Design beside_another = make_design({1, 2, {3000, 8, 1}}, options, traits);
  EXPECT_LT(beside_another.grid[0], 7000);
  EXPECT_EQ(beside_another.grid[1], 16);
}

TEST(Design, sign_follows_the_type_unless_given) {
  const auto sign = [](int type, int asked) { return sign_of({type, 1, {8, 1, 1}}, {.sign = asked}); };
  EXPECT_EQ(sign(1, 0), Sign::minus);
  EXPECT_EQ(sign(2, 0), Sign::plus);
  for (const int type : {1, 2}) {
    EXPECT_EQ(sign(type, -1), Sign::minus);
    EXPECT_EQ(sign(type, +1), Sign::plus);
  }
}

TEST(Design, deconvolution_has_a_positive_factor_for_each_frequency) {
  for_each_design([](const Design& design) {
    for (int axis = 0; axis < design.dim(); ++axis) {
      const FactorSeries& factors = design.factors[axis];
      ASSERT_EQ(factors.count(), design.problem.modes[axis] / 2 + 1);
      for (std::int64_t k = 1; k < factors.count(); k += 1 + k / 3)
        EXPECT_GE(factors(k), factors(k / 2));  // outer modes fade
      EXPECT_GT(factors(0), 0);
    }
  });
}

TEST(Design, numbers_of_points_share_designs) {
  EXPECT_EQ(designed_points(0), 1);
  EXPECT_EQ(designed_points(1), 1);
  EXPECT_EQ(designed_points(1024), 1024);
  EXPECT_EQ(designed_points(1025), 1448);
  EXPECT_EQ(designed_points(1449), 2048);
  for (std::int64_t count = 2; count < 1000000; count += 1 + count / 7) {
    const std::int64_t rounded = designed_points(count);
    EXPECT_GE(rounded, count);
    EXPECT_LE(static_cast<double>(rounded), 1.5 * static_cast<double>(count));
    EXPECT_EQ(designed_points(rounded), rounded);
  }
}

// A set_points in a loop keeps the design while the number of points changes a little, and takes another one where that
// gains more than 3 %.
TEST(Design, suits_other_numbers_of_points_while_it_costs_little) {
  const Problem problem{1, 3, {64, 64, 64}, Precision::f64, 1e-9};
  const BackendTraits traits;
  const auto designed = [&](std::int64_t points, bool deterministic) {
    return make_design(problem, {.deterministic = deterministic, .points_hint = points}, traits);
  };
  const auto cost = [&](const Design& design, const Design& fresh) {
    return transform_cost(problem, design.grid, design.window.width, fresh.options, traits);
  };
  int kept = 0, replaced = 0;
  for (const std::int64_t before : {100, 10000, 1000000, 100000000})
    for (const std::int64_t now : {100, 200, 10000, 15000, 1000000, 100000000}) {
      const Design present = designed(before, false), fresh = designed(now, false);
      const bool same = present.grid == fresh.grid && present.window.width == fresh.window.width;
      const bool keeps = suits(present, fresh, traits);
      EXPECT_EQ(keeps, cost(present, fresh) <= 1.03 * cost(fresh, fresh)) << before << " then " << now;
      EXPECT_TRUE(keeps || !same);
      EXPECT_EQ(suits(designed(before, true), designed(now, true), traits), same) << before << " then " << now;
      ++(keeps ? kept : replaced);
    }
  EXPECT_GE(kept, 6);
  EXPECT_GE(replaced, 6);
}

TEST(Design, batch_is_between_one_and_the_transforms) {
  for (const std::int64_t transforms : {1, 2, 5, 16, 1000})
    for (const std::int64_t asked : {0, 1, 3, 2000}) {
      const auto batch = design_of({50, 50, 1}, Precision::f64, 1e-6, {.transforms = transforms, .batch = asked}).batch;
      EXPECT_GE(batch, 1);
      EXPECT_LE(batch, transforms);
      EXPECT_TRUE(asked == 0 || batch == std::min(asked, transforms)) << batch;
    }
}

TEST(Design, an_axis_without_modes_makes_it_empty) {
  EXPECT_TRUE(make_design({1, 2, {5, 0, 1}}, {}, {}).empty);
  EXPECT_TRUE(make_design({1, 2, {0, 1000000, 1}}, {}, {}).empty);
  EXPECT_FALSE(make_design({1, 2, {5, 1, 1}}, {}, {}).empty);
}

TEST(Design, tolerances_from_one_up_are_the_coarsest) {
  for (const double tolerance : {1.0, 3.0, 1e308}) {
    const Design design = design_of({64, 64, 1}, Precision::f64, tolerance);
    EXPECT_EQ(design.window.width, design_of({64, 64, 1}, Precision::f64, 1).window.width);
  }
}

TEST(Design, semicircle_follows_the_papers_width_rule) {
  for (int digits = 1; digits <= 12; ++digits) {
    const double tolerance = std::stod("1e-" + std::to_string(digits));
    const Design design = design_of({64, 64, 1}, Precision::f64, tolerance, {.window = WindowKind::semicircle});
    EXPECT_EQ(design.window.kind, WindowKind::semicircle);
    EXPECT_EQ(design.window.width, digits + 1);
  }
}

TEST(Design, description_names_the_choices) {
  const Design design = design_of({64, 50, 1}, Precision::f32, 1e-4);
  const std::string words = describe(design);
  for (const std::string& part : {std::to_string(design.window.width), std::to_string(design.grid[0]),
                                  std::to_string(design.grid[1]), std::string("0.0001")})
    EXPECT_NE(words.find(part), std::string::npos) << part << " in:\n" << words;
}

TEST(Design, invalid_problems_are_refused) {
  EXPECT_THROW(make_design({4, 1, {8, 1, 1}}, {}, {}), Error);
  EXPECT_THROW(make_design({1, 1, {-8, 1, 1}}, {}, {}), Error);
  EXPECT_THROW(make_design({1, 1, {8, 1, 1}, Precision::f64, std::nan("")}, {}, {}), Error);
}

}  // namespace
