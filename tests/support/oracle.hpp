// The truth, oracle/direct_sum.hpp, for the tests' point sets and for several vectors that follow one another.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "oracle/direct_sum.hpp"
#include "points.hpp"

namespace support {

using oracle::Sums;

enum class To { modes, points };

// Which sum: the first axis of the modes is contiguous.
struct Sum {
  Sizes modes;
  int sign = -1;
  std::int64_t transforms = 1;
  bool fft_order = false;

  [[nodiscard]] oracle::Problem problem() const {
    return {modes, sign, fft_order ? oracle::ModeOrder::fft : oracle::ModeOrder::centred};
  }
};

template <class T> std::vector<std::span<const T>> axes_of(const PointSet<T>& points) {
  return {points.axis.begin(), points.axis.end()};
}

template <class T>
Sums direct_sum(To to, const Sum& sum, const PointSet<T>& points, const std::vector<std::complex<T>>& in) {
  const std::size_t size = in.size() / sum.transforms;
  Sums all;
  for (std::int64_t v = 0; v < sum.transforms; ++v) {
    const auto vector = std::span(in).subspan(v * size, size);
    const Sums one = to == To::modes ? oracle::direct_type1<T>(sum.problem(), axes_of(points), vector)
                                     : oracle::direct_type2<T>(sum.problem(), axes_of(points), vector);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

// Relative l2 distance, infinite where the result has a NaN or another size.
template <class A, class B>
double relative_error(const std::vector<std::complex<A>>& result, const std::vector<std::complex<B>>& truth) {
  if (result.size() != truth.size()) return std::numeric_limits<double>::infinity();
  return oracle::relative_error<A>(result, Sums(truth.begin(), truth.end()));
}

}  // namespace support
