// Whitening, by which images and slices are compared: z = (sqrt(I) - mean) / spread * weight in each shell of the detector.
// Mean and spread are those over all pixels of the shell in all images, or in all slices: each by its own, so that no scale
// between images and model is needed. The weight is the signal's part of the images' spread.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mtip/types.hpp"

namespace cli::mtip {

// Of one shell, over the square roots of intensities.
struct ShellScale {
  float mean = 0, spread = 1;
  bool contrast = false;  // the spread is more than rounding errors
};

// Sums over the pixels of a shell and over images or slices; sums of several ranks add up.
struct ShellSums {
  std::vector<double> values;  // [shells, 3]: number of values, their sum, the sum of their squares
};
// `rows` of intensities, each of the first `pixels` of the detector, are `stride` numbers apart.
struct IntensityRows {
  const float* values;
  std::size_t rows, pixels, stride;
};
ShellSums shell_sums(const Detector& detector, const IntensityRows& intensities);
std::vector<ShellScale> shell_scales(const ShellSums& sums);
std::vector<ShellScale> image_scales(const Detector& detector, const Images& images,
                                     const std::function<void(std::span<double>)>& sum);

bool have_contrast(std::span<const ShellScale> scales);  // in at least one shell

// Weights of the shells. A photon count has a square root with a variance of 1/4, whatever its mean is.
std::vector<float> shell_weights(std::span<const ShellScale> images, Noise noise);

struct Whitened {
  std::vector<float> values;   // [images, pixels]
  std::vector<float> weights;  // [shells], also those of the slices
};

// `sum` adds an array over the ranks.
std::vector<float> image_weights(const Detector& detector, const Images& images, Noise noise,
                                 const std::function<void(std::span<double>)>& sum);
Whitened whiten_images(const Detector& detector, const Images& images, std::vector<float> weights,
                       const std::function<void(std::span<double>)>& sum);

}  // namespace cli::mtip
