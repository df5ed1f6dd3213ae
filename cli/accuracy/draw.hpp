// Numbers of a random case, one after the other, from its seed alone.
#pragma once

#include <cmath>
#include <cstdint>

#include "random.hpp"

namespace cli {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double between(double low, double high) { return random_.uniform(next_++, low, high); }
  std::int64_t below(std::int64_t count) { return static_cast<std::int64_t>(between(0, static_cast<double>(count))); }
  double log_between(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  bool one_in(std::int64_t count) { return below(count) == 0; }

 private:
  CounterRandom random_;
  std::uint64_t next_ = 0;
};

}  // namespace cli
