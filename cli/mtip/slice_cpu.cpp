#include "mtip/slice_cpu.hpp"

#include <algorithm>
#include <numbers>

#include "oracle/parallel.hpp"

namespace cli::mtip {
namespace {

constexpr std::size_t points_in_group = 1 << 20;

offgrid::Problem problem(int block, double tolerance) {
  return {
      .type = 2, .modes = {block, block, block}, .tolerance = tolerance, .sign = -1, .options = {{"device", "cpu"}}};
}

}  // namespace

template <class T> void SlicePoints<T>::set(std::span<const Rotation> rotations, std::span<const Vector3> pixels) {
  const std::size_t width = pixels.size();
  for (auto& axis : axes) axis.resize(rotations.size() * width);
  oracle::parallel_ranges(static_cast<std::int64_t>(rotations.size()), [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      for (std::size_t a = 0; a < 3; ++a) {
        const double* row = &rotations[i].entries[3 * a];
        T* out = &axes[a][i * width];
        for (std::size_t p = 0; p < width; ++p) {
          const double along = row[0] * pixels[p][0] + row[1] * pixels[p][1] + row[2] * pixels[p][2];
          out[p] = static_cast<T>(2 * std::numbers::pi * along);
        }
      }
    }
  });
}

template struct SlicePoints<float>;
template struct SlicePoints<double>;

SlicerCpu::SlicerCpu(int block, double tolerance) : plan_(problem(block, tolerance)) {}

void SlicerCpu::set_density(const Volume& block) { modes_.assign(block.values.begin(), block.values.end()); }

void SlicerCpu::slice(std::span<const Rotation> rotations, std::span<const Vector3> pixels, Rows out) {
  const std::size_t group = std::max<std::size_t>(1, points_in_group / pixels.size());
  for (std::size_t first = 0; first < rotations.size(); first += group) {
    const std::size_t count = std::min(group, rotations.size() - first);
    slice_group(rotations.subspan(first, count), pixels, {out.values + first * out.stride, out.stride});
  }
}

void SlicerCpu::slice_group(std::span<const Rotation> rotations, std::span<const Vector3> pixels, Rows out) {
  const std::size_t width = pixels.size();
  points_.set(rotations, pixels);
  const auto spans = points_.spans();
  plan_.set_points(spans);
  values_.resize(rotations.size() * width);
  plan_.execute(modes_, values_);
  oracle::parallel_ranges(static_cast<std::int64_t>(rotations.size()), [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      const std::complex<float>* value = &values_[i * width];
      float* row = out.values + i * out.stride;
      for (std::size_t p = 0; p < width; ++p) {
        const float real = value[p].real(), imaginary = value[p].imag();
        row[p] = real * real + imaginary * imaginary;
      }
    }
  });
}

}  // namespace cli::mtip
