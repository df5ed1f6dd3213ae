// The oracle: the defining sums, evaluated directly, with the points exactly as given.
//
//   type 1:  f[k] = sum_j c[j] exp(sign i k.x[j])        type 2:  c[j] = sum_k f[k] exp(sign i k.x[j])
//   type 3:  f[k] = sum_j c[j] exp(sign i s[k].x[j])
//
// x/(2 pi) mod 1 is kept as a 128-bit fixed-point fraction, so k.x/(2 pi) mod 1 is exact integer arithmetic for any k,
// and only the final sine and cosine round. Sums go through blocks into long double. The result is good to about 3e-16
// of its l2 norm for |x| <= 1e8 and |k| <= 2^20. The program and the tests share it; tests/oracle checks it.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace oracle {

enum class ModeOrder { centred, fft };

struct Problem {
  std::vector<std::int64_t> modes;  // N1, .. Nd; the first axis is contiguous in memory
  int sign = -1;                    // of i in the exponent
  ModeOrder order = ModeOrder::centred;
};

// One span an axis, all of the same length. Write T out, direct_type1<double>(..), and a std::vector of them converts.
template <class T> using Axes = std::span<const std::span<const T>>;

using Sums = std::vector<std::complex<double>>;

// The whole output: every mode, or every point.
template <class T>
Sums direct_type1(const Problem& problem, Axes<T> points, std::span<const std::complex<T>> strengths);
template <class T> Sums direct_type2(const Problem& problem, Axes<T> points, std::span<const std::complex<T>> modes);

// Only the sampled outputs: flat positions in the array of modes (type 1), or numbers of points (type 2).
template <class T>
Sums direct_type1(const Problem& problem, Axes<T> points, std::span<const std::complex<T>> strengths,
                  std::span<const std::int64_t> sampled);
template <class T>
Sums direct_type2(const Problem& problem, Axes<T> points, std::span<const std::complex<T>> modes,
                  std::span<const std::int64_t> sampled);

// Type 3 at the targets, of which there may be few. s.x / (2 pi) is exact to 2^-106 |s.x|.
template <class T>
Sums direct_type3(int sign, Axes<T> points, std::span<const std::complex<T>> strengths, Axes<T> targets);

// The frequency at position `index` of an axis with `size` modes.
std::int64_t frequency(std::int64_t index, std::int64_t size, ModeOrder order);

// ||computed - expected|| / ||expected|| in l2; infinite where a computed value is not a number. Zero for two zeros.
template <class T>
double relative_error(std::span<const std::complex<T>> computed, std::span<const std::complex<double>> expected);

// The same where `expected` holds only the sampled positions of `computed`.
template <class T>
double relative_error(std::span<const std::complex<T>> computed, std::span<const std::complex<double>> expected,
                      std::span<const std::int64_t> sampled);

// A factor for a relative error, at most 1. Where all points are about one, the output is about one number times a wave,
// and that number may be small by chance; no method in floating point has a small relative error then. With this factor
// the error is relative to the norm of the output or to the norm that the same input has at random points,
// sqrt(outputs) ||input||, whichever is larger. `expected` belongs to `vectors` inputs that follow one another.
template <class T>
double cancellation(std::span<const std::complex<T>> input, std::span<const std::complex<double>> expected,
                    std::int64_t vectors = 1);

}  // namespace oracle
