// The error model against direct summation, and the choices made from it.
#include "core/kernel/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace offgrid {
namespace {

constexpr std::array kinds = {WindowKind::prolate, WindowKind::semicircle};

TEST(Kernel, ErrorModelFollowsTheAliasingError) {
  for (const WindowKind kind : kinds) {
    for (int width = min_width; width <= max_width; ++width) {
      for (const double sigma : {1.125, 1.14, 1.2, 1.33, 1.5, 1.75, 2.0, 2.2, 2.5}) {
        const double exact = aliasing_error(make_window(kind, sigma, width)).rms;
        const double ratio = window_error(kind, sigma, width) / exact;
        EXPECT_GT(ratio, 0.97) << "width " << width << " sigma " << sigma << " error " << exact;
        EXPECT_LT(ratio, 1.06) << "width " << width << " sigma " << sigma << " error " << exact;
      }
    }
  }
}

TEST(Kernel, ErrorModelFallsWithSigmaAndStaysABoundBeyondItsRange) {
  for (const WindowKind kind : kinds) {
    for (int width = min_width; width <= max_width; ++width) {
      for (double sigma = min_sigma; sigma < max_sigma; sigma += 0.01) {
        EXPECT_LT(window_error(kind, sigma + 0.01, width), window_error(kind, sigma, width));
      }
      EXPECT_GT(window_error(kind, 4.0, width), aliasing_error(make_window(kind, 4.0, width)).rms);
    }
  }
}

TEST(Kernel, MinimalSigmaJustMeetsTheError) {
  for (const WindowKind kind : kinds) {
    for (const double error : {1e-2, 1e-5, 1e-9}) {
      for (int width = min_width; width <= max_width; ++width) {
        const auto sigma = minimal_sigma(kind, width, error);
        EXPECT_EQ(sigma.has_value(), window_error(kind, max_sigma, width) <= error);
        if (!sigma) continue;
        EXPECT_LE(window_error(kind, *sigma, width), error);
        if (*sigma == min_sigma) continue;
        EXPECT_GT(window_error(kind, *sigma - 0.001, width), error);
      }
    }
  }
}

TEST(Kernel, SemicircleWidthIsThePapersRule) {
  for (int digits = 1; digits <= 15; ++digits) {
    EXPECT_EQ(semicircle_width(std::pow(10.0, -digits), 2.0), digits + 1);
    EXPECT_EQ(semicircle_width(0.5 * std::pow(10.0, -digits), 2.0), std::min(digits + 2, max_width));
  }
  EXPECT_EQ(semicircle_width(0.9, 2.0), min_width);
  EXPECT_EQ(semicircle_width(1e-6, 1.25), 10);  // ceil(13.8155 / (pi sqrt(0.2)))
}

TEST(Kernel, AmplificationModelFollowsItsDefinition) {
  const auto rule = gauss_legendre<double>(48);
  for (int width = min_width; width <= max_width; ++width) {
    for (const double sigma : {1.125, 1.2, 1.4, 1.8, 2.5}) {
      const WindowFunction<double> phi(make_window(WindowKind::prolate, sigma, width));
      double energy = 0, inverse = 0;
      for (std::size_t i = 0; i < rule.node.size(); ++i) {
        energy += rule.weight[i] * std::pow(phi(rule.node[i]), 2);
        const double frequency = std::numbers::pi * width / (2 * sigma) * rule.node[i];
        inverse += rule.weight[i] / 2 / std::pow(phi.transform(frequency), 2);
      }
      const double exact = std::sqrt(energy * inverse * 2 / width);
      EXPECT_NEAR(rounding_amplification(sigma, width) / exact, 1, 0.02) << "width " << width << " sigma " << sigma;
    }
  }
}

TEST(Kernel, RoundingFloorIsAProductOverTheAxes) {
  const Sizes grid{80, 80, 80};
  const auto floor = [&](int dim, Precision precision) {
    return rounding_floor(Problem{1, dim, {64, dim > 1 ? 64 : 1, dim > 2 ? 64 : 1}, precision, 1e-6}, grid, 8);
  };
  const double one = floor(1, Precision::f32), three = floor(3, Precision::f32);
  EXPECT_NEAR(three / one, std::pow(rounding_amplification(1.25, 8), 2), 1e-9);
  EXPECT_GT(one, 2e-7);
  EXPECT_LT(one, 5e-6);
  EXPECT_LT(floor(3, Precision::f64), 1e-7 * three);
}

}  // namespace
}  // namespace offgrid
