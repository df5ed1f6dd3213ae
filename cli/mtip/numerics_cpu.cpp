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
    candidates_.assign(candidates.begin(), candidates.end());
    ShellSums sums{std::vector<double>(3 * static_cast<std::size_t>(data_.detector.shells))};
    for (std::size_t first = 0; first < candidates_.size(); first += group_size()) {
      make_slices(first);
      add_slices(sums);
    }
    scales_ = shell_scales(sums);
    if (candidates_.size() <= group_size()) whiten_slices();
  }

  Matches match() override {
    if (candidates_.size() <= group_size()) return nearest_rows(images_, slices_, norms_);
    Matches best{.index = std::vector<std::int32_t>(images_.rows()),
                 .distance = std::vector<float>(images_.rows(), std::numeric_limits<float>::infinity())};
    for (std::size_t first = 0; first < candidates_.size(); first += group_size()) {
      make_slices(first);
      whiten_slices();
      const Matches found = nearest_rows(images_, slices_, norms_);
      for (std::size_t i = 0; i < images_.rows(); ++i) {
        if (found.distance[i] >= best.distance[i]) continue;
        best.distance[i] = found.distance[i];
        best.index[i] = found.index[i] + static_cast<std::int32_t>(first);
      }
    }
    return best;
  }

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

  // Slices that are in memory together.
  [[nodiscard]] std::size_t group_size() const {
    return std::max<std::size_t>(1, problem_.slice_memory / (sizeof(float) * used_.size()));
  }

  // Intensities of the group of candidates from `first` on, in slices_.
  void make_slices(std::size_t first) {
    const auto group = std::span(candidates_).subspan(first, std::min(group_size(), candidates_.size() - first));
    slices_.resize(group.size(), used_.size());
    slicer_.slice(group, used_, {slices_.row(0), slices_.stride()});
  }

  // In pieces of fixed size that are added in order, so that the result does not depend on the number of threads.
  void add_slices(ShellSums& sums) const {
    constexpr std::size_t piece = 256;
    const std::size_t rows = slices_.rows(), pieces = (rows + piece - 1) / piece;
    std::vector<ShellSums> parts(pieces);
    oracle::parallel_items(static_cast<std::int64_t>(pieces), [&](std::int64_t i) {
      const std::size_t first = static_cast<std::size_t>(i) * piece;
      parts[static_cast<std::size_t>(i)] = shell_sums(data_.detector, {.values = slices_.row(first),
                                                                       .rows = std::min(piece, rows - first),
                                                                       .pixels = used_.size(),
                                                                       .stride = slices_.stride()});
    });
    for (const ShellSums& part : parts)
      for (std::size_t k = 0; k < sums.values.size(); ++k) sums.values[k] += part.values[k];
  }

  void whiten_slices() {
    norms_.resize(slices_.rows());
    oracle::parallel_ranges(static_cast<std::int64_t>(slices_.rows()), [&](std::int64_t first, std::int64_t last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        whiten(slices_.row(i));
        norms_[i] = dot(slices_.row(i), slices_.row(i), used_.size());
      }
    });
  }

  // Intensities of the pixels of a slice, in place.
  void whiten(float* slice) const {
    std::size_t p = 0;
    while (p < used_.size()) {
      const auto shell = static_cast<std::size_t>(data_.detector.shell[p]);
      const float mean = scales_[shell].mean, factor = data_.whitened.weights[shell] / scales_[shell].spread;
      for (; p < used_.size() && static_cast<std::size_t>(data_.detector.shell[p]) == shell; ++p)
        slice[p] = (std::sqrt(slice[p]) - mean) * factor;
    }
  }

  // `group`: rotations of the images from `first` on.
  void refine_group(std::size_t first, std::span<const Rotation> group, std::span<const Rotation> offsets,
                    Matches& result) {
    const std::size_t tries = offsets.size(), width = used_.size();
    std::vector<Rotation> turned;
    for (const Rotation& rotation : group)
      for (const Rotation& offset : offsets) turned.push_back(offset * rotation);
    tries_.resize(turned.size() * width);
    slicer_.slice(turned, used_, {tries_.data(), width});
    oracle::parallel_ranges(static_cast<std::int64_t>(group.size()), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        for (std::size_t j = 0; j < tries; ++j) {
          float* slice = &tries_[(i * tries + j) * width];
          whiten(slice);
          const float distance = dot(slice, slice, width) - 2 * dot(images_.row(first + i), slice, width);
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
  std::span<const Vector3> used_;  // pixels of the slices
  std::vector<Rotation> candidates_;
  PaddedRows images_, slices_;      // whitened; the slices of the last group
  std::vector<float> tries_;        // scratch: slices of refinement
  std::vector<float> norms_;        // |z|^2 of the slices
  std::vector<ShellScale> scales_;  // of the slices
};

}  // namespace

std::unique_ptr<Numerics> make_cpu_numerics(const NumericsProblem& problem, const NumericsData& data) {
  return std::make_unique<CpuNumerics>(problem, data);
}

}  // namespace cli::mtip
