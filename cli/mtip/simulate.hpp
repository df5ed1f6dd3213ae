// A detector, and diffraction images of a particle in random orientations, with or without Poisson noise.
#pragma once

#include <cstdint>
#include <functional>

#include "mtip/types.hpp"

namespace cli::mtip {

// side x side pixels of step 2 highest / side around q = 0, of which those in the circle |q| <= highest are kept. With a
// wavelength (in voxels) they lie on the Ewald sphere: q_z = sqrt(1/wavelength^2 - u^2 - v^2) - 1/wavelength.
// Shells are as wide as a pixel.
Detector make_detector(int side, double wavelength, double highest = 0.5);

// Sorts pixels by |q|, drops those beyond `highest`, and numbers their shells. order[i] is the old place of pixel i.
struct SortedDetector {
  Detector detector;
  std::vector<std::int64_t> order;
};
SortedDetector sort_pixels(std::span<const Vector3> pixels, int shells, double highest);

using Transform = std::function<std::vector<std::complex<double>>(std::span<const Vector3>)>;

struct Exposure {
  double photons = 0;      // mean per image outside the centre |q| < 0.06; 0: no noise, and intensities as they are
  std::uint64_t seed = 1;  // of the photons
  std::int64_t first = 0;  // number of the first image: photons of image i are the same whichever rank makes it
};

inline constexpr double dark_centre = 0.06;  // what a beam stop would hide: not counted in Exposure::photons

// |F(R q)|^2 for each rotation. `sum` adds over the ranks: the brightness is that of all images.
Images simulate_images(const Transform& transform, const Detector& detector, std::span<const Rotation> rotations,
                       const Exposure& exposure, const std::function<void(std::span<double>)>& sum);

// A Poisson number with this mean: a function of (random, index), which uses 2^16 numbers of the stream at most.
double poisson(double mean, std::uint64_t seed, std::uint64_t index);

}  // namespace cli::mtip
