// offgrid_transform, the single call from C: right results in both precisions and all dimensions, and the same refusals
// as the calls that it stands for.
#include "c_calls.hpp"

namespace {

using namespace support;

template <class T>
offgrid_status one_call(const Arguments& arguments, const PointSet<T>& points, std::vector<std::complex<T>>& strengths,
                        std::vector<std::complex<T>>& modes, offgrid_options options = nullptr) {
  std::vector<const void*> axes;
  for (const auto& axis : points.axis) axes.push_back(axis.data());
  return offgrid_transform(arguments.type, points.dim(), arguments.modes.data(), arguments.tolerance, c_precision<T>,
                           options, points.count(), axes.data(), strengths.data(), modes.data());
}

template <class T> void expect_right_in_one_call(const Sizes& modes) {
  const Arguments type1{.type = 1, .modes = modes}, type2{.type = 2, .modes = modes};
  const auto points = uniform_points<T>(static_cast<int>(modes.size()), 40);
  auto strengths = random_values<T>(40, 1), coefficients = random_values<T>(product(modes), 2);
  std::vector<std::complex<T>> to_modes(coefficients.size()), to_points(40);
  ASSERT_EQ(one_call(type1, points, strengths, to_modes), OFFGRID_OK) << offgrid_last_error();
  ASSERT_EQ(one_call(type2, points, to_points, coefficients), OFFGRID_OK) << offgrid_last_error();
  EXPECT_LE(relative_error(to_modes, direct_sum<T>(To::modes, {modes, -1}, points, strengths)), type1.tolerance);
  EXPECT_LE(relative_error(to_points, direct_sum<T>(To::points, {modes, +1}, points, coefficients)), type2.tolerance);
}

TEST(OneCall, right_in_every_dimension_and_precision) {
  for (const Sizes& modes : std::vector<Sizes>{{21}, {6, 9}, {4, 5, 6}}) {
    expect_right_in_one_call<float>(modes);
    expect_right_in_one_call<double>(modes);
  }
}

TEST(OneCall, takes_options) {
  const auto options = make_options({{"sign", 1}, {"transforms", 2}});
  const auto points = uniform_points<double>(1, 15);
  auto strengths = random_values<double>(30, 1);
  std::vector<std::complex<double>> modes(16);
  ASSERT_EQ(one_call({.dim = 1, .modes = {8}}, points, strengths, modes, options.get()), OFFGRID_OK);
  EXPECT_LE(relative_error(modes, direct_sum<double>(To::modes, {{8}, 1, 2}, points, strengths)), 1e-5);
}

TEST(OneCall, refuses_what_the_separate_calls_refuse) {
  const auto points = uniform_points<double>(1, 3);
  auto strengths = random_values<double>(3, 1), modes = random_values<double>(8, 2);
  const std::int64_t size = 8, negative = -8;
  const void *axis = points.axis[0].data(), *missing = nullptr;
  const auto call = [&](int type, int dim, const std::int64_t* sizes, std::int64_t count, const void* const* axes) {
    return offgrid_transform(type, dim, sizes, 1e-6, OFFGRID_F64, nullptr, count, axes, strengths.data(), modes.data());
  };
  EXPECT_EQ(call(1, 1, &size, 3, &axis), OFFGRID_OK);
  expect_invalid(call(9, 1, &size, 3, &axis), {"type", "9"});
  expect_invalid(call(1, 0, &size, 3, &axis), {"dim", "0"});
  expect_invalid(call(1, 1, nullptr, 3, &axis), {"modes", "null"});
  expect_invalid(call(1, 1, &negative, 3, &axis), {"modes[0]", "-8"});
  expect_invalid(call(1, 1, &size, -3, &axis), {"points", "-3"});
  expect_invalid(call(1, 1, &size, 3, nullptr), {"points", "null"});
  expect_invalid(call(1, 1, &size, 3, &missing), {"x", "null"});
}

TEST(OneCall, no_points_give_zeros) {
  const void* axis = nullptr;
  const std::int64_t size = 8;
  auto modes = random_values<double>(8, 2);
  ASSERT_EQ(offgrid_transform(1, 1, &size, 1e-6, OFFGRID_F64, nullptr, 0, &axis, nullptr, modes.data()), OFFGRID_OK);
  EXPECT_EQ(modes, std::vector<std::complex<double>>(8));
}

}  // namespace
