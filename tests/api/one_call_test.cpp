// offgrid_transform and offgrid_transform3, the single calls from C: right results in both precisions and all dimensions, and
// the same refusals as the calls that they stand for.
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

// Type 3, and its adjoint by exchanged points and the opposite sign.
template <class T> void expect_right_type3_in_one_call(int dim) {
  const double tolerance = 1e-5;
  const auto points = points_between<T>(-2, 3, dim, 40, 1), targets = points_between<T>(1, 9, dim, 30, 2);
  const auto strengths = random_values<T>(80, 3), values = random_values<T>(60, 4);  // of two vectors
  std::vector<const void*> x, s;
  for (const auto& axis : points.axis) x.push_back(axis.data());
  for (const auto& axis : targets.axis) s.push_back(axis.data());
  std::vector<std::complex<T>> to_targets(60), to_points(80);
  const auto plain = make_options({{"transforms", 2}}), opposite = make_options({{"transforms", 2}, {"sign", -1}});
  ASSERT_EQ(offgrid_transform3(dim, tolerance, c_precision<T>, plain.get(), 40, x.data(), 30, s.data(),
                               strengths.data(), to_targets.data()),
            OFFGRID_OK)
      << offgrid_last_error();
  ASSERT_EQ(offgrid_transform3(dim, tolerance, c_precision<T>, opposite.get(), 30, s.data(), 40, x.data(),
                               values.data(), to_points.data()),
            OFFGRID_OK)
      << offgrid_last_error();
  const auto sum = [](int sign, const auto& from, const auto& in, const auto& to) {
    Sums all;
    for (const std::size_t v : {0, 1}) {
      const auto one = std::span(in).subspan(v * in.size() / 2, in.size() / 2);
      const Sums sums = oracle::direct_type3<T>(sign, axes_of(from), one, axes_of(to));
      all.insert(all.end(), sums.begin(), sums.end());
    }
    return all;
  };
  EXPECT_LE(relative_error(to_targets, sum(1, points, strengths, targets)), tolerance);
  EXPECT_LE(relative_error(to_points, sum(-1, targets, values, points)), tolerance);
}

TEST(OneCall, type_3_is_right_in_every_dimension_and_precision) {
  for (const int dim : {1, 2, 3}) {
    expect_right_type3_in_one_call<float>(dim);
    expect_right_type3_in_one_call<double>(dim);
  }
}

TEST(OneCall, type_3_refuses_what_the_separate_calls_refuse) {
  const double x[] = {0.5, 1, 4}, s[] = {2, -3};
  const void *points = x, *targets = s, *missing = nullptr;
  const auto strengths = random_values<double>(3, 1);
  std::vector<std::complex<double>> values(2, 7.0);
  const auto call = [&](int dim, double tolerance, std::int64_t count, const void* const* from, const void* const* to) {
    return offgrid_transform3(dim, tolerance, OFFGRID_F64, nullptr, count, from, 2, to, strengths.data(),
                              values.data());
  };
  expect_invalid(call(4, 1e-6, 3, &points, &targets), {"dim", "4"});
  expect_invalid(call(1, -1, 3, &points, &targets), {"tolerance", "-1"});
  expect_invalid(call(1, 1e-6, -3, &points, &targets), {"points", "-3"});
  expect_invalid(call(1, 1e-6, 3, nullptr, &targets), {"points", "null"});
  expect_invalid(call(1, 1e-6, 3, &points, nullptr), {"targets", "null"});
  expect_invalid(call(1, 1e-6, 3, &points, &missing), {"targets", "null"});
  expect_invalid(offgrid_transform3(1, 1e-6, OFFGRID_F64, nullptr, 3, &points, 2, &targets, nullptr, values.data()),
                 {"strengths", "null"});
  expect_invalid(offgrid_transform(3, 1, nullptr, 1e-6, OFFGRID_F64, nullptr, 3, &points, values.data(), values.data()),
                 {"type is 3", "offgrid_transform3"});
  EXPECT_EQ(values, std::vector<std::complex<double>>(2, 7.0)) << "a refused call wrote something";
  ASSERT_EQ(call(1, 1e-6, 0, nullptr, &targets), OFFGRID_OK) << offgrid_last_error();
  EXPECT_EQ(values, std::vector<std::complex<double>>(2)) << "a sum over no points";
}

TEST(OneCall, no_points_give_zeros) {
  const void* axis = nullptr;
  const std::int64_t size = 8;
  auto modes = random_values<double>(8, 2);
  ASSERT_EQ(offgrid_transform(1, 1, &size, 1e-6, OFFGRID_F64, nullptr, 0, &axis, nullptr, modes.data()), OFFGRID_OK);
  EXPECT_EQ(modes, std::vector<std::complex<double>>(8));
}

}  // namespace
