#include "mtip/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mtip/rotations.hpp"
#include "oracle/parallel.hpp"
#include "random.hpp"

namespace cli::mtip {
namespace {

double length(const Vector3& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// Numbers below the mean are counted one by one: the product of uniform numbers falls below exp(-mean) (Knuth).
double small_poisson(double mean, const CounterRandom& random, std::uint64_t first) {
  const double end = std::exp(-mean);
  double product = random.uniform(first);
  int count = 0;
  while (product > end) product *= random.uniform(first + static_cast<std::uint64_t>(++count));
  return count;
}

// Transformed rejection (Hoermann 1993, algorithm PTRS), for means from 10 on.
double large_poisson(double mean, const CounterRandom& random, std::uint64_t first) {
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_limit = 0.9277 - 3.6224 / (b - 2);
  for (;; first += 2) {
    const double u = random.uniform(first) - 0.5, v = random.uniform(first + 1);
    const double us = 0.5 - std::abs(u), k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_limit) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double left = std::log(v * inverse_alpha / (a / (us * us) + b));
    if (left <= k * std::log(mean) - mean - std::lgamma(k + 1)) return k;
  }
}

void add_noise(Images& images, double brightness, const Exposure& exposure) {
  oracle::parallel_ranges(images.count, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first * images.pixels; i < last * images.pixels; ++i) {
      float& value = images.intensities[static_cast<std::size_t>(i)];
      const auto number = static_cast<std::uint64_t>(exposure.first * images.pixels + i);
      value = static_cast<float>(poisson(value * brightness, exposure.seed, number));
    }
  });
}

// Intensities outside the centre, in all: [sum, images].
std::array<double, 2> counted(const Images& images, const Detector& detector) {
  double sum = 0;
  for (std::int64_t i = 0; i < images.count; ++i)
    for (std::size_t p = 0; p < detector.radius.size(); ++p)
      if (detector.radius[p] > dark_centre) sum += images.image(i)[p];
  return {sum, static_cast<double>(images.count)};
}

}  // namespace

SortedDetector sort_pixels(std::span<const Vector3> pixels, int shells, double highest) {
  SortedDetector result;
  for (std::size_t i = 0; i < pixels.size(); ++i)
    if (length(pixels[i]) <= highest) result.order.push_back(static_cast<std::int64_t>(i));
  const auto radius = [&](std::int64_t i) { return length(pixels[static_cast<std::size_t>(i)]); };
  std::stable_sort(result.order.begin(), result.order.end(),
                   [&](std::int64_t a, std::int64_t b) { return radius(a) < radius(b); });
  Detector& detector = result.detector;
  detector.shells = shells;
  detector.highest = highest;
  for (const std::int64_t i : result.order) {
    detector.pixels.push_back(pixels[static_cast<std::size_t>(i)]);
    detector.radius.push_back(radius(i));
    detector.shell.push_back(std::min(static_cast<int>(radius(i) / highest * shells), shells - 1));
  }
  return result;
}

Detector make_detector(int side, double wavelength, double highest) {
  std::vector<Vector3> pixels;
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const double u = (column - (side - 1) / 2.0) * 2 * highest / side,
                   v = (row - (side - 1) / 2.0) * 2 * highest / side;
      const double rest = wavelength > 0 ? 1 / (wavelength * wavelength) - u * u - v * v : 0;
      pixels.push_back({u, v, wavelength > 0 ? std::sqrt(std::max(rest, 0.0)) - 1 / wavelength : 0});
    }
  }
  Detector detector = sort_pixels(pixels, side / 2, highest).detector;
  detector.wavelength = wavelength;
  return detector;
}

Images simulate_images(const Transform& transform, const Detector& detector, std::span<const Rotation> rotations,
                       const Exposure& exposure, const std::function<void(std::span<double>)>& sum) {
  Images images{.count = static_cast<std::int64_t>(rotations.size()),
                .pixels = static_cast<std::int64_t>(detector.pixels.size()),
                .intensities = std::vector<float>(rotations.size() * detector.pixels.size())};
  oracle::parallel_items(images.count, [&](std::int64_t i) {
    std::vector<Vector3> at;
    for (const Vector3& q : detector.pixels) at.push_back(rotations[static_cast<std::size_t>(i)] * q);
    const auto values = transform(at);
    float* out = &images.intensities[static_cast<std::size_t>(i * images.pixels)];
    std::transform(values.begin(), values.end(), out, [](const auto& f) { return static_cast<float>(std::norm(f)); });
  });
  if (exposure.photons <= 0) return images;
  auto total = counted(images, detector);
  sum(total);
  add_noise(images, exposure.photons * total[1] / total[0], exposure);
  return images;
}

double poisson(double mean, std::uint64_t seed, std::uint64_t index) {
  const CounterRandom random(seed);
  const std::uint64_t first = index << 16;
  return mean < 10 ? small_poisson(mean, random, first) : large_poisson(mean, random, first);
}

}  // namespace cli::mtip
