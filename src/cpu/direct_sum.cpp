#include "cpu/direct_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

constexpr std::int64_t chunk = 256;  // terms whose phases are held at a time
constexpr std::int64_t values_of_job = 8;
constexpr double pair_time = 8;  // in nanoseconds, and per vector
constexpr double product_time = 1;

// 1 / (2 pi), in two parts.
constexpr double per_turn = 0x1.45f306dc9c883p-3, per_turn_low = -0x1.6b01ec5417056p-57;

double nearest_whole(double turns) {
  constexpr double magic = 0x1.8p52;
  return (turns + magic) - magic;
}

// cos and sin of 2 pi turns for |turns| <= 1/2. Taylor's series for at most an eighth of a turn: the next terms are under 1e-16.
struct CosSin {
  double cosine, sine;
};
CosSin cos_sin(double turns) {
  const double quarter = nearest_whole(4 * turns), angle = 2 * std::numbers::pi * (turns - 0.25 * quarter);
  const double square = angle * angle;
  double sine = 0, cosine = 0;
  for (int n = 17; n >= 3; n -= 2) sine = (sine + 1) * (-square / (n * (n - 1)));
  for (int n = 16; n >= 2; n -= 2) cosine = (cosine + 1) * (-square / (n * (n - 1)));
  sine = angle * (sine + 1);
  cosine += 1;
  // By quarter turns: (c, s), (-s, c), (-c, -s), (s, -c).
  const double odd = quarter * quarter == 1 ? 1 : 0, half = std::abs(quarter) == 2 ? -1 : 1;
  const double c = odd != 0 ? -quarter * sine : half * cosine;
  const double s = odd != 0 ? quarter * cosine : half * sine;
  return {c, s};
}

// Phases of a chunk of terms at one value.
template <class T> class Phases {
 public:
  void find(const DirectSum<T>& sum, std::int64_t value, const Range& range) {
    std::fill_n(turns_.begin(), range.size(), 0.0);
    for (int axis = 0; axis < sum.dim; ++axis) {
      const double s = static_cast<double>(static_cast<int>(sum.sign)) * sum.at[axis * sum.values + value];
      const double rate = s * per_turn, rest = std::fma(s, per_turn, -rate) + s * per_turn_low;
      const T* x = sum.x + axis * sum.terms + range.begin;
      for (std::int64_t j = 0; j < range.size(); ++j) {
        const double turns = rate * x[j], tail = std::fma(rate, static_cast<double>(x[j]), -turns) + rest * x[j];
        turns_[j] += (turns - nearest_whole(turns)) + tail;
      }
    }
    for (std::int64_t j = 0; j < range.size(); ++j) {
      const CosSin phase = cos_sin(turns_[j] - nearest_whole(turns_[j]));
      cosine[j] = phase.cosine;
      sine[j] = phase.sine;
    }
  }
  std::array<double, chunk> cosine, sine;

 private:
  std::array<double, chunk> turns_;
};

template <class T>
std::complex<double> product(const Phases<T>& phases, const std::complex<T>* from, std::int64_t count) {
  double real = 0, imag = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    const double a = from[j].real(), b = from[j].imag();
    real += a * phases.cosine[j] - b * phases.sine[j];
    imag += a * phases.sine[j] + b * phases.cosine[j];
  }
  return {real, imag};
}

}  // namespace

template <class T> void sum_directly(const DirectSum<T>& sum, int threads) {
  const double pairs = static_cast<double>(sum.terms) * static_cast<double>(sum.values);
  const Work work{threads, pairs * (pair_time + product_time * static_cast<double>(sum.vectors))};
  const std::int64_t jobs = (sum.values + values_of_job - 1) / values_of_job;
  parallel_for(work, jobs, [&](std::int64_t job, int) {
    Phases<T> phases;
    std::vector<std::complex<double>> totals(static_cast<std::size_t>(sum.vectors));
    const Range values{job * values_of_job, std::min((job + 1) * values_of_job, sum.values)};
    for (std::int64_t value = values.begin; value < values.end; ++value) {
      std::fill(totals.begin(), totals.end(), 0.0);
      for (std::int64_t first = 0; first < sum.terms; first += chunk) {
        const Range range{first, std::min(first + chunk, sum.terms)};
        phases.find(sum, value, range);
        for (std::int64_t v = 0; v < sum.vectors; ++v)
          totals[static_cast<std::size_t>(v)] += product(phases, sum.from + v * sum.terms + first, range.size());
      }
      for (std::int64_t v = 0; v < sum.vectors; ++v)
        sum.to[v * sum.values + value] = std::complex<T>(totals[static_cast<std::size_t>(v)]);
    }
  });
}

template void sum_directly(const DirectSum<float>&, int);
template void sum_directly(const DirectSum<double>&, int);

}  // namespace offgrid::cpu
