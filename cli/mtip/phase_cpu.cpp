#include "mtip/phase_cpu.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cli::mtip {
namespace {

constexpr float tiny = 1e-12f;

}  // namespace

PhaserCpu::PhaserCpu(const NumericsProblem& problem)
    : modes_(problem.modes), fft_(problem.modes), ball_(fft_.space_size()) {
  const double limit = problem.radius * problem.radius;
  std::size_t i = 0;
  for (int z = 0; z < modes_; ++z) {
    for (int y = 0; y < modes_; ++y) {
      const int fz = frequency(z, modes_), fy = frequency(y, modes_);
      for (int x = 0; x < modes_; ++x, ++i) {
        const int fx = frequency(x, modes_);
        ball_[i] = fx * fx + fy * fy + fz * fz <= limit ? 1.0f : 0.0f;
      }
      for (int x = 0; x <= modes_ / 2; ++x)
        radius_.push_back(static_cast<float>(std::sqrt(x * x + fy * fy + fz * fz) / modes_));
    }
  }
}

// One phasing: its own density, support and scratch.
class PhaserCpu::Run {
 public:
  Run(const PhaserCpu& phaser, const PhaseSettings& settings)
      : phaser_(phaser),
        settings_(settings),
        density_(phaser.fft_.space_size()),
        projected_(phaser.fft_.space_size()),
        spectrum_(phaser.fft_.spectrum_size()),
        target_(phaser.amplitudes_.size()),
        support_(phaser.ball_) {
    for (std::size_t i = 0; i < target_.size(); ++i)
      target_[i] = phaser.radius_[i] <= settings.cutoff ? phaser.amplitudes_[i] : unknown;
  }

  double run(Volume& block) {
    const int size = phaser_.modes_;
    for_block(block.size, size, [&](std::size_t i, std::size_t at) { density_[at] = block.values[i]; });
    for (int round = 0; round < settings_.rounds; ++round) {
      for (int step = 0; step < settings_.reduction; ++step) reduce_error();
      for (int step = 0; step < settings_.hybrid; ++step) hybrid_step();
      for (int step = 0; step < settings_.reduction; ++step) reduce_error();
      shrink_wrap();
    }
    for (int step = 0; step < settings_.last_reduction; ++step) reduce_error();
    for_block(block.size, size, [&](std::size_t i, std::size_t at) { block.values[i] = density_[at]; });
    return amplitude_error();
  }

 private:
  static constexpr float unknown = -1;

  void project() {
    phaser_.fft_.forward(density_, spectrum_);
    const float scale = 1.0f / static_cast<float>(density_.size());
    for (std::size_t i = 0; i < spectrum_.size(); ++i) {
      const float real = spectrum_[i].real(), imaginary = spectrum_[i].imag();
      const float size = std::sqrt(real * real + imaginary * imaginary);
      const float factor = target_[i] < 0 ? scale : scale * target_[i] / std::max(size, tiny);
      spectrum_[i] = {factor * real, factor * imaginary};
    }
    phaser_.fft_.backward(spectrum_, projected_);
  }

  void reduce_error() {
    project();
    for (std::size_t i = 0; i < density_.size(); ++i) density_[i] = std::max(projected_[i], 0.0f) * support_[i];
  }

  void hybrid_step() {
    project();
    const auto beta = static_cast<float>(settings_.beta);
    for (std::size_t i = 0; i < density_.size(); ++i) {
      const float g = projected_[i];
      density_[i] = support_[i] * g > 0 ? g : density_[i] - beta * g;
    }
  }

  // The blur is a product in Fourier space, periodic like the grid.
  void shrink_wrap() {
    for (std::size_t i = 0; i < density_.size(); ++i) projected_[i] = std::max(density_[i], 0.0f);
    phaser_.fft_.forward(projected_, spectrum_);
    const double decay = 2 * std::numbers::pi * std::numbers::pi * settings_.blur * settings_.blur;
    for (std::size_t i = 0; i < spectrum_.size(); ++i)
      spectrum_[i] *= static_cast<float>(std::exp(-decay * phaser_.radius_[i] * phaser_.radius_[i]));
    phaser_.fft_.backward(spectrum_, projected_);
    const float largest = *std::max_element(projected_.begin(), projected_.end());
    const float threshold = static_cast<float>(settings_.threshold) * largest;
    for (std::size_t i = 0; i < support_.size(); ++i) support_[i] = projected_[i] > threshold ? phaser_.ball_[i] : 0.0f;
  }

  double amplitude_error() {
    phaser_.fft_.forward(density_, spectrum_);
    double difference = 0, total = 0;
    for (std::size_t i = 0; i < target_.size(); ++i) {
      if (target_[i] < 0) continue;
      const double off = std::abs(spectrum_[i]) - target_[i];
      difference += off * off;
      total += static_cast<double>(target_[i]) * target_[i];
    }
    return total > 0 ? std::sqrt(difference / total) : 1;
  }

  const PhaserCpu& phaser_;
  const PhaseSettings& settings_;
  FftArray<float> density_, projected_;
  FftArray<std::complex<float>> spectrum_;
  std::vector<float> target_, support_;
};

double PhaserCpu::phase(Volume& density, const PhaseSettings& settings) const {
  return Run(*this, settings).run(density);
}

}  // namespace cli::mtip
