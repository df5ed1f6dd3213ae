#include "mtip/fsc.hpp"

#include <algorithm>
#include <cmath>

#include "mtip/fft.hpp"

namespace cli::mtip {
namespace {

struct HalfSpectrum {
  std::vector<std::complex<double>> values;  // with 0 < |k| <= 0.5
  std::vector<int> shell;
};

// body(index in RealFft's spectrum of size n, n^2 |k|^2, shell) for each k with 0 < |k| <= 0.5.
template <class Body> void for_shells(int n, int shells, const Body& body) {
  std::size_t i = 0;
  for (int z = 0; z < n; ++z) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x <= n / 2; ++x, ++i) {
        const int ky = frequency(y, n), kz = frequency(z, n), squared = x * x + ky * ky + kz * kz;
        const double radius = std::sqrt(squared) / n;
        if (radius > 0 && radius <= 0.5) body(i, squared, std::min(static_cast<int>(2 * radius * shells), shells - 1));
      }
    }
  }
}

HalfSpectrum spectrum_of(const Volume& block, const RealFft& fft, int shells) {
  const int n = fft.size(), half = block.size / 2;
  FftArray<float> space(fft.space_size());
  FftArray<std::complex<float>> spectrum(fft.spectrum_size());
  const auto place = [&](int i) { return (i - half + n) % n; };
  for (int z = 0; z < block.size; ++z)
    for (int y = 0; y < block.size; ++y)
      for (int x = 0; x < block.size; ++x)
        space[static_cast<std::size_t>((place(z) * n + place(y)) * n + place(x))] =
            block.values[static_cast<std::size_t>((z * block.size + y) * block.size + x)];
  fft.forward(space, spectrum);
  HalfSpectrum result;
  for_shells(n, shells, [&](std::size_t i, int, int shell) {
    result.values.push_back(spectrum[i]);
    result.shell.push_back(shell);
  });
  return result;
}

// Deviations from the mean over all k of the same length.
HalfSpectrum deviations(std::span<const float> amplitudes, int modes, int shells) {
  HalfSpectrum result;
  std::vector<std::size_t> length;  // squared, of each k
  std::vector<double> sums(static_cast<std::size_t>(modes * modes)), counts(sums.size());
  for_shells(modes, shells, [&](std::size_t i, int squared, int shell) {
    result.values.emplace_back(amplitudes[i]);
    result.shell.push_back(shell);
    length.push_back(static_cast<std::size_t>(squared));
    sums[length.back()] += amplitudes[i];
    counts[length.back()] += 1;
  });
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] -= sums[length[i]] / counts[length[i]];
  return result;
}

}  // namespace

ShellCurve shell_correlation(std::span<const std::complex<double>> f, std::span<const std::complex<double>> g,
                             std::span<const int> shell, int shells, double highest) {
  const auto count = static_cast<std::size_t>(shells);
  std::vector<double> cross(count), ff(count), gg(count);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto at = static_cast<std::size_t>(shell[i]);
    cross[at] += (f[i] * std::conj(g[i])).real();
    ff[at] += std::norm(f[i]);
    gg[at] += std::norm(g[i]);
  }
  ShellCurve curve;
  for (std::size_t s = 0; s < count; ++s) {
    curve.radius.push_back((static_cast<double>(s) + 0.5) * highest / shells);
    curve.value.push_back(cross[s] / std::sqrt(ff[s] * gg[s] + 1e-300));
  }
  return curve;
}

double crossing(const ShellCurve& curve, double level) {
  const auto below = [&](double value) { return !(value >= level); };  // what is no number agrees with nothing
  const auto found = std::find_if(curve.value.begin(), curve.value.end(), below);
  if (found == curve.value.end()) return curve.radius.back() + curve.radius.front();
  const auto i = static_cast<std::size_t>(found - curve.value.begin());
  if (i == 0) return 0;
  const double fall = curve.value[i - 1] - curve.value[i];
  const double part = fall > 0 ? (curve.value[i - 1] - level) / fall : 0;
  return curve.radius[i - 1] + part * (curve.radius[i] - curve.radius[i - 1]);
}

ShellCurve density_correlation(const Volume& a, const Volume& b, int modes, int shells) {
  const RealFft fft(modes);
  const HalfSpectrum f = spectrum_of(a, fft, shells), g = spectrum_of(b, fft, shells);
  return shell_correlation(f.values, g.values, f.shell, shells);
}

ShellCurve amplitude_correlation(std::span<const float> a, std::span<const float> b, int modes, int shells) {
  const HalfSpectrum f = deviations(a, modes, shells), g = deviations(b, modes, shells);
  return shell_correlation(f.values, g.values, f.shell, shells);
}

}  // namespace cli::mtip
