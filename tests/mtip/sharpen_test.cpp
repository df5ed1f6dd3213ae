// Sharpening of the images, and the way back.
#include "mtip/sharpen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mtip/experiment.hpp"
#include "mtip/ranks.hpp"
#include "mtip/simulate.hpp"

namespace cli::mtip {
namespace {

constexpr double pi = std::numbers::pi;
const auto no_ranks = [](std::span<double>) {};

// Images of one Gaussian are the same in all orientations, and fall by exp(-4 pi^2 width^2 q^2).
Images images_of_a_gaussian(const Detector& detector, double width) {
  Images images{.count = 2, .pixels = static_cast<std::int64_t>(detector.pixels.size()), .intensities = {}};
  for (int i = 0; i < 2; ++i)
    for (const double q : detector.radius)
      images.intensities.push_back(static_cast<float>(1000 * std::exp(-4 * pi * pi * width * width * q * q)));
  return images;
}

TEST(MtipSharpen, TakesAPartOfTheWidthOff) {
  const Detector detector = make_detector(32, 0);
  const Images images = images_of_a_gaussian(detector, 0.9);
  const double width = sharpening_width(detector, images, no_ranks);
  EXPECT_NEAR(width, 0.8 * 0.9, 0.01);
  const Images rest = sharpened(detector, images, width), expected = images_of_a_gaussian(detector, 0.9 * 0.6);
  for (std::size_t p = 0; p < detector.pixels.size(); ++p)
    EXPECT_NEAR(rest.image(1)[p], expected.image(1)[p], 0.05 * expected.image(1)[p]);
}

TEST(MtipSharpen, IntensitiesThatDoNotFallStayAsTheyAre) {
  const Detector detector = make_detector(32, 0);
  const Images images = images_of_a_gaussian(detector, 0);
  EXPECT_NEAR(sharpening_width(detector, images, no_ranks), 0, 1e-3);
}

TEST(MtipSharpen, BlurIsAGaussian) {
  constexpr int size = 13, half = size / 2;
  Volume point{.size = size, .values = std::vector<float>(size * size * size)};
  point.values[point.values.size() / 2] = 1;
  const Volume blob = blurred(point, 1.2, 25);
  for (int x = -half; x <= half; ++x) {
    const double expected = std::pow(2 * pi * 1.44, -1.5) * std::exp(-x * x / (2 * 1.44));
    EXPECT_NEAR(blob.values[blob.values.size() / 2 + static_cast<std::size_t>(x + half) - half], expected, 2e-5);
  }
}

// Zeros alone had a score of -inf and half sets that agreed up to Nyquist.
TEST(MtipSharpen, RefusesImagesWithoutContrast) {
  Experiment e = make_experiment({.images = 3, .modes = 9, .seed = 2}, {});
  for (const float value : {0.0F, 0.3F, 1e20F}) {
    std::fill(e.images.intensities.begin(), e.images.intensities.end(), value);
    for (const Noise noise : {Noise::none, Noise::poisson})
      EXPECT_THROW(prepare(e.detector, e.images, noise, no_ranks), AgreedError) << value;
  }
  e.images.intensities[5] = 1.001e20F;
  prepare(e.detector, e.images, e.noise, no_ranks);
}

}  // namespace
}  // namespace cli::mtip
