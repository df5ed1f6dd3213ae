// Slicing and matching on a GPU. The slices stay on the device; indices and distances leave it.
#pragma once

#include <complex>
#include <span>

#include "mtip/cuda/device.hpp"
#include "mtip/cuda/slice_kernels.hpp"
#include "mtip/numerics.hpp"
#include "offgrid/offgrid.hpp"

namespace cli::mtip {

class SlicerCuda {
 public:
  SlicerCuda(const NumericsProblem& problem, const NumericsData& data, const DeviceStream& stream);

  // `density`: the block, on the device. See Numerics for the rest.
  void slice(const float* density, std::span<const Rotation> candidates, std::int64_t pixels);
  Matches match();
  Matches refine(std::span<const Rotation> rotations, std::span<const Rotation> offsets);

 private:
  void make_rows(std::span<const Rotation> rotations, DeviceArray<float>& rows, std::size_t first_row);
  void set_scales(std::size_t rows);
  [[nodiscard]] Images2d images_from(std::size_t first, std::size_t count) const;
  [[nodiscard]] Matches unpack() const;

  NumericsData data_;
  const DeviceStream& stream_;
  offgrid::Plan<float> plan_;
  std::size_t pixels_ = 0, stride_ = 0;  // of the kept slices
  std::size_t image_stride_ = 0;
  DeviceArray<float> images_, slices_, tries_, norms_, mean_, factor_, x_, y_, z_;
  DeviceArray<float2> modes_, values_;
  DeviceArray<double> detector_, rotations_, partial_, sums_;
  DeviceArray<PackedMatch> best_;
  std::size_t kept_ = 0;  // slices
};

}  // namespace cli::mtip
