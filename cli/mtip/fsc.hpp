// Fourier shell correlation of two densities, from their transforms at the same k:
//   FSC(shell) = Re sum F conj(G) / sqrt(sum |F|^2 sum |G|^2)
#pragma once

#include <algorithm>
#include <complex>
#include <span>
#include <vector>

#include "mtip/types.hpp"

namespace cli::mtip {

struct ShellCurve {
  std::vector<double> radius;  // |k| in the middle of each shell
  std::vector<double> value;
};

// As many shells as the detector has, unless the Fourier grid of `modes` samples per axis has no k in the first one then.
inline int fsc_shells(const Detector& detector, int modes) { return std::min(detector.shells, (modes - 1) / 2); }

// `shell` of each k, 0 to shells - 1; the shells share 0 to `highest` equally.
ShellCurve shell_correlation(std::span<const std::complex<double>> f, std::span<const std::complex<double>> g,
                             std::span<const int> shell, int shells, double highest = 0.5);

// Pearson's correlation of two sets of amplitudes on the Fourier grid of `modes` samples per axis, in the order of RealFft's
// spectrum. What depends on |k| alone is taken off both: any two particles of a size have that in common.
ShellCurve amplitude_correlation(std::span<const float> a, std::span<const float> b, int modes, int shells);

// |k| where the curve first falls below the level, by linear interpolation; the end of the last shell where it does not.
double crossing(const ShellCurve& curve, double level = 0.5);

// Two blocks of the same size and orientation, on the Fourier grid of `modes` samples per axis.
ShellCurve density_correlation(const Volume& a, const Volume& b, int modes, int shells);

}  // namespace cli::mtip
