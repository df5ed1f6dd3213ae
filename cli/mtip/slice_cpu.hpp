// Slicing on the CPU: |F(R q)|^2 of a density block for many rotations, by type 2 transforms in single precision.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "mtip/types.hpp"
#include "offgrid/offgrid.hpp"

namespace cli::mtip {

// Points x = 2 pi R q for rotations and the first `pixels` pixels of a detector: [axis][rotations, pixels].
template <class T> struct SlicePoints {
  std::array<std::vector<T>, 3> axes;

  void set(std::span<const Rotation> rotations, std::span<const Vector3> pixels);
  [[nodiscard]] std::array<std::span<const T>, 3> spans() const { return {axes[0], axes[1], axes[2]}; }
};

class SlicerCpu {
 public:
  SlicerCpu(int block, double tolerance);

  void set_density(const Volume& block);

  // Into rows that are `stride` numbers apart, one per rotation. Rotations are worked on in groups of about a million points.
  struct Rows {
    float* values;
    std::size_t stride;
  };
  void slice(std::span<const Rotation> rotations, std::span<const Vector3> pixels, Rows out);

 private:
  void slice_group(std::span<const Rotation> rotations, std::span<const Vector3> pixels, Rows out);

  offgrid::Plan<float> plan_;
  std::vector<std::complex<float>> modes_, values_;
  SlicePoints<float> points_;
};

}  // namespace cli::mtip
