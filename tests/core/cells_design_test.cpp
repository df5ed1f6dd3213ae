// The design of a plan that only spreads: the caller's grid, and a kernel that follows from tolerance and upsampling alone.
#include "core/design/cells_design.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/kernel/kernel.hpp"

namespace {

using namespace offgrid;

const BackendTraits traits{.name = "test"};

Problem problem_of(int dim, std::int64_t size, double tolerance, Precision precision = Precision::f64) {
  Problem problem{1, dim, {1, 1, 1}, precision, tolerance};
  for (int axis = 0; axis < dim; ++axis) problem.modes[axis] = size + axis;
  return problem;
}

Options cells_with(Options options) {
  options.spread_only = true;
  return options;
}

TEST(CellsDesign, has_the_callers_grid_and_no_modes) {
  const Problem problem = problem_of(3, 31, 1e-6);
  const Design design = make_design(problem, cells_with({.transforms = 3}), traits);
  EXPECT_EQ(design.grid, problem.modes);
  EXPECT_EQ(design.problem, problem);
  EXPECT_FALSE(design.has_modes());
  EXPECT_EQ(design.uniform_count(), 31 * 32 * 33);
  EXPECT_EQ(design.amplification, 1);
  EXPECT_EQ(design.window.sigma, 2);
  EXPECT_EQ(design.polynomial.width, design.window.width);
  for (const FactorSeries& factors : design.factors) EXPECT_EQ(factors.count(), 0);
}

TEST(CellsDesign, the_width_is_the_smallest_that_keeps_the_tolerance) {
  for (const double sigma : {1.05, 1.25, 2.0, 2.5, 10.0, 1000.0})
    for (const double tolerance : {1e-2, 1e-4, 1e-7, 1e-11})
      for (const int dim : {1, 2, 3}) {
        const Design design = make_design(problem_of(dim, 40, tolerance), cells_with({.upsampling = sigma}), traits);
        const auto error = [&](int width) { return std::sqrt(dim) * window_error(WindowKind::prolate, sigma, width); };
        const int width = design.window.width;
        SCOPED_TRACE(testing::Message() << sigma << " " << tolerance << " " << dim);
        if (design.reachable_tolerance <= tolerance) {
          EXPECT_LE(error(width), tolerance);
          EXPECT_LE(design.expected_error, tolerance);
        }
        if (width > min_width) {
          EXPECT_GT(error(width - 1), 0.9 * tolerance);
        }
      }
}

TEST(CellsDesign, over_two_and_a_half_the_kernel_is_that_of_two_and_a_half) {
  const Design far = make_design(problem_of(1, 40, 1e-6), cells_with({.upsampling = 77}), traits);
  const Design near = make_design(problem_of(1, 40, 1e-6), cells_with({.upsampling = max_sigma}), traits);
  EXPECT_EQ(far.window.width, near.window.width);
  EXPECT_EQ(far.window.parameter, near.window.parameter);
  EXPECT_EQ(far.window.sigma, 77);
}

TEST(CellsDesign, does_not_depend_on_the_number_of_points) {
  const Problem problem = problem_of(2, 50, 1e-5);
  const Design few = make_design(problem, cells_with({.points_hint = 1}), traits);
  const Design many = make_design(problem, cells_with({.points_hint = 1'000'000'000}), traits);
  EXPECT_TRUE(suits(few, many, traits));
  EXPECT_EQ(few.polynomial.coefficients, many.polynomial.coefficients);
}

// A kernel finer than the rounding of f32 would only cost time.
TEST(CellsDesign, a_tolerance_out_of_reach_gets_the_narrowest_kernel_that_is_almost_as_good) {
  const Design design = make_design(problem_of(1, 50, 1e-12, Precision::f32), cells_with({}), traits);
  EXPECT_LE(design.window.width, 9);
  EXPECT_LE(design.expected_error, 1e-6);
  EXPECT_GT(design.reachable_tolerance, 1e-12);
}

TEST(CellsDesign, the_semicircle_has_the_width_of_the_paper) {
  const Design design = make_design(problem_of(1, 50, 1e-5), cells_with({.window = WindowKind::semicircle}), traits);
  EXPECT_EQ(design.window.kind, WindowKind::semicircle);
  EXPECT_EQ(design.window.width, 6);
}

TEST(CellsDesign, refuses_before_points_are_set) {
  const auto refuses = [](const Problem& problem, const Options& options) {
    try {
      require_possible(problem, options, traits);
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  EXPECT_FALSE(refuses(problem_of(2, 7, 1e-6), cells_with({.width = 7})));
  EXPECT_TRUE(refuses(problem_of(2, 6, 1e-6), cells_with({.width = 7})));
  EXPECT_TRUE(refuses(problem_of(1, 50, 1e-6), cells_with({.strict = true, .width = 4})));
  EXPECT_FALSE(refuses(problem_of(1, 50, 1e-2), cells_with({.strict = true, .width = 4})));
}

}  // namespace
