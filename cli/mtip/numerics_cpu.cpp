// The heavy steps on the CPU: NUFFTs by offgrid, FFTs by FFTW, the matrix product by match_cpu.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mtip/match_cpu.hpp"
#include "mtip/merge_cpu.hpp"
#include "mtip/numerics.hpp"
#include "mtip/phase_cpu.hpp"
#include "mtip/rotations.hpp"
#include "mtip/slice_cpu.hpp"
#include "oracle/parallel.hpp"

namespace cli::mtip {
namespace {

class CpuNumerics final : public Numerics {
 public:
  CpuNumerics(const NumericsProblem& problem, const NumericsData& data)
      : problem_(problem), data_(data), slicer_(problem.block(), problem.slice_tolerance), phaser_(problem) {}

  [[nodiscard]] std::string describe() const override {
    return "CPU, " + std::to_string(oracle::worker_count()) + " threads";
  }

  void set_density(const Volume& block) override { density_ = block; }
  [[nodiscard]] Volume density() const override { return density_; }

  void merge(std::span<const Rotation> rotations, const MergeSettings& settings) override {
    NormalEquations equations = normal_equations(problem_, data_, rotations, settings);
    problem_.sum(equations.kernel);
    problem_.sum(equations.right_side);
    phaser_.set_amplitudes(mtip::amplitudes(solve(equations, settings), phaser_.fft()));
  }
  [[nodiscard]] std::vector<float> amplitudes() const override { return phaser_.amplitudes(); }

  double phase(const PhaseSettings& settings) override { return phaser_.phase(density_, settings); }

  std::vector<double> phase_several(std::span<const std::uint64_t> seeds, const PhaseSettings& settings) override {
    std::vector<Volume> densities;
    for (const std::uint64_t seed : seeds) densities.push_back(fresh_density(problem_, seed));
    densities.push_back(density_);
    std::vector<double> errors(densities.size());
    oracle::parallel_items(static_cast<std::int64_t>(densities.size()), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      errors[at] = phaser_.phase(densities[at], settings);
    });
    density_ = densities[static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin())];
    return errors;
  }

  void slice(std::span<const Rotation> candidates, std::int64_t pixels) override {
    set_pixels(static_cast<std::size_t>(pixels));
    slicer_.set_density(density_);
    intensities_.resize(candidates.size() * used_.size());
    slicer_.slice(candidates, used_, intensities_);
    scales_ = shell_scales(sums_of_slices());
    whiten_slices(candidates.size());
  }

  Matches match() override { return nearest_rows(images_, slices_, norms_); }

  Matches refine(std::span<const Rotation> rotations, std::span<const Rotation> offsets) override {
    Matches result{.index = std::vector<std::int32_t>(rotations.size()),
                   .distance = std::vector<float>(rotations.size(), std::numeric_limits<float>::infinity())};
    const std::size_t group = std::max<std::size_t>(1, points_in_group / (offsets.size() * used_.size()));
    for (std::size_t first = 0; first < rotations.size(); first += group)
      refine_group(first, rotations.subspan(first, std::min(group, rotations.size() - first)), offsets, result);
    return result;
  }

 private:
  static constexpr std::size_t points_in_group = 1 << 20;

  void set_pixels(std::size_t pixels) {
    if (used_.size() == pixels) return;
    used_ = std::span(data_.detector.pixels).first(pixels);
    images_.resize(static_cast<std::size_t>(data_.images.count), pixels);
    const auto width = static_cast<std::size_t>(data_.images.pixels);
    for (std::size_t i = 0; i < images_.rows(); ++i)
      std::copy_n(&data_.whitened.values[i * width], pixels, images_.row(i));
  }

  // In pieces of fixed size that are added in order, so that the result does not depend on the number of threads.
  ShellSums sums_of_slices() const {
    constexpr std::size_t piece = 256;
    const std::size_t width = used_.size(), rows = intensities_.size() / width, pieces = (rows + piece - 1) / piece;
    std::vector<ShellSums> parts(pieces);
    oracle::parallel_items(static_cast<std::int64_t>(pieces), [&](std::int64_t i) {
      const std::size_t first = static_cast<std::size_t>(i) * piece, count = std::min(piece, rows - first);
      const auto slices = std::span(intensities_).subspan(first * width, count * width);
      parts[static_cast<std::size_t>(i)] = shell_sums(data_.detector, slices, static_cast<std::int64_t>(width));
    });
    ShellSums total = parts[0];
    for (std::size_t i = 1; i < pieces; ++i)
      for (std::size_t k = 0; k < total.values.size(); ++k) total.values[k] += parts[i].values[k];
    return total;
  }

  void whiten_slices(std::size_t rows) {
    slices_.resize(rows, used_.size());
    norms_.resize(rows);
    oracle::parallel_ranges(static_cast<std::int64_t>(rows), [&](std::int64_t first, std::int64_t last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        whiten(&intensities_[i * used_.size()], slices_.row(i));
        norms_[i] = dot(slices_.row(i), slices_.row(i), used_.size());
      }
    });
  }

  void whiten(const float* intensities, float* whitened) const {
    std::size_t p = 0;
    while (p < used_.size()) {
      const auto shell = static_cast<std::size_t>(data_.detector.shell[p]);
      const float mean = scales_[shell].mean, factor = data_.whitened.weights[shell] / scales_[shell].spread;
      for (; p < used_.size() && static_cast<std::size_t>(data_.detector.shell[p]) == shell; ++p)
        whitened[p] = (std::sqrt(intensities[p]) - mean) * factor;
    }
  }

  // `group`: rotations of the images from `first` on.
  void refine_group(std::size_t first, std::span<const Rotation> group, std::span<const Rotation> offsets,
                    Matches& result) {
    const std::size_t tries = offsets.size(), width = used_.size();
    std::vector<Rotation> turned;
    for (const Rotation& rotation : group)
      for (const Rotation& offset : offsets) turned.push_back(offset * rotation);
    intensities_.resize(turned.size() * width);
    slicer_.slice(turned, used_, intensities_);
    oracle::parallel_ranges(static_cast<std::int64_t>(group.size()), [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> slice(width);
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        for (std::size_t j = 0; j < tries; ++j) {
          whiten(&intensities_[(i * tries + j) * width], slice.data());
          const float product = dot(images_.row(first + i), slice.data(), width);
          const float distance = dot(slice.data(), slice.data(), width) - 2 * product;
          if (distance >= result.distance[first + i]) continue;
          result.distance[first + i] = distance;
          result.index[first + i] = static_cast<std::int32_t>(j);
        }
      }
    });
  }

  NumericsProblem problem_;
  NumericsData data_;
  SlicerCpu slicer_;
  PhaserCpu phaser_;
  Volume density_;
  std::span<const Vector3> used_;   // pixels of the kept slices
  PaddedRows images_, slices_;      // whitened
  std::vector<float> intensities_;  // scratch: slices before whitening
  std::vector<float> norms_;        // |z|^2 of the slices
  std::vector<ShellScale> scales_;  // of the slices
};

}  // namespace

std::unique_ptr<Numerics> make_cpu_numerics(const NumericsProblem& problem, const NumericsData& data) {
  return std::make_unique<CpuNumerics>(problem, data);
}

}  // namespace cli::mtip
