// Random numbers from a counter: the i-th number of a stream is a pure function of (seed, i), so arrays are filled in
// parallel and come out the same on any machine with any number of threads. The mixer is the finaliser of splitmix64.
#pragma once

#include <complex>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "oracle/parallel.hpp"

namespace cli {

class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t seed) : key_(mix(seed + golden)) {}

  [[nodiscard]] std::uint64_t bits(std::uint64_t index) const { return mix(mix(key_ + index * golden) ^ key_); }

  // Uniform in [0, 1).
  [[nodiscard]] double uniform(std::uint64_t index) const { return static_cast<double>(bits(index) >> 11) * 0x1p-53; }

  // Uniform in [low, high).
  [[nodiscard]] double uniform(std::uint64_t index, double low, double high) const {
    return low + (high - low) * uniform(index);
  }

 private:
  static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  std::uint64_t key_;
};

// Uniform in [-1, 1] + i [-1, 1].
template <class T> void fill_random(std::span<std::complex<T>> values, std::uint64_t seed) {
  const CounterRandom random(seed);
  oracle::parallel_ranges(static_cast<std::int64_t>(values.size()), [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::uint64_t>(first); i < static_cast<std::uint64_t>(last); ++i)
      values[i] = {static_cast<T>(random.uniform(2 * i, -1, 1)), static_cast<T>(random.uniform(2 * i + 1, -1, 1))};
  });
}

// `count` positions in [0, size), spread at random; all of them, in order, where there are no more than `count`.
inline std::vector<std::int64_t> sample_positions(std::int64_t size, std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(std::min(size, count)));
  std::iota(positions.begin(), positions.end(), std::int64_t{0});
  const CounterRandom random(seed);
  if (size > count)
    for (auto& i : positions)
      i = static_cast<std::int64_t>(random.bits(static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(size));
  return positions;
}

}  // namespace cli
