#include "mtip/whiten.hpp"

#include <algorithm>
#include <cmath>

#include "oracle/parallel.hpp"

namespace cli::mtip {
namespace {

constexpr double photon_variance = 0.25;  // of the square root of a Poisson number, for means that are not small
constexpr double least_signal = 1e-3;     // the smallest part of a variance that is taken for the signal's

constexpr double least_contrast =
    1e-10;  // of a variance over the square of the mean; intensities are in single precision

double root(float intensity) { return std::sqrt(std::max(intensity, 0.0f)); }

}  // namespace

ShellSums shell_sums(const Detector& detector, const IntensityRows& intensities) {
  ShellSums sums{std::vector<double>(3 * static_cast<std::size_t>(detector.shells))};
  for (std::size_t i = 0; i < intensities.rows; ++i) {
    const float* row = intensities.values + i * intensities.stride;
    for (std::size_t pixel = 0; pixel < intensities.pixels; ++pixel) {
      const double value = root(row[pixel]);
      double* shell = &sums.values[3 * static_cast<std::size_t>(detector.shell[pixel])];
      shell[0] += 1;
      shell[1] += value;
      shell[2] += value * value;
    }
  }
  return sums;
}

std::vector<ShellScale> shell_scales(const ShellSums& sums) {
  std::vector<ShellScale> scales(sums.values.size() / 3);
  for (std::size_t shell = 0; shell < scales.size(); ++shell) {
    const double* sum = &sums.values[3 * shell];
    if (sum[0] == 0) continue;
    const double mean = sum[1] / sum[0];
    const double variance = sum[2] / sum[0] - mean * mean;
    // A shell without any contrast must not divide by nothing: its values are 0 whatever the spread is.
    const double least = 1e-12 * (mean * mean + 1e-30);
    scales[shell] = {.mean = static_cast<float>(mean),
                     .spread = static_cast<float>(std::sqrt(std::max(variance, least))),
                     .contrast = variance > least_contrast * mean * mean};
  }
  return scales;
}

std::vector<ShellScale> image_scales(const Detector& detector, const Images& images,
                                     const std::function<void(std::span<double>)>& sum) {
  const auto count = static_cast<std::size_t>(images.count), width = static_cast<std::size_t>(images.pixels);
  ShellSums sums =
      shell_sums(detector, {.values = images.intensities.data(), .rows = count, .pixels = width, .stride = width});
  sum(sums.values);
  return shell_scales(sums);
}

bool have_contrast(std::span<const ShellScale> scales) {
  return std::any_of(scales.begin(), scales.end(), [](const ShellScale& scale) { return scale.contrast; });
}

std::vector<float> shell_weights(std::span<const ShellScale> images, Noise noise) {
  std::vector<float> weights(images.size(), 1);
  if (noise == Noise::none) return weights;
  for (std::size_t shell = 0; shell < images.size(); ++shell) {
    const double variance = static_cast<double>(images[shell].spread) * images[shell].spread;
    const double signal = std::max(variance - photon_variance, least_signal * variance);
    weights[shell] = static_cast<float>(std::sqrt(signal / variance));
  }
  return weights;
}

std::vector<float> image_weights(const Detector& detector, const Images& images, Noise noise,
                                 const std::function<void(std::span<double>)>& sum) {
  return shell_weights(image_scales(detector, images, sum), noise);
}

Whitened whiten_images(const Detector& detector, const Images& images, std::vector<float> weights,
                       const std::function<void(std::span<double>)>& sum) {
  const auto scales = image_scales(detector, images, sum);
  Whitened result{.values = std::vector<float>(images.intensities.size()), .weights = std::move(weights)};
  oracle::parallel_ranges(images.count, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first * images.pixels; i < last * images.pixels; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto shell = static_cast<std::size_t>(detector.shell[static_cast<std::size_t>(i % images.pixels)]);
      const double centred = root(images.intensities[at]) - scales[shell].mean;
      result.values[at] = static_cast<float>(centred / scales[shell].spread) * result.weights[shell];
    }
  });
  return result;
}

}  // namespace cli::mtip
