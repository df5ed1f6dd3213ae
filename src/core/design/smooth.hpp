// Grid sizes that an FFT likes: 2^a 3^b 5^c 7^d with d <= 1, and what a transform of a size costs.
// design.cpp rounds sigma * N up to one of these, cost.cpp compares sizes by fft_cost, unless an engine has its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "core/error.hpp"

namespace offgrid {

inline constexpr std::int64_t max_smooth = std::int64_t{1} << 62;  // a power of two: there is always a size up to here

// The smallest smooth size >= n that is a multiple of multiple_of, a power of two.
inline std::int64_t next_smooth(std::int64_t n, std::int64_t multiple_of = 1) {
  if (n > max_smooth) throw Error(Status::invalid_argument, "grid size " + std::to_string(n) + " exceeds 2^62");
  n = std::max(n, multiple_of);
  std::int64_t best = max_smooth;
  // a * b, or best where it would exceed that: never an overflow
  const auto times = [&best](std::int64_t a, std::int64_t b) { return a > best / b ? best : a * b; };
  for (const std::int64_t seven : {1, 7}) {
    for (std::int64_t five = seven; five < best; five = times(five, 5)) {
      for (std::int64_t odd = five; odd < best; odd = times(odd, 3)) {
        const std::int64_t quotient = (n + odd - 1) / odd;
        const auto power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(quotient)));
        best = std::min(best, times(odd, std::max(power, multiple_of)));
      }
    }
  }
  return best;
}

// Time per point of an FFT of length n, in units of a radix-2 pass: log2(n) for powers of two. A pass of a larger radix
// does less useful work for its memory traffic: the surplus over log2(radix) is 5 to 20 %, and large primes cost a
// convolution.
inline double fft_cost(std::int64_t n) {
  struct Radix {
    std::int64_t factor;
    double cost;
  };
  double cost = 0;
  for (const Radix radix : {Radix{2, 1.0}, Radix{3, 1.7}, Radix{5, 2.65}, Radix{7, 3.35}}) {
    for (; n % radix.factor == 0 && n > 1; n /= radix.factor) cost += radix.cost;
  }
  if (n > 1) cost += 3 * static_cast<double>(std::bit_width(static_cast<std::uint64_t>(n)));
  return cost;
}

}  // namespace offgrid
