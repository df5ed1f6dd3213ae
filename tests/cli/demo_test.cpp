// What the demonstration stands on: the closed form of the phantom's Fourier transform, the weights, and the picture.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <numeric>

#include "demo/phantom.hpp"
#include "demo/trajectory.hpp"
#include "picture/picture.hpp"
#include "temporary_folder.hpp"
#include "text.hpp"

namespace {

using std::numbers::pi;

// The pixels are a Riemann sum of the integral; at low frequencies it is good to 1e-3.
TEST(Phantom, ClosedFormIsTheTransformOfThePixels) {
  constexpr std::int64_t size = 128;
  const auto pixels = cli::phantom_pixels(size);
  const double width = cli::phantom_width / size;
  for (const auto& [k1, k2] :
       std::vector<std::pair<double, double>>{{0, 0}, {0.5, 0}, {0, -1.5}, {1.25, 2.5}, {-4, 3}}) {
    std::complex<double> sum = 0;
    for (std::int64_t n2 = 0; n2 < size; ++n2)
      for (std::int64_t n1 = 0; n1 < size; ++n1)
        sum += pixels[static_cast<std::size_t>(n2 * size + n1)] * width * width *
               std::polar(1.0, -2 * pi * (k1 * (n1 - size / 2) + k2 * (n2 - size / 2)) * width);
    EXPECT_LT(std::abs(sum - cli::phantom_fourier(k1, k2)), 1e-3) << k1 << " " << k2;
  }
}

TEST(Trajectory, WeightsAddUpToTheDisc) {
  const auto radial = cli::golden_angle_radial<double>(64, 100, 128);
  const double area = std::accumulate(radial.weights.begin(), radial.weights.end(), 0.0) * 64 * 64;
  EXPECT_NEAR(area, pi * 32 * 32, 0.01 * pi * 32 * 32);
  const auto disc = cli::cartesian_disc<double>(64);
  EXPECT_NEAR(static_cast<double>(disc.weights.size()), pi * 32 * 32, 0.02 * pi * 32 * 32);
  EXPECT_EQ(cli::golden_angle_radial<float>(16, 1, 8).weights.size(), 8u);
}

TEST(Picture, DrawsClampsAndWrites) {
  cli::Picture picture(20, 12, 9);
  picture.draw({{0, 0}, 2, 3, 0, 1}, {0, 1, 2, -1});  // row 0, which is 0 and 1, is at the bottom
  EXPECT_EQ(picture.get({0, 5}), 0);
  EXPECT_EQ(picture.get({5, 5}), 255);
  EXPECT_EQ(picture.get({0, 0}), 255);
  EXPECT_EQ(picture.get({5, 0}), 0);
  EXPECT_EQ(picture.get({6, 0}), 9);
  picture.write({8, 2}, 1, "I");
  EXPECT_EQ(picture.get({10, 4}), 255);
  picture.write({18, 10}, 4, "edge");  // what lies outside is left out
  const TemporaryFolder folder;
  picture.save_png(folder.file("a.png"));
  std::string start(8, ' ');
  std::ifstream(folder.file("a.png"), std::ios::binary).read(start.data(), 8);
  EXPECT_EQ(start, "\x89PNG\r\n\x1a\n");
  EXPECT_THROW(picture.save_png("/nonexistent/a.png"), cli::InputError);
}

}  // namespace
