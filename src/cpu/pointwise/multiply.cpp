#include "cpu/pointwise/multiply.hpp"

#include <algorithm>

#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

constexpr std::int64_t chunk = 4096;
constexpr double product_time = 1;  // of an element, in nanoseconds

// `by` gives factor i.
template <class T, class By> void multiply_range(const std::complex<T>* from, std::complex<T>* to, Range range, By by) {
  if (from == nullptr)
    for (std::int64_t i = range.begin; i < range.end; ++i) to[i] = by(i);
  else
    for (std::int64_t i = range.begin; i < range.end; ++i) to[i] = times<T>(from[i], by(i));
}

}  // namespace

template <class T> void multiply(const Product<T>& p, int threads) {
  using Complex = std::complex<T>;
  for_ranges(threads, {p.vectors, p.count, chunk}, product_time, [&](std::int64_t vector, const Range& range) {
    const Complex* from = p.from == nullptr ? nullptr : p.from + vector * p.count;
    Complex* to = p.to + vector * p.count;
    if (p.real != nullptr)
      multiply_range<T>(from, to, range, [&](std::int64_t i) { return Complex(p.real[i]); });
    else if (p.complex != nullptr && p.conjugate)
      multiply_range<T>(from, to, range, [&](std::int64_t i) { return std::conj(p.complex[i]); });
    else if (p.complex != nullptr)
      multiply_range<T>(from, to, range, [&](std::int64_t i) { return p.complex[i]; });
    else
      multiply_range<T>(from, to, range, [](std::int64_t) { return Complex(1); });
  });
}

template void multiply(const Product<float>&, int);
template void multiply(const Product<double>&, int);

}  // namespace offgrid::cpu
