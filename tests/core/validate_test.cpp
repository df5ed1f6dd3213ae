// What is refused before anything is chosen or allocated, and that each message names the argument, its value and what
// was expected. Guards finufft#890, #894, #498, cufinufft#131: guards against overflow that themselves overflowed.
#include "core/validate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace {

using namespace offgrid;

std::string refusal(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::invalid_argument);
    return error.what();
  }
}

std::string refusal(const Problem& problem, const Options& options = {}) {
  return refusal([&] { validate(problem, options); });
}

void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
}

TEST(Validate, good_problems_pass) {
  for (const int type : {1, 2})
    for (int dim = 1; dim <= 3; ++dim) EXPECT_EQ(refusal(Problem{.type = type, .dim = dim, .modes = {5, 1, 1}}), "");
  EXPECT_EQ(refusal(Problem{.dim = 2, .modes = {0, 7, 1}}), "");
  EXPECT_EQ(refusal(Problem{.tolerance = 1e-300}), "");
  EXPECT_EQ(refusal(Problem{.tolerance = 2}), "");
}

TEST(Validate, type_and_dimension_are_named) {
  for (const int type : {0, -1, 4, 1000})
    expect_parts(refusal(Problem{.type = type}), {"type", std::to_string(type), "expected"});
  for (const int dim : {0, -1, 4, 1000})
    expect_parts(refusal(Problem{.dim = dim}), {"dim", std::to_string(dim), "expected"});
}

TEST(Validate, negative_sizes_are_named_with_their_axis) {
  expect_parts(refusal(Problem{.dim = 3, .modes = {4, 5, -6}}), {"modes[2]", "-6", "expected"});
  expect_parts(refusal(Problem{.dim = 1, .modes = {INT64_MIN, 1, 1}}), {"modes[0]", "expected"});
}

TEST(Validate, tolerance_is_a_positive_number) {
  for (const double bad : {0.0, -0.0, -1e-6, std::nan(""), -std::numeric_limits<double>::infinity()})
    expect_parts(refusal(Problem{.tolerance = bad}), {"tolerance", "expected"});
}

TEST(Validate, products_that_overflow_are_refused) {
  const std::int64_t huge = INT64_MAX, root = std::int64_t{1} << 32;
  expect_parts(refusal(Problem{.dim = 1, .modes = {huge, 1, 1}}), {"modes", "too large"});
  expect_parts(refusal(Problem{.dim = 2, .modes = {root, root, 1}}), {"modes", "too large"});
  expect_parts(refusal(Problem{.dim = 3, .modes = {1 << 21, 1 << 21, 1 << 21}}), {"modes", "too large"});
  expect_parts(refusal(Problem{.dim = 1, .modes = {root, 1, 1}}, {.transforms = root}), {"transforms", "too large"});
}

TEST(Validate, upsampling_over_two_and_a_half_is_for_plans_that_only_spread) {
  expect_parts(refusal(Problem{}, {.upsampling = 2.6}), {"upsampling", "2.6", "at most 2.5", "spread_only"});
  EXPECT_EQ(refusal(Problem{}, {.spread_only = true, .upsampling = 2.6}), "");
}

TEST(Validate, semicircle_window_needs_upsampling_that_its_rule_covers) {
  expect_parts(refusal(Problem{}, {.upsampling = 1.1, .window = WindowKind::semicircle}),
               {"upsampling", "1.1", "expected"});
}

TEST(CheckedProduct, is_the_product_or_an_error_that_names_it) {
  EXPECT_EQ(checked_product("cells", 3, 5), 15);
  EXPECT_EQ(checked_product("cells", 3, 5, 7), 105);
  EXPECT_EQ(checked_product("cells", std::int64_t{1} << 31, std::int64_t{1} << 31), std::int64_t{1} << 62);
  expect_parts(refusal([] { checked_product("cells", std::int64_t{1} << 32, std::int64_t{1} << 31); }),
               {"cells", "too large"});
  expect_parts(refusal([] { checked_product("cells", 2, std::int64_t{1} << 61, std::int64_t{2}); }),
               {"cells", "too large"});
}

TEST(RequireArray, refuses_null_and_misaligned_but_not_empty) {
  alignas(8) char bytes[16];
  EXPECT_EQ(refusal([&] { require_array<double>("x", bytes, 1); }), "");
  EXPECT_EQ(refusal([&] { require_array<double>("x", nullptr, 0); }), "");
  EXPECT_EQ(refusal([&] { require_array<float>("x", bytes + 4, 1); }), "");
  expect_parts(refusal([&] { require_array<double>("x", nullptr, 7); }), {"x", "null", "7"});
  expect_parts(refusal([&] { require_array<double>("x", bytes + 4, 1); }), {"x", "aligned", "8"});
  expect_parts(refusal([&] { require_array<float>("y", bytes + 1, 1); }), {"y", "aligned", "4"});
}

}  // namespace
