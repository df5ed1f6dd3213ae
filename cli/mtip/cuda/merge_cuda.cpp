#include "mtip/cuda/merge_cuda.hpp"

#include <cmath>
#include <cstdint>

#include "mtip/cuda/merge_kernels.hpp"
#include "mtip/fft.hpp"

namespace cli::mtip {
namespace {

std::size_t cube(int size) {
  const auto n = static_cast<std::size_t>(size);
  return n * n * n;
}

offgrid::Problem merge_problem(const NumericsProblem& problem) {
  const std::int64_t width = 2 * problem.modes - 1;
  return {
      .type = 1, .modes = {width, width, width}, .tolerance = problem.merge_tolerance, .options = {{"device", "cuda"}}};
}

}  // namespace

MergerCuda::MergerCuda(const NumericsProblem& problem, const NumericsData& data, const DeviceStream& stream)
    : problem_(problem),
      data_(data),
      stream_(stream),
      plan_(merge_problem(problem)),
      large_(good_fft_size(2 * problem.modes - 1), 1, stream),
      small_(problem.modes, 1, stream),
      large_size_(good_fft_size(2 * problem.modes - 1)),
      intensities_(std::span(data.images.intensities)),
      radius_(std::span(data.detector.radius)),
      kernel_(cube(2 * problem.modes - 1)),
      right_side_(cube(problem.modes)),
      modes_(kernel_.size()) {
  pixels_.set({data.detector.pixels.data()->data(), 3 * data.detector.pixels.size()});
  for (DeviceArray<float>* array : {&a_, &r_, &p_, &t_}) array->resize(cube(problem.modes));
  space_.resize(large_.space_size());
  spectrum_.resize(large_.spectrum_size());
  factors_.resize(large_.spectrum_size());
  partial_.resize(solver_blocks);
  scalars_.resize(4);
}

// Both parts of the strengths are about as large.
double MergerCuda::intensity_scale(std::size_t pixels) const {
  double weights = 0, weighted = 0;
  for (std::int64_t i = 0; i < data_.images.count; ++i) {
    const auto image = data_.images.image(i);
    for (std::size_t p = 0; p < pixels; ++p) {
      const double w = data_.detector.radius[p];
      weights += w * w;
      weighted += w * w * image[p] * image[p];
    }
  }
  return weighted > 0 ? std::sqrt(weighted / weights) : 1;
}

void MergerCuda::make_equations(std::span<const Rotation> rotations, const MergeSettings& settings) {
  const auto pixels = static_cast<std::size_t>(settings.pixels);
  const std::size_t images = rotations.size(), count = images * pixels;
  const double scale = intensity_scale(pixels);
  if (count == 0) {
    check(cudaMemsetAsync(modes_.data(), 0, modes_.size() * sizeof(double2), stream_), "GPU memory");
  } else {
    for (DeviceArray<double>* axis : {&x_, &y_, &z_}) axis->resize(count);
    strengths_.resize(count);
    rotations_.set({rotations.data()->entries.data(), 9 * images});
    launch_points<double>({rotations_.data(), pixels_.data(), images, pixels}, {x_.data(), y_.data(), z_.data()},
                          stream_);
    launch_strengths({.intensities = intensities_.data() + settings.first_image * data_.images.pixels,
                      .radius = radius_.data(),
                      .images = images,
                      .pixels = pixels,
                      .stride = static_cast<std::size_t>(settings.image_step * data_.images.pixels),
                      .scale = scale},
                     strengths_.data(), stream_);
    using Axis = std::span<const double>;
    plan_.set_points({Axis(x_.data(), count), Axis(y_.data(), count), Axis(z_.data(), count)}, stream_);
    plan_.execute({reinterpret_cast<const std::complex<double>*>(strengths_.data()), count},
                  {reinterpret_cast<std::complex<double>*>(modes_.data()), modes_.size()}, stream_);
  }
  launch_split(modes_.data(), problem_.modes, scale, {kernel_.data(), right_side_.data()}, stream_);
}

void MergerCuda::sum_over_ranks() {
  std::vector<double> kernel = kernel_.get(stream_), right_side = right_side_.get(stream_);
  problem_.sum(kernel);
  problem_.sum(right_side);
  kernel_.set(kernel);
  right_side_.set(right_side);
  kernel_at_zero_ = kernel[kernel.size() / 2];
}

void MergerCuda::solve(const MergeSettings& settings) {
  constexpr double small = 1e-10;  // of |residual|^2 / |right side|^2, near what single precision can tell
  const int m = problem_.modes, n = large_size_;
  const auto regularisation = static_cast<float>(settings.regularisation * kernel_at_zero_);
  launch_wrap_kernel(kernel_.data(), m, space_.data(), n, stream_);
  large_.forward(space_.data(), spectrum_.data());
  launch_real_part(spectrum_.data(), factors_.data(), factors_.size(), 1.0f / static_cast<float>(large_.space_size()),
                   stream_);
  launch_inside(right_side_.data(), r_.data(), m, stream_);
  const Solver solver{.count = a_.size(),
                      .a = a_.data(),
                      .r = r_.data(),
                      .p = p_.data(),
                      .t = t_.data(),
                      .partial = partial_.data(),
                      .scalars = scalars_.data()};
  launch_solver_start(solver, small, stream_);
  for (int step = 0; step < settings.iterations; ++step) {
    launch_pad(p_.data(), m, space_.data(), n, stream_);
    large_.forward(space_.data(), spectrum_.data());
    launch_scale_spectrum(spectrum_.data(), factors_.data(), factors_.size(), stream_);
    large_.backward(spectrum_.data(), space_.data());
    launch_crop(space_.data(), n, p_.data(), regularisation, m, t_.data(), stream_);
    launch_solver_step(solver, stream_);
  }
  launch_symmetrise(a_.data(), a_.size(), stream_);
}

void MergerCuda::merge(std::span<const Rotation> rotations, const MergeSettings& settings, float* amplitudes) {
  make_equations(rotations, settings);
  sum_over_ranks();
  solve(settings);
  launch_shift(a_.data(), space_.data(), problem_.modes, stream_);
  small_.forward(space_.data(), spectrum_.data());
  launch_root(spectrum_.data(), amplitudes, small_.spectrum_size(), stream_);
  check(cudaGetLastError(), "merging on the GPU");
}

}  // namespace cli::mtip
