// The fixture of the tests that only a GPU can run: they are skipped, and say why, where there is none.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <optional>

#include "core/design/cells_design.hpp"
#include "kernel_sum.hpp"
#include "transform.hpp"

namespace support {

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      where_ = {"cuda", offgrid::backend_for(offgrid::DeviceKind::cuda)};
    } catch (const offgrid::Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  [[nodiscard]] const BackendUnderTest& where() const { return where_; }

 private:
  BackendUnderTest where_;
};

// Modes whose grids cuFFT transforms: an axis that is not alone has more than 4096 cells, for which there are no kernels
// (stockham_plan.hpp).
inline const std::vector<Sizes> long_modes{{4200, 9}, {9, 4200}, {9, 8, 4200}};

// Sigma is 2.5 at most, so that 1600 modes have at most 4096 cells; and it is over 1, so that 4097 have more. Between these it
// depends on sigma, and beside axes of two or three modes on whether they are summed exactly.
inline void expect_fft_of(const offgrid::AnyPlan& plan, const Sizes& modes) {
  const std::int64_t longest = *std::max_element(modes.begin(), modes.end());
  const auto others = std::count_if(modes.begin(), modes.end(), [](std::int64_t n) { return n > 3; }) - 1;
  const bool is_alone = std::count(modes.begin(), modes.end(), 1) + 1 == std::ssize(modes);
  const std::string words = plan.describe();
  const auto expect = [&](const char* fft) { EXPECT_NE(words.find(fft), std::string::npos) << words; };
  if (longest <= 1600 || (is_alone && longest <= 1'500'000)) return expect("FFT by lines");
  if (longest > 4096 && (others > 0 || longest > 4'200'000)) return expect("FFT by cuFFT");
}

// A plan with its arrays on the GPU, whose calls are asynchronous. It checks which FFT it has. With spread_only the
// modes are cells, and the truth is a direct sum of the kernel.
template <class T> class GpuPlan {
 public:
  using Complex = std::complex<T>;

  // Designed at once, for as many points as will be set.
  GpuPlan(const BackendUnderTest& where, Spec spec, PointSet<T> points)
      : spec_(hinted(std::move(spec), points.count())),
        points_(std::move(points)),
        plan_(offgrid::make_plan(problem_of<T>(spec_), spec_.options, where.backend)),
        in_(random_values<T>(size(spec_.backward()), 3)),
        source_(where, in_),
        result_(where, std::vector<Complex>(static_cast<std::size_t>(size(spec_.forward())))) {
    for (const auto& axis : points_.axis) axes_.emplace_back(where, axis);
    if (!spec_.options.spread_only) expect_fft_of(*plan_, spec_.modes);
  }

  void set_points(cudaStream_t stream = nullptr) {
    std::array<const void*, offgrid::max_dim> raw{};
    for (std::size_t a = 0; a < axes_.size(); ++a) raw[a] = axes_[a].data();
    plan_->set_points(points_.count(), raw, stream);
  }
  void execute(cudaStream_t stream = nullptr) {
    const bool to_modes = spec_.forward() == To::modes;
    plan_->execute((to_modes ? source_ : result_).data(), (to_modes ? result_ : source_).data(), stream);
  }
  // Both ways in turn: the result goes back to where the source is not.
  void adjoint(DeviceArray<Complex>& back, cudaStream_t stream = nullptr) {
    const bool to_modes = spec_.backward() == To::modes;
    plan_->adjoint((to_modes ? result_ : back).data(), (to_modes ? back : result_).data(), stream);
  }
  // Other numbers, in the same place.
  void renew_source(unsigned seed) {
    in_ = random_values<T>(size(spec_.backward()), seed);
    truth_.reset();
    fill_gpu(source_.data(), in_.data(), in_.size() * sizeof(Complex));
  }
  void renew_points(PointSet<T> points) {  // as many as before
    points_ = std::move(points);
    truth_.reset();
    for (std::size_t a = 0; a < axes_.size(); ++a)
      fill_gpu(axes_[a].data(), points_.axis[a].data(), points_.axis[a].size() * sizeof(T));
  }
  void clear_source() {
    check_gpu(cudaMemset(source_.data(), 0xff, in_.size() * sizeof(Complex)));
    check_gpu(cudaDeviceSynchronize());
  }
  void clear_result() { check_gpu(cudaMemset(result_.data(), 0xff, result_.host().size() * sizeof(Complex))); }

  [[nodiscard]] double error() {
    if (!truth_)
      truth_ =
          spec_.options.spread_only ? kernel_sum() : direct_sum<T>(spec_.forward(), spec_.forward_sum(), points_, in_);
    return relative_error(result_.host(), *truth_);
  }
  [[nodiscard]] double adjoint_error(const DeviceArray<Complex>& back) {
    const auto from = result_.host();
    return relative_error(back.host(), direct_sum<T>(spec_.backward(), spec_.adjoint_sum(), points_, from));
  }
  [[nodiscard]] const std::vector<Complex>& in() const { return in_; }
  [[nodiscard]] Complex* source() { return source_.data(); }
  [[nodiscard]] Complex* target() { return result_.data(); }
  [[nodiscard]] std::vector<Complex> result() { return result_.host(); }
  [[nodiscard]] offgrid::AnyPlan& plan() { return *plan_; }

 private:
  static Spec hinted(Spec spec, std::int64_t count) {
    if (spec.options.points_hint == 0) spec.options.points_hint = count;
    return spec;
  }

  [[nodiscard]] Sums kernel_sum() const {
    const KernelSum sum(offgrid::window_of_cells(problem_of<T>(spec_), spec_.options), spec_.modes);
    return spec_.forward() == To::modes ? sum.to_cells<T>(points_, in_) : sum.to_points<T>(points_, in_);
  }

  [[nodiscard]] std::int64_t size(To side) const {
    return spec_.options.transforms * (side == To::modes ? product(spec_.modes) : points_.count());
  }

  Spec spec_;
  PointSet<T> points_;
  std::unique_ptr<offgrid::AnyPlan> plan_;
  std::vector<Complex> in_;
  DeviceArray<Complex> source_, result_;
  std::vector<DeviceArray<T>> axes_;
  std::optional<Sums> truth_;  // of the result, once it was asked for
};

}  // namespace support
