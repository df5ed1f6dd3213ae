// The truth: direct sums, in double for float and in long double (64 bits of mantissa) for double.
//   to modes   f[k] = sum_j c[j] exp(sign i k.x[j])
//   to points  c[j] = sum_k f[k] exp(sign i k.x[j])
// exp(i k x) is tabulated an axis at a time; a new sine and cosine every 64 steps keeps the tables at rounding level.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "points.hpp"

namespace support {

enum class To { modes, points };

// Which sum: the first axis of the modes is contiguous, vectors follow one another.
struct Sum {
  Sizes modes;
  int sign = -1;
  std::int64_t transforms = 1;
  bool fft_order = false;
};

template <class T> using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
template <class T> using Exact = std::vector<std::complex<Wide<T>>>;

// std::complex's own product checks for NaN, which costs three times the product.
template <class R> std::complex<R> times(const std::complex<R>& a, const std::complex<R>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

inline std::int64_t frequency(std::int64_t index, std::int64_t size, bool fft_order) {
  if (!fft_order) return index - size / 2;
  return index < (size + 1) / 2 ? index : index - size;
}

template <class R> std::complex<R> unit(long double phase) {
  return {static_cast<R>(std::cos(phase)), static_cast<R>(std::sin(phase))};
}

// exp(sign i k x) for k = -size/2 ..
template <class R> std::vector<std::complex<R>> axis_waves(long double x, std::int64_t size, int sign) {
  std::vector<std::complex<R>> wave(size);
  const auto step = unit<R>(sign * x);
  for (std::int64_t i = 0; i < size; ++i)
    wave[i] = i % 64 == 0 ? unit<R>(sign * static_cast<long double>(i - size / 2) * x) : times(wave[i - 1], step);
  return wave;
}

namespace detail {

// One entry an axis, axes beyond the dimension have the single wave 1.
template <class T>
std::array<std::vector<std::complex<Wide<T>>>, 3> waves(const Sum& sum, const PointSet<T>& points, std::int64_t j) {
  using R = Wide<T>;
  std::array<std::vector<std::complex<R>>, 3> all;
  for (int a = 0; a < 3; ++a) {
    if (a >= points.dim()) {
      all[a] = {std::complex<R>(1)};
      continue;
    }
    const auto centred = axis_waves<R>(points.axis[a][j], sum.modes[a], sum.sign);
    all[a].resize(centred.size());
    for (std::int64_t i = 0; i < sum.modes[a]; ++i)
      all[a][i] = centred[frequency(i, sum.modes[a], sum.fft_order) + sum.modes[a] / 2];
  }
  return all;
}

// Calls body(row of the first axis, factor of the other axes) for every row of the modes.
template <class Waves, class F> void for_each_row(const Waves& wave, F body) {
  std::int64_t row = 0;
  for (const auto& z : wave[2])
    for (const auto& y : wave[1]) body(row++ * static_cast<std::int64_t>(wave[0].size()), times(z, y));
}

}  // namespace detail

template <class T>
Exact<T> direct_sum(To to, const Sum& sum, const PointSet<T>& points, const std::vector<std::complex<T>>& in) {
  using C = std::complex<Wide<T>>;
  const std::int64_t modes = product(sum.modes), count = points.count();
  Exact<T> out(sum.transforms * (to == To::modes ? modes : count));
  for (std::int64_t j = 0; j < count; ++j) {
    const auto wave = detail::waves(sum, points, j);
    for (std::int64_t v = 0; v < sum.transforms; ++v)
      detail::for_each_row(wave, [&](std::int64_t row, const C& factor) {
        C* line = out.data() + v * modes + row;
        if (to == To::modes) {
          const C strength = times(C(in[v * count + j]), factor);
          for (const C& w : wave[0]) *line++ += times(strength, w);
        } else {
          const std::complex<T>* mode = in.data() + v * modes + row;
          C total = 0;
          for (const C& w : wave[0]) total += times(C(*mode++), w);
          out[v * count + j] += times(total, factor);
        }
      });
  }
  return out;
}

// One mode of a sum to modes, where all of them would be too many; index counts as in the array of modes.
template <class T>
std::complex<Wide<T>> direct_mode(const Sum& sum, const PointSet<T>& points, const std::vector<std::complex<T>>& in,
                                  std::int64_t index) {
  using C = std::complex<Wide<T>>;
  C total = 0;
  for (std::int64_t j = 0; j < points.count(); ++j) {
    long double phase = 0;
    std::int64_t rest = index;
    for (int a = 0; a < points.dim(); ++a) {
      const auto k = static_cast<long double>(frequency(rest % sum.modes[a], sum.modes[a], sum.fft_order));
      phase += k * static_cast<long double>(points.axis[a][j]);
      rest /= sum.modes[a];
    }
    total += times(C(in[j]), unit<Wide<T>>(sum.sign * phase));
  }
  return total;
}

// Relative l2 distance; the plain norm where the truth is zero. NaN where the result has one.
template <class A, class B>
double relative_error(const std::vector<std::complex<A>>& result, const std::vector<std::complex<B>>& truth) {
  if (result.size() != truth.size()) return std::numeric_limits<double>::infinity();
  long double off = 0, all = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    off += std::norm(std::complex<long double>(result[i]) - std::complex<long double>(truth[i]));
    all += std::norm(std::complex<long double>(truth[i]));
  }
  return static_cast<double>(std::sqrt(all > 0 ? off / all : off));
}

}  // namespace support
