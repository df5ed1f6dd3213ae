// The seam of M-TIP's heavy steps: merging, phasing, slicing and matching, on the CPU or on a GPU. The loop (loop.hpp) calls
// them in this order. An implementation keeps images, slices, amplitudes and the density where it computes; what crosses the
// seam is a rotation, an index or a distance per image, and a density only where the loop asks for it.
//
//   merge    autocorrelation a(n), |n| <= M/2, from  (T + regularisation) a = b  by conjugate gradients, where
//              T(n) = Re sum_j w_j exp(-2 pi i n.q_j),  b(n) = Re sum_j w_j I_j exp(-2 pi i n.q_j),  w_j = |q_j|
//            over the pixels of all images of all ranks: one type 1 transform each, T at (2M-1)^3 and b at M^3.
//   phase    amplitudes A = sqrt(max(FFT a, 0)) on M^3; error reduction, hybrid input-output and shrink-wrap.
//   slice    |F(R q)|^2 of the density for many rotations: type 2.
//   match    the slice nearest to each image after whitening: one matrix product for a group of slices.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mtip/types.hpp"
#include "mtip/whiten.hpp"

namespace cli::mtip {

// Adds the arrays of all ranks and leaves the sum in each of them. On one rank it does nothing. Arrays on the host.
using SumOverRanks = std::function<void(std::span<double>)>;

struct NumericsProblem {
  int modes = 33;                 // M, odd: the autocorrelation has M^3 values, and phasing works on M^3
  double radius = 8.75;           // of the ball that holds the particle, in voxels
  double slice_tolerance = 1e-4;  // of the type 2 transforms, which are in single precision
  double merge_tolerance = 1e-6;  // of the type 1 transforms, in double precision
  // Of the slices that the CPU side keeps. More are made in groups, and twice: for their statistics, and for the comparison. At
  // M = 81 with 128 x 128 pixels there are 2.4 GB of slices, which are kept.
  std::size_t slice_memory = std::size_t{4} << 30;  // bytes
  SumOverRanks sum = [](std::span<double>) {};

  // The density block around the ball, in voxels per axis.
  [[nodiscard]] int block() const;
};

struct MergeSettings {
  std::int64_t pixels = 0;       // the first ones of the detector
  int iterations = 30;           // of conjugate gradients, from zero
  double regularisation = 1e-3;  // times T(0)
  // Of this rank's images, first_image + i image_step is merged with rotation i.
  std::int64_t first_image = 0, image_step = 1;
};

struct PhaseSettings {
  double cutoff = 0.5;  // amplitudes are known up to this |q|; others keep what the density gives
  int rounds = 2;       // each: reduction, hybrid, reduction steps, then shrink-wrap
  int reduction = 50, hybrid = 25, last_reduction = 50;
  double beta = 0.3;        // of hybrid input-output
  double blur = 1;          // shrink-wrap's Gaussian, in voxels,
  double threshold = 0.05;  // and its cutoff, relative to the largest blurred value
};

// The best of the candidates for each image.
struct Matches {
  std::vector<std::int32_t> index;
  std::vector<float> distance;  // |z_slice|^2 - 2 z_image.z_slice: without |z_image|^2, which no choice depends on
};

class Numerics {
 public:
  virtual ~Numerics() = default;
  [[nodiscard]] virtual std::string describe() const = 0;

  // The density that is phased and sliced: a block of NumericsProblem::block() voxels per axis.
  virtual void set_density(const Volume& block) = 0;
  [[nodiscard]] virtual Volume density() const = 0;

  // Keeps the amplitudes. Collective over the ranks, by NumericsProblem::sum. `rotations`: one per merged image of this rank.
  virtual void merge(std::span<const Rotation> rotations, const MergeSettings& settings) = 0;

  // Those of the last merge, in the order of RealFft's spectrum of size M.
  [[nodiscard]] virtual std::vector<float> amplitudes() const = 0;

  // From the present density, which it replaces. Returns the relative error of the amplitudes.
  virtual double phase(const PhaseSettings& settings) = 0;

  // From one fresh random density per seed (fresh_density) and, last, from the present one. The density of the smallest error
  // replaces the present one. Returns the errors in this order.
  virtual std::vector<double> phase_several(std::span<const std::uint64_t> seeds, const PhaseSettings& settings) = 0;

  // Slices of the density for the candidates, on the first `pixels` pixels; kept, or made again by match, together with their
  // shell statistics. The density must not change until they are matched.
  virtual void slice(std::span<const Rotation> candidates, std::int64_t pixels) = 0;

  // The nearest of the slices for each image. Slices are whitened by their own statistics.
  virtual Matches match() = 0;

  // For each image i the nearest of the slices at offsets[j] * rotations[i]: index j. Pixels and shell statistics are those of
  // the last slices.
  virtual Matches refine(std::span<const Rotation> rotations, std::span<const Rotation> offsets) = 0;
};

// `images`, `detector` and `whitened` (images.count x pixels) must outlive the object.
struct NumericsData {
  const Detector& detector;
  const Images& images;
  const Whitened& whitened;
};
std::unique_ptr<Numerics> make_cpu_numerics(const NumericsProblem& problem, const NumericsData& data);
bool cuda_numerics_available();  // built in, and there is a GPU
std::unique_ptr<Numerics> make_cuda_numerics(const NumericsProblem& problem, const NumericsData& data);

// Uniform in [0, 1) for each voxel of the block inside the ball: the same numbers for every implementation.
Volume fresh_density(const NumericsProblem& problem, std::uint64_t seed);

}  // namespace cli::mtip
