#include "mtip/align.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "mtip/fft.hpp"
#include "mtip/rotations.hpp"
#include "mtip/simplex.hpp"
#include "offgrid/offgrid.hpp"
#include "oracle/parallel.hpp"

namespace cli::mtip {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double tolerance = 1e-6;
constexpr Rotation half_turn{{-1, 0, 0, 0, -1, 0, 0, 0, 1}};  // in the detector's plane

double cosine_trace(double degrees) { return 1 + 2 * std::cos(degrees * pi / 180); }

// trace(a^T b) is 1 + 2 cos(angle between a and b).
double closeness(const Rotation& a, const Rotation& b) {
  return std::inner_product(a.entries.begin(), a.entries.end(), b.entries.begin(), 0.0);
}

// The rotation that has the most others within 12 degrees, of 150 that are tried.
Rotation densest(std::span<const Rotation> all, std::size_t images) {
  constexpr std::size_t tries = 150;
  const std::size_t count = std::min(images, tries);
  Rotation best;
  std::ptrdiff_t most = -1;
  for (std::size_t t = 0; t < count; ++t) {
    const Rotation& candidate = all[t * images / count];
    const auto near = std::count_if(
        all.begin(), all.end(), [&](const Rotation& other) { return closeness(candidate, other) > cosine_trace(12); });
    if (near <= most) continue;
    most = near;
    best = candidate;
  }
  return best;
}

Rotation mean_nearby(std::span<const Rotation> all, Rotation centre) {
  for (int round = 0; round < 5; ++round) {
    std::array<double, 9> sum{};
    for (const Rotation& other : all)
      if (closeness(centre, other) > cosine_trace(15))
        for (std::size_t i = 0; i < 9; ++i) sum[i] += other.entries[i];
    centre = nearest_rotation(sum);
  }
  return centre;
}

using Axes = std::array<std::vector<double>, 3>;

// 2 pi factor R k, axis by axis.
Axes points(std::span<const Vector3> k, const Rotation& rotation, double factor) {
  Axes axes;
  for (auto& axis : axes) axis.reserve(k.size());
  for (const Vector3& one : k) {
    const Vector3 turned = rotation * one;
    for (std::size_t a = 0; a < 3; ++a) axes[a].push_back(2 * pi * factor * turned[a]);
  }
  return axes;
}

// Where the parabola through the largest value and its two neighbours along an axis is largest. The array is periodic; `stride`
// is the distance of neighbours along the axis.
double peak_along(const FftArray<float>& values, int at, int stride, int size) {
  const int index = at / stride % size;
  const auto value = [&](int step) {
    const int neighbour = (index + step + size) % size;
    return static_cast<double>(values[static_cast<std::size_t>(at + (neighbour - index) * stride)]);
  };
  const double curvature = value(-1) - 2 * value(0) + value(1);
  const double part = curvature < 0 ? (value(-1) - value(1)) / (2 * curvature) : 0;
  return frequency(index, size) + part;
}

}  // namespace

double OrientationErrors::median() const {
  std::vector<double> sorted = degrees;
  if (sorted.empty()) return 0;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

double OrientationErrors::within(double limit) const {
  const auto near = std::count_if(degrees.begin(), degrees.end(), [&](double error) { return error < limit; });
  return static_cast<double>(near) / static_cast<double>(std::max<std::size_t>(1, degrees.size()));
}

OrientationErrors orientation_errors(std::span<const Rotation> found, std::span<const Rotation> truth,
                                     Curvature curvature) {
  std::vector<Rotation> between;
  for (std::size_t i = 0; i < found.size(); ++i) between.push_back(found[i] * transposed(truth[i]));
  if (curvature == Curvature::flat)
    for (std::size_t i = 0; i < found.size(); ++i) between.push_back(found[i] * transposed(truth[i] * half_turn));
  OrientationErrors result{.rotation = mean_nearby(between, densest(between, found.size())), .degrees = {}};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Rotation expected = result.rotation * truth[i];
    double error = angle_degrees(transposed(expected) * found[i]);
    if (curvature == Curvature::flat)
      error = std::min(error, angle_degrees(transposed(expected * half_turn) * found[i]));
    result.degrees.push_back(error);
  }
  return result;
}

TruthComparison::TruthComparison(const Truth& truth, int modes, int shells) : modes_(modes), shells_(shells) {
  constexpr std::int64_t in_search = 4000;
  std::size_t place = 0;
  for (int z = 0; z < modes; ++z) {
    for (int y = 0; y < modes; ++y) {
      for (int x = 0; x <= modes / 2; ++x, ++place) {
        const Vector3 k{x / double(modes), frequency(y, modes) / double(modes), frequency(z, modes) / double(modes)};
        const double radius = std::hypot(k[0], k[1], k[2]);
        if (radius == 0 || radius > 0.5) continue;
        all_.k.push_back(k);
        all_.shell.push_back(std::min(static_cast<int>(2 * radius * shells), shells - 1));
        place_.push_back(place);
      }
    }
  }
  all_.truth.resize(all_.k.size());
  oracle::parallel_ranges(static_cast<std::int64_t>(all_.k.size()), [&](std::int64_t first, std::int64_t last) {
    const auto some = truth.transform(
        std::span(all_.k).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
    std::copy(some.begin(), some.end(), all_.truth.begin() + first);
  });
  at_zero_ = truth.transform(std::vector<Vector3>(1))[0].real();
  for (const std::int64_t i : sample_positions(static_cast<std::int64_t>(all_.k.size()), in_search, 0)) {
    const auto at = static_cast<std::size_t>(i);
    some_.k.push_back(all_.k[at]);
    some_.shell.push_back(all_.shell[at]);
    some_.truth.push_back(all_.truth[at]);
  }
}

TruthComparison::Spectrum TruthComparison::transform(const Volume& density, std::span<const Vector3> k,
                                                     const Alignment& alignment) {
  constexpr std::size_t worth_threads = 50000;
  const Axes axes = points(k, alignment.rotation, 1);
  const Spectrum modes(density.values.begin(), density.values.end());
  const double threads = k.size() + modes.size() < worth_threads ? 1 : oracle::worker_count();
  Spectrum result(k.size());
  offgrid::transform<double>({.type = 2,
                              .modes = {density.size, density.size, density.size},
                              .tolerance = tolerance,
                              .sign = -1,
                              .options = {{"device", "cpu"}, {"threads", threads}}},
                             {axes[0], axes[1], axes[2]}, modes, result);
  for (std::size_t i = 0; i < k.size(); ++i) {
    const Vector3& t = alignment.shift;
    const double phase = 2 * pi * (k[i][0] * t[0] + k[i][1] * t[1] + k[i][2] * t[2]);
    result[i] = (alignment.mirrored ? std::conj(result[i]) : result[i]) * std::polar(1.0, phase);
  }
  return result;
}

// cc(t) = sum_k X(k) exp(-2 pi i k.t), X = F_true conj(F) over the sizes of both in the shell: largest at the shift.
Alignment TruthComparison::align(const Volume& density, const Rotation& rotation) const {
  const RealFft fft(modes_);
  FftArray<std::complex<float>> spectrum(fft.spectrum_size());
  FftArray<float> correlation(fft.space_size());
  Alignment best{.rotation = rotation};
  float peak = 0;
  for (const bool mirrored : {false, true}) {
    const Spectrum f = transform(density, all_.k, {.rotation = rotation, .mirrored = mirrored});
    std::vector<double> ff(static_cast<std::size_t>(shells_)), tt(ff.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
      ff[static_cast<std::size_t>(all_.shell[i])] += std::norm(f[i]);
      tt[static_cast<std::size_t>(all_.shell[i])] += std::norm(all_.truth[i]);
    }
    std::fill(spectrum.begin(), spectrum.end(), std::complex<float>{});
    for (std::size_t i = 0; i < f.size(); ++i) {
      const auto s = static_cast<std::size_t>(all_.shell[i]);
      const auto cross = all_.truth[i] * std::conj(f[i]) / std::sqrt(ff[s] * tt[s] + 1e-300);
      spectrum[place_[i]] = std::complex<float>(std::conj(cross));  // FFTW's sign is the opposite one
    }
    fft.backward(spectrum, correlation);
    const auto top = std::max_element(correlation.begin(), correlation.end());
    if (*top <= peak) continue;
    peak = *top;
    const int at = static_cast<int>(top - correlation.begin());
    best.mirrored = mirrored;
    best.shift = {peak_along(correlation, at, 1, modes_), peak_along(correlation, at, modes_, modes_),
                  peak_along(correlation, at, modes_ * modes_, modes_)};
  }
  return best;
}

ShellCurve TruthComparison::fsc(const Volume& density, const Alignment& alignment, const Sample& sample) const {
  return shell_correlation(sample.truth, transform(density, sample.k, alignment), sample.shell, shells_);
}

ShellCurve TruthComparison::fsc(const Volume& density, const Alignment& alignment) const {
  return fsc(density, alignment, all_);
}

Alignment TruthComparison::refine(const Volume& density, Alignment start) const {
  const auto moved = [&](const std::vector<double>& p) {
    Alignment result = start;
    result.shift = {p[0], p[1], p[2]};
    result.rotation = start.rotation * from_axis_angle({p[3], p[4], p[5]});
    return result;
  };
  const auto loss = [&](const std::vector<double>& p) {
    const ShellCurve curve = fsc(density, moved(p), some_);
    return -std::accumulate(curve.value.begin(), curve.value.end(), 0.0) / shells_;
  };
  const double radians = 2 * pi / 180;
  return moved(minimise(loss, {start.shift[0], start.shift[1], start.shift[2], 0, 0, 0},
                        {.steps = {0.4, 0.4, 0.4, radians, radians, radians}, .evaluations = 300}));
}

// Half of the grid stands for all of it; of the plane k_x = 0 both halves are there. k = 0 is not among them.
Volume TruthComparison::from_spectrum(Spectrum spectrum, double at_zero, Raster raster) const {
  const int size = raster.size;
  for (std::size_t i = 0; i < spectrum.size(); ++i)
    if (all_.k[i][0] == 0) spectrum[i] /= 2;
  const Axes axes = points(all_.k, {}, 1.0 / raster.finer);
  Spectrum back(static_cast<std::size_t>(size) * size * size);
  offgrid::transform<double>({.type = 1,
                              .modes = {size, size, size},
                              .tolerance = tolerance,
                              .sign = 1,
                              .options = {{"device", "cpu"}, {"threads", 1.0}}},
                             {axes[0], axes[1], axes[2]}, spectrum, back);
  Volume result{.size = size, .values = {}};
  const double scale = 1.0 / (static_cast<double>(modes_) * modes_ * modes_);
  for (const auto& value : back) result.values.push_back(static_cast<float>(scale * (2 * value.real() + at_zero)));
  return result;
}

Volume TruthComparison::aligned(const Volume& density, const Alignment& alignment, Raster raster) const {
  const double total = std::accumulate(density.values.begin(), density.values.end(), 0.0);
  return from_spectrum(transform(density, all_.k, alignment), total, raster);
}

Volume TruthComparison::band_limited_truth(Raster raster) const { return from_spectrum(all_.truth, at_zero_, raster); }

}  // namespace cli::mtip
