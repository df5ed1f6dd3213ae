// Wall-clock times: a stopwatch, named stages in the order they ran, and the median and spread of repeats.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace cli {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

template <class Work> double seconds_of(Work&& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

struct Stage {
  std::string name;
  double seconds;
};

// Seconds over repeats. The median stands for the time; the extremes tell how far it can be trusted.
struct Spread {
  double median = 0, low = 0, high = 0;
};

inline Spread spread_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  const double median = samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
  return {median, samples.front(), samples.back()};
}

}  // namespace cli
