// What M-TIP works on: a detector, diffraction images, orientations, densities, and the state of the loop between two
// generations. Values only; no step of the algorithm is here. docs/mtip.md has the algorithm.
//
// Units: a length of 1 is a voxel of the density. q is in cycles per voxel, and Nyquist is 0.5. A pixel at q of the detector
// sees the particle's transform at R q, where R is the image's rotation.
#pragma once

#include <array>
#include <compare>
#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cli::mtip {

using Vector3 = std::array<double, 3>;

// An orthogonal matrix with determinant 1, row by row.
struct Rotation {
  std::array<double, 9> entries{1, 0, 0, 0, 1, 0, 0, 0, 1};
};

// Numbers on a cube of `size` voxels per axis, x contiguous: [z, y, x]. The voxel at the centre is the origin, so that x runs
// from -floor(size/2) up.
struct Volume {
  int size = 0;
  std::vector<float> values;
};

// The pixels that are used, sorted by |q|: those within a cutoff are the first ones. Shells are rings of equal width in |q|
// from 0 to `highest`, over which intensities are compared.
struct Detector {
  std::vector<Vector3> pixels;  // q, cycles per voxel
  std::vector<double> radius;   // |q|, ascending
  std::vector<int> shell;       // of each pixel, ascending
  int shells = 0;               // how many shells there are
  double highest = 0.5;         // the largest |q| that is used
  double wavelength = 0;        // in voxels; 0: the detector is flat in q, without Ewald curvature
};

// Intensities or photon counts: [count, pixels], pixels in the detector's order. With several ranks: this rank's images.
struct Images {
  std::int64_t count = 0, pixels = 0;
  std::vector<float> intensities;

  [[nodiscard]] std::span<const float> image(std::int64_t i) const {
    return {intensities.data() + i * pixels, static_cast<std::size_t>(pixels)};
  }
};

enum class Noise { none, poisson };

// What is known of a simulated particle and hidden from the reconstruction: only reports and pictures read it.
struct Truth {
  std::string name;
  // The particle's Fourier transform, sum or integral of density(r) exp(-2 pi i q.r), at each q.
  std::function<std::vector<std::complex<double>>(std::span<const Vector3>)> transform;
  std::vector<Rotation> rotations;  // of this rank's images
};

// Seconds of the steps of one generation.
struct StepTimes {
  double merge = 0, phase = 0, slice = 0, match = 0, refine = 0;
};

// One line of the report.
struct Progress {
  int start = 0, generation = 0;
  double cutoff = 0;           // pixels with |q| up to this one were used
  double score = 0;            // explained part of the whitened images' variance: 1 is perfect, 0 is nothing
  double amplitude_error = 0;  // of the phasing, relative
  double resolution = 0;  // |q| where the FSC falls below 0.5: against the truth, or else the last generation's density
  double median_error = -1;  // of the orientations in degrees; negative where the truth is not known
  double near = -1;          // part of the images within 15 degrees of the truth
  StepTimes seconds{};
};

// Orientations and a density that belong together.
struct Model {
  std::vector<Rotation> rotations;  // [images] of this rank
  Volume density;                   // the block around the particle, zero outside the ball of its support
  double score = -1;
};

// How far a run has come: `generation` generations of `start` are done. Later is larger.
struct Position {
  int start = 0, generation = 0;
  auto operator<=>(const Position&) const = default;
};

// All that a restart needs. Random numbers are functions of (seed, start, generation), so that there is no generator's state.
struct State {
  std::uint64_t problem = 0;  // a hash of the settings and of the images: a checkpoint of another problem is refused
  int start = 0;              // the start that is running
  int generation = 0;         // of that start, to be done next
  Model current;
  Model best;  // of the starts that are finished
  std::vector<Progress> history;

  // A rank without images has no rotations, and a density all the same.
  [[nodiscard]] bool has_best() const { return best.density.size > 0; }
};
inline Position position_of(const State& state) { return {state.start, state.generation}; }

}  // namespace cli::mtip
