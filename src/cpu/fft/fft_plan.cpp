#include "cpu/fft/fft_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace offgrid::cpu {
namespace {

std::complex<long double> unit_root(std::int64_t j, std::int64_t n) {
  const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(j) / n;
  return {std::cos(angle), std::sin(angle)};
}

// Time of a pass per point, measured with AVX-512 (bench/fftw_grid_fft shows what a change does). Going round memory is
// most of it, so few large radices beat many small ones as long as a butterfly fits the registers.
struct RadixCost {
  int radix, cost;
};
constexpr RadixCost radix_costs[] = {{2, 40}, {3, 44}, {4, 52}, {5, 55}, {6, 52}, {7, 62}, {8, 65}, {10, 75}, {12, 78}};

struct Factorisation {
  int cost = 0;
  std::vector<int> radices;
};

// The cheapest factorisation of n into radices that do not decrease.
std::optional<Factorisation> cheapest(std::int64_t n, int smallest) {
  if (n == 1) return Factorisation{};
  std::optional<Factorisation> best;
  for (const auto& [radix, cost] : radix_costs) {
    if (radix < smallest || n % radix != 0) continue;
    auto rest = cheapest(n / radix, radix);
    if (!rest || (best && best->cost <= rest->cost + cost)) continue;
    rest->cost += cost;
    rest->radices.insert(rest->radices.begin(), radix);
    best = std::move(rest);
  }
  return best;
}

// The largest radix comes last, because the last pass multiplies by no twiddles.
std::vector<int> factorise(std::int64_t n) {
  const auto best = cheapest(n, 2);
  if (!best) throw Error(Status::internal_error, "FFT size " + std::to_string(n) + " has a prime factor above 7");
  std::vector<int> radices = best->radices;
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
