#include "mtip/merge_cpu.hpp"

#include <algorithm>
#include <cmath>

#include "mtip/slice_cpu.hpp"
#include "offgrid/offgrid.hpp"

namespace cli::mtip {
namespace {

std::size_t cube(int size) {
  const auto n = static_cast<std::size_t>(size);
  return n * n * n;
}

using Complex = std::complex<double>;

struct Strengths {
  std::vector<Complex> values;
  double scale = 1;  // of the intensities, so that both parts are about as large
};

Strengths strengths_of(const NumericsData& data, std::size_t images, const MergeSettings& settings) {
  const auto pixels = static_cast<std::size_t>(settings.pixels);
  Strengths result{.values = std::vector<Complex>(images * pixels)};
  double weights = 0, weighted = 0;
  for (std::size_t i = 0; i < images; ++i) {
    const auto image = data.images.image(settings.first_image + static_cast<std::int64_t>(i) * settings.image_step);
    for (std::size_t p = 0; p < pixels; ++p) {
      const double weight = data.detector.radius[p];
      result.values[i * pixels + p] = {weight, weight * image[p]};
      weights += weight * weight;
      weighted += weight * weight * image[p] * image[p];
    }
  }
  if (weighted > 0) result.scale = std::sqrt(weighted / weights);
  for (Complex& value : result.values) value = {value.real(), value.imag() / result.scale};
  return result;
}

// The even parts of the modes f on (2M-1)^3: (f(n) + f(-n)) / 2. -n has the opposite index.
NormalEquations split(const std::vector<Complex>& f, int modes, double scale) {
  const int width = 2 * modes - 1, margin = (modes - 1) / 2;
  NormalEquations result{.modes = modes, .kernel = std::vector<double>(f.size()), .right_side = {}};
  for (std::size_t i = 0; i < f.size(); ++i) result.kernel[i] = (f[i].real() + f[f.size() - 1 - i].real()) / 2;
  result.right_side.reserve(cube(modes));
  for (int z = 0; z < modes; ++z) {
    for (int y = 0; y < modes; ++y) {
      for (int x = 0; x < modes; ++x) {
        const auto i = static_cast<std::size_t>(((z + margin) * width + y + margin) * width + x + margin);
        result.right_side.push_back(scale * (f[i].imag() + f[f.size() - 1 - i].imag()) / 2);
      }
    }
  }
  return result;
}

// a -> T a + regularisation a inside the ball.
class Operator {
 public:
  Operator(const NormalEquations& equations, double regularisation)
      : modes_(equations.modes),
        fft_(good_fft_size(2 * modes_ - 1)),
        kernel_(fft_.spectrum_size()),
        space_(fft_.space_size()),
        spectrum_(fft_.spectrum_size()),
        inside_(cube(modes_)) {
    regularisation_ = static_cast<float>(regularisation * equations.kernel[equations.kernel.size() / 2]);
    set_kernel(equations.kernel);
    set_ball();
  }

  [[nodiscard]] const std::vector<float>& inside() const { return inside_; }

  void apply(const std::vector<float>& a, std::vector<float>& result) {
    std::fill(space_.begin(), space_.end(), 0.0f);
    rows([&](std::size_t at, std::size_t row) { std::copy_n(&a[at], modes_, &space_[row]); });
    fft_.forward(space_, spectrum_);
    for (std::size_t i = 0; i < spectrum_.size(); ++i) spectrum_[i] *= kernel_[i];
    fft_.backward(spectrum_, space_);
    rows([&](std::size_t at, std::size_t row) {
      for (std::size_t x = 0; x < static_cast<std::size_t>(modes_); ++x)
        result[at + x] = space_[row + x] * inside_[at + x] + regularisation_ * a[at + x];
    });
  }

 private:
  // body(index in the cube of M, index in the cube of the FFT) for each row along x.
  template <class Body> void rows(const Body& body) const {
    const auto m = static_cast<std::size_t>(modes_), n = static_cast<std::size_t>(fft_.size());
    for (std::size_t z = 0; z < m; ++z)
      for (std::size_t y = 0; y < m; ++y) body((z * m + y) * m, (z * n + y) * n);
  }

  // T is real and even, and so is its transform. Mode n goes to index n modulo the size.
  void set_kernel(const std::vector<double>& kernel) {
    const int width = 2 * modes_ - 1, n = fft_.size();
    const auto wrapped = [&](int i) { return (i - (modes_ - 1) + n) % n; };
    for (int z = 0; z < width; ++z)
      for (int y = 0; y < width; ++y)
        for (int x = 0; x < width; ++x)
          space_[static_cast<std::size_t>((wrapped(z) * n + wrapped(y)) * n + wrapped(x))] =
              static_cast<float>(kernel[static_cast<std::size_t>((z * width + y) * width + x)]);
    fft_.forward(space_, spectrum_);
    const float scale = 1.0f / static_cast<float>(space_.size());
    for (std::size_t i = 0; i < spectrum_.size(); ++i) kernel_[i] = scale * spectrum_[i].real();
  }

  void set_ball() {
    const int half = modes_ / 2;
    std::size_t i = 0;
    for (int z = -half; z <= half; ++z)
      for (int y = -half; y <= half; ++y)
        for (int x = -half; x <= half; ++x, ++i) inside_[i] = x * x + y * y + z * z <= half * half ? 1.0f : 0.0f;
  }

  int modes_;
  RealFft fft_;
  FftArray<float> kernel_, space_;
  FftArray<std::complex<float>> spectrum_;
  std::vector<float> inside_;
  float regularisation_ = 0;
};

double product(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

// a += factor * b
void add(std::vector<float>& a, double factor, const std::vector<float>& b) {
  const auto f = static_cast<float>(factor);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += f * b[i];
}

}  // namespace

NormalEquations normal_equations(const NumericsProblem& problem, const NumericsData& data,
                                 std::span<const Rotation> rotations, const MergeSettings& settings) {
  const std::int64_t width = 2 * problem.modes - 1;
  std::vector<Complex> modes(cube(static_cast<int>(width)));
  if (rotations.empty()) return split(modes, problem.modes, 1);
  SlicePoints<double> points;
  points.set(rotations, std::span(data.detector.pixels).first(static_cast<std::size_t>(settings.pixels)));
  offgrid::Plan<double> plan({.type = 1,
                              .modes = {width, width, width},
                              .tolerance = problem.merge_tolerance,
                              .options = {{"device", "cpu"}}});
  const auto spans = points.spans();
  plan.set_points(spans);
  const Strengths strengths = strengths_of(data, rotations.size(), settings);
  plan.execute(strengths.values, modes);
  return split(modes, problem.modes, strengths.scale);
}

std::vector<float> solve(const NormalEquations& equations, const MergeSettings& settings) {
  constexpr double small = 1e-10;  // of |residual|^2 / |right side|^2, near what single precision can tell
  Operator system(equations, settings.regularisation);
  std::vector<float> r(equations.right_side.begin(), equations.right_side.end()), a(r.size()), t(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) r[i] *= system.inside()[i];
  std::vector<float> p = r;
  double rr = product(r, r);
  const double end = small * rr;
  for (int step = 0; step < settings.iterations && rr > end; ++step) {
    system.apply(p, t);
    const double alpha = rr / product(p, t);
    add(a, alpha, p);
    add(r, -alpha, t);
    const double next = product(r, r);
    const auto beta = static_cast<float>(next / rr);
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + beta * p[i];
    rr = next;
  }
  for (std::size_t i = 0, j = a.size() - 1; i < j; ++i, --j) a[i] = a[j] = (a[i] + a[j]) / 2;
  return a;
}

std::vector<float> amplitudes(std::span<const float> autocorrelation, const RealFft& fft) {
  const int size = fft.size(), half = size / 2;
  FftArray<float> space(fft.space_size());
  FftArray<std::complex<float>> spectrum(fft.spectrum_size());
  const auto shifted = [&](int i) { return (i + size - half) % size; };
  for (int z = 0; z < size; ++z)
    for (int y = 0; y < size; ++y)
      for (int x = 0; x < size; ++x)
        space[static_cast<std::size_t>((shifted(z) * size + shifted(y)) * size + shifted(x))] =
            autocorrelation[static_cast<std::size_t>((z * size + y) * size + x)];
  fft.forward(space, spectrum);
  std::vector<float> result(spectrum.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = std::sqrt(std::max(spectrum[i].real(), 0.0f));
  return result;
}

}  // namespace cli::mtip
