// Merging on the CPU: the autocorrelation of the particle from images with orientations, by the normal equations
//   (T + regularisation T(0)) a = b   inside the ball |n| <= M/2,
//   T(n) = Re sum_j w_j exp(-2 pi i n.q_j),   b(n) = Re sum_j w_j I_j exp(-2 pi i n.q_j),   w_j = |q_j|.
// The real parts are Friedel's law: each pixel stands for its opposite, too. The product with T is a convolution by FFT.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mtip/fft.hpp"
#include "mtip/numerics.hpp"

namespace cli::mtip {

// T on (2M-1)^3 and b on M^3, both centred: [z, y, x].
struct NormalEquations {
  int modes = 0;
  std::vector<double> kernel, right_side;
};

// Of those of this rank's images that the settings name, at the first settings.pixels pixels. One type 1 transform gives both:
// T in the even real part and b in the even imaginary part of the modes of strengths w (1 + i I / scale).
NormalEquations normal_equations(const NumericsProblem& problem, const NumericsData& data,
                                 std::span<const Rotation> rotations, const MergeSettings& settings);

// Conjugate gradients from zero. Returns the autocorrelation, symmetric under n -> -n: [M, M, M], centred.
std::vector<float> solve(const NormalEquations& equations, const MergeSettings& settings);

// sqrt(max(FFT a, 0)), in the order of RealFft's spectrum of size M.
std::vector<float> amplitudes(std::span<const float> autocorrelation, const RealFft& fft);

}  // namespace cli::mtip
