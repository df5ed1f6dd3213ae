// Deconvolution factors against the window's transform, one by one and in runs.
#include "core/kernel/factors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace offgrid {
namespace {

constexpr std::array kinds = {WindowKind::prolate, WindowKind::semicircle};

std::vector<double> deconvolution_factors(const Window& window, std::int64_t modes, std::int64_t grid) {
  const FactorSeries series(window, modes, grid);
  std::vector<double> factors(static_cast<std::size_t>(series.count()));
  series.evaluate(0, factors);
  return factors;
}

// window_test holds this transform against brute force.
double phihat_times(double factor, const Window& window, std::int64_t k, std::int64_t grid) {
  const WindowFunction<long double> phi(window);
  const long double frequency = std::numbers::pi_v<long double> * window.width * k / grid;
  return static_cast<double>(factor * window.width / 2 * phi.transform(frequency));
}

TEST(Factors, invert_the_transform) {
  for (const WindowKind kind : kinds) {
    for (const double sigma : {1.125, 1.5, 2.5}) {
      for (const int width : {2, 7, 16}) {
        const Window window = make_window(kind, sigma, width);
        for (const std::int64_t modes : {std::int64_t{1}, std::int64_t{2}, std::int64_t{37}, std::int64_t{1000000}}) {
          const auto grid = static_cast<std::int64_t>(std::ceil(sigma * modes)) + 2;
          const std::vector<double> factors = deconvolution_factors(window, modes, grid);
          ASSERT_EQ(static_cast<std::int64_t>(factors.size()), modes / 2 + 1);
          for (std::int64_t k = 0; k <= modes / 2; k += std::max<std::int64_t>(modes / 14, 1)) {
            EXPECT_NEAR(phihat_times(factors[k], window, k, grid), 1, 2e-14)
                << "width " << width << " sigma " << sigma << " mode " << k << " of " << modes;
          }
        }
      }
    }
  }
}

// On a grid of 2 cells, k = 1 is beyond the band of such a prolate window, and its transform there 0.
TEST(Factors, of_one_mode_ask_for_no_other) {
  for (const WindowKind kind : kinds) {
    const Window window = make_window(kind, 1.05, 2);
    for (const std::int64_t grid : {2, 3, 4, 8}) {
      const std::vector<double> factors = deconvolution_factors(window, 1, grid);
      ASSERT_EQ(factors.size(), 1U);
      EXPECT_NEAR(phihat_times(factors[0], window, 0, grid), 1, 1e-14) << grid;
    }
  }
}

TEST(Factors, of_a_finer_grid_than_the_window_is_made_for) {
  const Window window = make_window(WindowKind::prolate, 1.25, 8);
  const std::vector<double> factors = deconvolution_factors(window, 8, 24);
  for (int k = 0; k <= 4; ++k) EXPECT_NEAR(phihat_times(factors[k], window, k, 24), 1, 1e-14);
}

// Engines evaluate parts of an axis on several threads: wherever a part begins, the factors are the same to rounding.
TEST(Factors, any_part_of_an_axis) {
  for (const std::int64_t modes : {5, 1000, 300000}) {
    const FactorSeries series(make_window(WindowKind::prolate, 1.2, 9), modes, modes + modes / 5 + 1);
    for (const std::int64_t first : {std::int64_t{0}, modes / 7, modes / 2}) {
      std::vector<double> part(static_cast<std::size_t>(std::min<std::int64_t>(series.count() - first, 5000)));
      series.evaluate(first, part);
      for (std::size_t i = 0; i < part.size(); ++i) {
        const double alone = series(first + static_cast<std::int64_t>(i));
        ASSERT_NEAR(part[i] / alone, 1, 5e-15) << i << " from " << first << " of " << modes;
      }
    }
  }
}

}  // namespace
}  // namespace offgrid
