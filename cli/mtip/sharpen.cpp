#include "mtip/sharpen.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mtip/fft.hpp"
#include "mtip/ranks.hpp"
#include "oracle/parallel.hpp"

namespace cli::mtip {
namespace {

constexpr double pi = std::numbers::pi;
// Of the fitted width: parts of a particle differ in width, and the narrowest must stay wider than what is taken off.
constexpr double part_taken = 0.8;

// Of each shell: number of pixels, sum of |q|^2, sum of intensities.
std::vector<double> shell_profile(const Detector& detector, const Images& images) {
  std::vector<double> sums(3 * static_cast<std::size_t>(detector.shells));
  for (std::int64_t i = 0; i < images.count; ++i) {
    const auto image = images.image(i);
    for (std::size_t p = 0; p < image.size(); ++p) {
      double* shell = &sums[3 * static_cast<std::size_t>(detector.shell[p])];
      shell[0] += 1;
      shell[1] += detector.radius[p] * detector.radius[p];
      shell[2] += image[p];
    }
  }
  return sums;
}

// The slope of the straight line through the points, by least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const auto count = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

}  // namespace

double sharpening_width(const Detector& detector, const Images& images,
                        const std::function<void(std::span<double>)>& sum) {
  std::vector<double> profile = shell_profile(detector, images);
  sum(profile);
  std::vector<double> squares, logarithms;
  for (std::size_t shell = static_cast<std::size_t>(detector.shells) / 2; 3 * shell < profile.size(); ++shell) {
    const double* sums = &profile[3 * shell];
    if (sums[0] == 0 || sums[2] <= 0) continue;
    squares.push_back(sums[1] / sums[0]);
    logarithms.push_back(std::log(sums[2] / sums[0]));
  }
  if (squares.size() < 2) return 0;
  return part_taken * std::sqrt(std::max(0.0, -slope(squares, logarithms))) / (2 * pi);
}

Images sharpened(const Detector& detector, Images images, double width) {
  std::vector<float> factor;
  for (const double q : detector.radius)
    factor.push_back(static_cast<float>(std::exp(4 * pi * pi * width * width * q * q)));
  oracle::parallel_ranges(images.count, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      for (std::size_t p = 0; p < factor.size(); ++p)
        images.intensities[static_cast<std::size_t>(i) * factor.size() + p] *= factor[p];
  });
  return images;
}

Volume blurred(const Volume& block, double width, int modes) {
  const RealFft fft(modes);
  FftArray<float> space(fft.space_size());
  FftArray<std::complex<float>> spectrum(fft.spectrum_size());
  Volume result = block;
  for_block(block.size, modes, [&](std::size_t i, std::size_t at) { space[at] = block.values[i]; });
  fft.forward(space, spectrum);
  std::size_t i = 0;
  for (int z = 0; z < modes; ++z) {
    for (int y = 0; y < modes; ++y) {
      for (int x = 0; x <= modes / 2; ++x, ++i) {
        const double q = std::hypot(x, frequency(y, modes), frequency(z, modes)) / modes;
        spectrum[i] *=
            static_cast<float>(std::exp(-2 * pi * pi * width * width * q * q) / static_cast<double>(fft.space_size()));
      }
    }
  }
  fft.backward(spectrum, space);
  for_block(block.size, modes, [&](std::size_t voxel, std::size_t at) { result.values[voxel] = space[at]; });
  return result;
}

Prepared prepare(const Detector& detector, const Images& images, Noise noise,
                 const std::function<void(std::span<double>)>& sum) {
  const auto scales = image_scales(detector, images, sum);  // of all ranks: what one refuses all refuse
  if (!have_contrast(scales))
    throw AgreedError(
        "the images have no contrast: within each ring of the detector all pixels of all images are alike");
  Prepared result{.width = sharpening_width(detector, images, sum), .images = {}, .whitened = {}};
  result.images = sharpened(detector, images, result.width);
  result.whitened = whiten_images(detector, result.images, shell_weights(scales, noise), sum);
  return result;
}

}  // namespace cli::mtip
