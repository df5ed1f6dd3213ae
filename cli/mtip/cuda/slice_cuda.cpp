#include "mtip/cuda/slice_cuda.hpp"

#include <algorithm>
#include <cstdint>

#include "mtip/rotations.hpp"

namespace cli::mtip {
namespace {

constexpr std::size_t points_in_group = std::size_t{1} << 25;  // of one transform: under 1 GB of points and values

offgrid::Problem slice_problem(const NumericsProblem& problem) {
  const std::int64_t block = problem.block();
  return {.type = 2,
          .modes = {block, block, block},
          .tolerance = problem.slice_tolerance,
          .sign = -1,
          .options = {{"device", "cuda"}}};
}

}  // namespace

SlicerCuda::SlicerCuda(const NumericsProblem& problem, const NumericsData& data, const DeviceStream& stream)
    : data_(data), stream_(stream), plan_(slice_problem(problem)) {
  const auto count = static_cast<std::size_t>(data.images.count), width = static_cast<std::size_t>(data.images.pixels);
  image_stride_ = padded_row(width);
  std::vector<float> padded(count * image_stride_);
  for (std::size_t i = 0; i < count; ++i)
    std::copy_n(data.whitened.values.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                padded.begin() + static_cast<std::ptrdiff_t>(i * image_stride_));
  images_.set(padded);
  detector_.set({data.detector.pixels.data()->data(), 3 * data.detector.pixels.size()});
  const auto block = static_cast<std::size_t>(problem.block());
  modes_.resize(block * block * block);
}

// |F| at the rotations, into rows from `first_row` on, group by group.
void SlicerCuda::make_rows(std::span<const Rotation> rotations, DeviceArray<float>& rows, std::size_t first_row) {
  const std::size_t group = std::max<std::size_t>(1, points_in_group / pixels_);
  for (std::size_t first = 0; first < rotations.size(); first += group) {
    const auto part = rotations.subspan(first, std::min(group, rotations.size() - first));
    const std::size_t count = part.size() * pixels_;
    for (DeviceArray<float>* axis : {&x_, &y_, &z_}) axis->resize(count);
    values_.resize(count);
    stream_.wait();  // the last group's rotations are in use
    rotations_.set({part.data()->entries.data(), 9 * part.size()});
    launch_points<float>({rotations_.data(), detector_.data(), part.size(), pixels_}, {x_.data(), y_.data(), z_.data()},
                         stream_);
    using Axis = std::span<const float>;
    plan_.set_points({Axis(x_.data(), count), Axis(y_.data(), count), Axis(z_.data(), count)}, stream_);
    plan_.execute({reinterpret_cast<const std::complex<float>*>(modes_.data()), modes_.size()},
                  {reinterpret_cast<std::complex<float>*>(values_.data()), count}, stream_);
    launch_lengths(values_.data(), {rows.data() + (first_row + first) * stride_, part.size(), pixels_, stride_},
                   stream_);
  }
}

// Mean and spread of the shells over all slices, as numbers for each pixel.
void SlicerCuda::set_scales(std::size_t rows) {
  partial_.resize(2 * row_pieces * pixels_);
  sums_.resize(2 * pixels_);
  launch_column_sums({slices_.data(), rows, pixels_, stride_}, partial_.data(), sums_.data(), stream_);
  const std::vector<double> columns = sums_.get(stream_);
  ShellSums sums{std::vector<double>(3 * static_cast<std::size_t>(data_.detector.shells))};
  for (std::size_t p = 0; p < pixels_; ++p) {
    double* shell = &sums.values[3 * static_cast<std::size_t>(data_.detector.shell[p])];
    shell[0] += static_cast<double>(rows);
    shell[1] += columns[2 * p];
    shell[2] += columns[2 * p + 1];
  }
  const std::vector<ShellScale> scales = shell_scales(sums);
  std::vector<float> mean(pixels_), factor(pixels_);
  for (std::size_t p = 0; p < pixels_; ++p) {
    const auto shell = static_cast<std::size_t>(data_.detector.shell[p]);
    mean[p] = scales[shell].mean;
    factor[p] = data_.whitened.weights[shell] / scales[shell].spread;
  }
  mean_.set(mean);
  factor_.set(factor);
}

void SlicerCuda::slice(const float* density, std::span<const Rotation> candidates, std::int64_t pixels) {
  pixels_ = static_cast<std::size_t>(pixels);
  stride_ = padded_row(pixels_);
  kept_ = candidates.size();
  launch_to_complex(density, modes_.data(), modes_.size(), stream_);
  slices_.resize(kept_ * stride_);
  norms_.resize(kept_);
  make_rows(candidates, slices_, 0);
  set_scales(kept_);
  launch_whiten({slices_.data(), kept_, pixels_, stride_}, {mean_.data(), factor_.data()}, norms_.data(), stream_);
  check(cudaGetLastError(), "slicing on the GPU");
}

Images2d SlicerCuda::images_from(std::size_t first, std::size_t count) const {
  return {images_.data() + first * image_stride_, count, image_stride_};
}

Matches SlicerCuda::unpack() const {
  Matches result;
  for (const PackedMatch match : best_.get(stream_)) {
    result.index.push_back(match_index(match));
    result.distance.push_back(match_distance(match));
  }
  return result;
}

Matches SlicerCuda::match() {
  const auto images = static_cast<std::size_t>(data_.images.count);
  if (images == 0) return {};
  best_.resize(images);
  check(cudaMemsetAsync(best_.data(), 0xff, images * sizeof(PackedMatch), stream_), "GPU memory");
  launch_nearest(images_from(0, images), {slices_.data(), kept_, pixels_, stride_}, norms_.data(), best_.data(),
                 stream_);
  check(cudaGetLastError(), "matching on the GPU");
  return unpack();
}

Matches SlicerCuda::refine(std::span<const Rotation> rotations, std::span<const Rotation> offsets) {
  if (rotations.empty()) return {};
  best_.resize(rotations.size());
  check(cudaMemsetAsync(best_.data(), 0xff, rotations.size() * sizeof(PackedMatch), stream_), "GPU memory");
  const std::size_t group = std::max<std::size_t>(1, points_in_group / (offsets.size() * pixels_));
  for (std::size_t first = 0; first < rotations.size(); first += group) {
    const auto part = rotations.subspan(first, std::min(group, rotations.size() - first));
    std::vector<Rotation> turned;
    turned.reserve(part.size() * offsets.size());
    for (const Rotation& rotation : part)
      for (const Rotation& offset : offsets) turned.push_back(offset * rotation);
    tries_.resize(turned.size() * stride_);
    make_rows(turned, tries_, 0);
    launch_nearest_try(images_from(first, part.size()),
                       {.slices = {tries_.data(), turned.size(), pixels_, stride_},
                        .scales = {mean_.data(), factor_.data()},
                        .tries = offsets.size()},
                       best_.data() + first, stream_);
  }
  check(cudaGetLastError(), "refining on the GPU");
  return unpack();
}

}  // namespace cli::mtip
