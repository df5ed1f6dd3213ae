// Phasing on the CPU: a real, non-negative density in a ball from the amplitudes of its Fourier transform on M^3.
// A step makes g, the density with the known amplitudes put in, and then
//   error reduction       density = g inside the support where g > 0, and 0 elsewhere
//   hybrid input-output   density = g there, and density - beta g elsewhere
// Shrink-wrap makes a new support from where the blurred density exceeds a part of its largest value, inside the ball.
#pragma once

#include <span>
#include <vector>

#include "mtip/fft.hpp"
#include "mtip/numerics.hpp"

namespace cli::mtip {

class PhaserCpu {
 public:
  explicit PhaserCpu(const NumericsProblem& problem);

  // In the order of RealFft's spectrum of size M.
  void set_amplitudes(std::vector<float> amplitudes) { amplitudes_ = std::move(amplitudes); }
  [[nodiscard]] const std::vector<float>& amplitudes() const { return amplitudes_; }

  // Replaces the density block and returns the relative error of its amplitudes. Several threads may call this at once.
  double phase(Volume& density, const PhaseSettings& settings) const;

  [[nodiscard]] const RealFft& fft() const { return fft_; }

 private:
  class Run;

  int modes_;
  RealFft fft_;
  std::vector<float> ball_;    // 1 inside, 0 outside; in FFT order, like all grids here
  std::vector<float> radius_;  // |k| / M of each mode of the spectrum
  std::vector<float> amplitudes_;
};

}  // namespace cli::mtip
