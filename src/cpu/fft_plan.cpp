#include "cpu/fft_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"

namespace offgrid::cpu {
namespace {

std::complex<long double> unit_root(std::int64_t j, std::int64_t n) {
  const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(j) / n;
  return {std::cos(angle), std::sin(angle)};
}

int take_factor(std::int64_t& n, int factor) {
  int power = 0;
  for (; n % factor == 0; n /= factor) ++power;
  return power;
}

// Large radices go round memory less often, so powers of two are taken as eights, with fours for the remainder.
// The last pass multiplies by no twiddles: the largest radix comes last.
std::vector<int> factorise(std::int64_t n) {
  std::vector<int> radices;
  std::int64_t rest = n;
  int twos = take_factor(rest, 2);
  for (; twos > 4 || twos == 3; twos -= 3) radices.push_back(8);
  for (; twos >= 2; twos -= 2) radices.push_back(4);
  if (twos == 1) radices.push_back(2);
  for (const int odd : {3, 5, 7}) radices.insert(radices.end(), take_factor(rest, odd), odd);
  if (rest != 1) throw Error(Status::internal_error, "FFT size " + std::to_string(n) + " has a prime factor above 7");
  std::sort(radices.begin(), radices.end());
  // The first pass reads the caller's memory and the last one writes it, so there are always two.
  while (radices.size() < 2) radices.push_back(1);
  return radices;
}

}  // namespace

Roots::Roots(std::int64_t n)
    : step_(std::max<std::int64_t>(1, static_cast<std::int64_t>(std::sqrt(static_cast<double>(n))))) {
  for (std::int64_t j = 0; j < step_; ++j) fine_.push_back(unit_root(j, n));
  for (std::int64_t j = 0; j < n; j += step_) coarse_.push_back(unit_root(j, n));
}

std::complex<long double> Roots::operator()(std::int64_t j) const {
  const auto a = coarse_[j / step_], b = fine_[j % step_];
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class T> FftPlan<T>::FftPlan(std::int64_t n) : size_(n) {
  const Roots roots(n);
  std::int64_t stride = 1;
  for (const int radix : factorise(n)) {
    add_pass(radix, stride, roots);
    stride *= radix;
  }
}

template <class T> void FftPlan<T>::add_pass(int radix, std::int64_t stride, const Roots& roots) {
  passes_.push_back({radix, size_ / (stride * radix), stride, minus_.size()});
  for (std::int64_t p = 0; p < passes_.back().groups; ++p)
    for (int k = 1; k < radix; ++k) {
      const auto forward = roots(stride * p * k), backward = roots(stride * p * (radix - k));
      minus_.emplace_back(static_cast<T>(forward.real()), static_cast<T>(-forward.imag()));
      plus_.emplace_back(static_cast<T>(backward.real()), static_cast<T>(backward.imag()));
    }
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace offgrid::cpu
