// Spread only and interpolate only in C and C++: values by the kernel that the plan itself names.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <offgrid/offgrid.hpp>

#include "c_calls.hpp"

namespace {

using namespace support;

TEST(SpreadOnly, in_c_cells_are_values_of_the_kernel) {
  const auto options = make_options({{"spread_only", 1}, {"upsampling", 1.75}});
  const auto plan = make_plan({.dim = 2, .modes = {20, 23}, .tolerance = 1e-8}, options.get());
  const std::vector<double> x{0.4}, y{-1.3};
  ASSERT_EQ(offgrid_set_points(plan.get(), 1, x.data(), y.data(), nullptr, nullptr), OFFGRID_OK)
      << offgrid_last_error();
  std::vector<std::complex<double>> strengths{{2, -1}}, cells(20 * 23);
  ASSERT_EQ(offgrid_execute(plan.get(), strengths.data(), cells.data(), nullptr), OFFGRID_OK) << offgrid_last_error();
  const auto weight = [&](double coordinate, int n, int cell) {
    const double g = coordinate * n / (2 * std::numbers::pi);
    double value = 0, sum = 0;
    for (const int image : {-n, 0, n}) {
      EXPECT_EQ(offgrid_plan_kernel(plan.get(), cell + image - g, &value), OFFGRID_OK);
      sum += value;
    }
    return sum;
  };
  for (int l2 = 0; l2 < 23; ++l2)
    for (int l1 = 0; l1 < 20; ++l1) {
      const std::complex<double> expected = strengths[0] * weight(x[0], 20, l1) * weight(y[0], 23, l2);
      EXPECT_LE(std::abs(cells[l2 * 20 + l1] - expected), 1e-8) << l1 << " " << l2;
    }
}

TEST(SpreadOnly, in_c_the_kernel_is_refused_with_words) {
  double value = 7;
  const auto modes = make_plan({});
  EXPECT_EQ(offgrid_plan_kernel(modes.get(), 0, &value), OFFGRID_WRONG_STATE);
  EXPECT_NE(std::string(offgrid_last_error()).find("spread_only"), std::string::npos);
  EXPECT_EQ(offgrid_plan_kernel_transform(modes.get(), 0, 0, &value), OFFGRID_WRONG_STATE);
  expect_invalid(offgrid_plan_kernel(nullptr, 0, &value), {"plan", "null"});
  expect_invalid(offgrid_plan_kernel_transform(nullptr, 0, 0, &value), {"plan", "null"});
  const auto options = make_options({{"spread_only", 1}});
  const auto cells = make_plan({.modes = {20, 30}}, options.get());
  expect_invalid(offgrid_plan_kernel(cells.get(), 0, nullptr), {"value", "null"});
  expect_invalid(offgrid_plan_kernel_transform(cells.get(), 0, 0, nullptr), {"value", "null"});
  expect_invalid(offgrid_plan_kernel_transform(cells.get(), 2, 0, &value), {"axis is 2", "0 to 1"});
  expect_invalid(offgrid_plan_kernel_transform(cells.get(), 1, 241, &value), {"k is 241", "30 cells"});
  EXPECT_EQ(value, 7);
  offgrid_plan none = nullptr;
  expect_invalid(create(&none, {.modes = {20, 3}}, options.get()), {"3 cells", "width"});
  const auto high = make_options({{"upsampling", 2.6}});
  expect_invalid(create(&none, {}, high.get()), {"upsampling is 2.6", "spread_only"});
  void* array = nullptr;
  const std::vector<double> x{0.1};
  ASSERT_EQ(offgrid_set_points(cells.get(), 1, x.data(), x.data(), nullptr, nullptr), OFFGRID_OK);
  std::complex<double> strength = 1;
  expect_invalid(offgrid_execute(cells.get(), &strength, array, nullptr), {"cells is null", "600"});
}

// One call, and the facade: interpolation is the transpose of spreading, by execute of type 2 and by the adjoint of type 1.
TEST(SpreadOnly, in_cpp_interpolation_is_the_transpose) {
  const std::vector<float> x{0.1F, 2.0F, -3.0F};
  std::vector<std::complex<float>> cells(17), by_adjoint(3), by_type_2(3), in_one_call(3);
  for (std::size_t l = 0; l < cells.size(); ++l) cells[l] = {std::cos(static_cast<float>(l)), 0.5F};
  const offgrid::Problem problem{.type = 2, .modes = {17}, .tolerance = 1e-4, .options = {{"spread_only", "on"}}};
  offgrid::Problem transposed = problem;
  transposed.type = 1;
  offgrid::Plan<float> reads(problem), spreads(transposed);
  reads.set_points({x});
  spreads.set_points({x});
  reads.execute(cells, by_type_2);
  spreads.adjoint(cells, by_adjoint);
  offgrid::transform<float>(problem, {x}, cells, in_one_call);
  EXPECT_EQ(by_adjoint, by_type_2);
  EXPECT_EQ(in_one_call, by_type_2);
  for (std::size_t j = 0; j < x.size(); ++j) {
    std::complex<double> sum = 0;
    const double g = x[j] * 17 / (2 * std::numbers::pi);
    for (int l = -17; l < 34; ++l) sum += std::complex<double>(cells[(l + 17) % 17]) * reads.kernel(l - g);
    EXPECT_LE(std::abs(sum - std::complex<double>(by_type_2[j])), 1e-4 * std::abs(sum));
  }
  EXPECT_NEAR(reads.kernel(0), 1, 1e-15);
  EXPECT_GT(reads.kernel_transform(0, 0), reads.kernel_transform(0, 3));
  EXPECT_THROW((void)reads.kernel_transform(1, 0), offgrid::Error);
}

}  // namespace
