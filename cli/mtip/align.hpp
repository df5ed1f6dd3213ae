// Comparison with the truth of a simulation. A reconstruction comes in an orientation and at a place of its own, and perhaps as
// its mirror image through the origin, which has the same intensities: alignment finds the rotation from the images'
// orientations, then shift and mirror from the densities, and refines rotation and shift.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mtip/fsc.hpp"
#include "mtip/types.hpp"

namespace cli::mtip {

// found_i is about rotation * true_i. Without Ewald curvature an image does not tell R from R turned by 180 degrees in its
// plane: both count as right.
struct OrientationErrors {
  Rotation rotation;
  std::vector<double> degrees;  // of each image

  [[nodiscard]] double median() const;
  [[nodiscard]] double within(double limit) const;  // part of the images
};
enum class Curvature { flat, ewald };
OrientationErrors orientation_errors(std::span<const Rotation> found, std::span<const Rotation> truth,
                                     Curvature curvature);

// F_true(k) is about F(rotation k) exp(2 pi i k.shift), or the conjugate of F where `mirrored`.
struct Alignment {
  Rotation rotation;
  Vector3 shift{};
  bool mirrored = false;
};

class TruthComparison {
 public:
  // Compares on the Fourier grid of `modes` samples per axis, up to |k| = 0.5.
  TruthComparison(const Truth& truth, int modes, int shells);

  // Shift and mirror for a rotation that is known roughly: from the peak of the normalised cross-correlation.
  [[nodiscard]] Alignment align(const Volume& density, const Rotation& rotation) const;
  // Then Nelder and Mead's search for shift and rotation, which maximises the mean of the FSC.
  [[nodiscard]] Alignment refine(const Volume& density, Alignment start) const;
  [[nodiscard]] ShellCurve fsc(const Volume& density, const Alignment& alignment) const;

  // Reconstruction and truth on the truth's axes, both without what is beyond |k| = 0.5: for pictures.
  struct Raster {
    int size;   // values per axis
    int finer;  // of them per voxel of the density
  };
  [[nodiscard]] Volume aligned(const Volume& density, const Alignment& alignment, Raster raster) const;
  [[nodiscard]] Volume band_limited_truth(Raster raster) const;

 private:
  using Spectrum = std::vector<std::complex<double>>;
  struct Sample {
    std::vector<Vector3> k;
    std::vector<int> shell;
    Spectrum truth;
  };
  static Spectrum transform(const Volume& density, std::span<const Vector3> k, const Alignment& alignment);
  [[nodiscard]] ShellCurve fsc(const Volume& density, const Alignment& alignment, const Sample& sample) const;
  [[nodiscard]] Volume from_spectrum(Spectrum spectrum, double at_zero, Raster raster) const;

  int modes_, shells_;
  double at_zero_ = 0;              // of the truth's transform
  Sample all_, some_;               // half of the grid, and a random choice of it for the search
  std::vector<std::size_t> place_;  // of all_ in the half spectrum of an FFT
};

}  // namespace cli::mtip
