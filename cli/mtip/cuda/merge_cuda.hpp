// Merging on a GPU: merge_cpu.hpp's normal equations and conjugate gradients. Images stay on the device; kernel and right side
// come to the host once, where they are summed over the ranks.
#pragma once

#include <complex>
#include <span>

#include "mtip/cuda/device.hpp"
#include "mtip/cuda/slice_kernels.hpp"
#include "mtip/numerics.hpp"
#include "offgrid/offgrid.hpp"

namespace cli::mtip {

class MergerCuda {
 public:
  MergerCuda(const NumericsProblem& problem, const NumericsData& data, const DeviceStream& stream);

  // Writes the amplitudes, in the order of RealFft's spectrum of size M, to the device.
  void merge(std::span<const Rotation> rotations, const MergeSettings& settings, float* amplitudes);

 private:
  void make_equations(std::span<const Rotation> rotations, const MergeSettings& settings);
  void sum_over_ranks();
  void solve(const MergeSettings& settings);
  [[nodiscard]] double intensity_scale(std::size_t pixels) const;

  NumericsProblem problem_;
  NumericsData data_;
  const DeviceStream& stream_;
  offgrid::Plan<double> plan_;
  DeviceFft large_, small_;  // of the Toeplitz product and of the M^3 grid
  int large_size_;
  DeviceArray<float> intensities_;
  DeviceArray<double> radius_, pixels_, rotations_, x_, y_, z_, kernel_, right_side_, partial_, scalars_;
  DeviceArray<double2> strengths_, modes_;
  DeviceArray<float> a_, r_, p_, t_, space_, factors_;
  DeviceArray<float2> spectrum_;
  double kernel_at_zero_ = 0;
};

}  // namespace cli::mtip
