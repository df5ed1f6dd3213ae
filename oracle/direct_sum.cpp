#include "oracle/direct_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "oracle/parallel.hpp"
#include "oracle/phase.hpp"

namespace oracle {
namespace {

// Terms are added in double in blocks of this many, and the blocks in long double: the rounding of a sum of n terms
// then grows with the block and not with n.
constexpr std::size_t block = 64;

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

template <class T> std::array<Turn, 3> turns_of(Axes<T> points, std::size_t j, int sign) {
  std::array<Turn, 3> turns{};
  for (std::size_t axis = 0; axis < points.size(); ++axis)
    turns[axis] = turn_of(sign * static_cast<double>(points[axis][j]));
  return turns;
}

// exp(i k x) for every mode of every axis, at one point at a time.
class AxisTables {
 public:
  explicit AxisTables(const Problem& problem) : problem_(problem) {
    for (const auto size : problem.modes) tables_.emplace_back(static_cast<std::size_t>(size));
  }

  void move_to(const std::array<Turn, 3>& turns) {
    for (std::size_t axis = 0; axis < tables_.size(); ++axis) {
      const std::int64_t size = problem_.modes[axis];
      for (std::int64_t i = 0; i < size; ++i)
        tables_[axis].put(static_cast<std::size_t>(i), times(frequency(i, size, problem_.order), turns[axis]));
      tables_[axis].evaluate();
    }
  }

  // The factor of a row of modes, which is everything but the first axis.
  [[nodiscard]] std::complex<double> row_factor(std::int64_t row) const {
    std::complex<double> factor = 1;
    for (std::size_t axis = 1; axis < tables_.size(); ++axis) {
      const auto i = static_cast<std::size_t>(row % problem_.modes[axis]);
      factor *= std::complex<double>(tables_[axis].cosine[i], tables_[axis].sine[i]);
      row /= problem_.modes[axis];
    }
    return factor;
  }

  [[nodiscard]] const UnitCircle& first() const { return tables_[0]; }

 private:
  const Problem& problem_;
  std::vector<UnitCircle> tables_;
};

// Complex sums, one an output: add in double to `real` and `imag`, flush into long double once a block.
class BlockedSums {
 public:
  explicit BlockedSums(std::size_t size) : real(size), imag(size), total_real_(size), total_imag_(size) {}

  void flush() {
    for (std::size_t i = 0; i < real.size(); ++i) {
      total_real_[i] += std::exchange(real[i], 0.0);
      total_imag_[i] += std::exchange(imag[i], 0.0);
    }
  }

  void add(const BlockedSums& other) {
    for (std::size_t i = 0; i < real.size(); ++i) {
      total_real_[i] += other.total_real_[i];
      total_imag_[i] += other.total_imag_[i];
    }
  }

  [[nodiscard]] Sums rounded() const {
    Sums sums(real.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] = {static_cast<double>(total_real_[i]), static_cast<double>(total_imag_[i])};
    return sums;
  }

  std::vector<double> real, imag;

 private:
  std::vector<long double> total_real_, total_imag_;
};

// Calls make_adder() once a thread for an adder(j, sums) that adds the term of point j, and sums over all points.
template <class MakeAdder> Sums sum_over_points(std::size_t points, std::size_t outputs, const MakeAdder& make_adder) {
  BlockedSums total(outputs);
  std::mutex lock;
  parallel_ranges(static_cast<std::int64_t>(points), [&](std::int64_t first, std::int64_t last) {
    BlockedSums sums(outputs);
    auto adder = make_adder();
    for (std::int64_t j = first; j < last; ++j) {
      adder(static_cast<std::size_t>(j), sums);
      if ((j - first) % block == block - 1) sums.flush();
    }
    sums.flush();
    const std::scoped_lock guard(lock);
    total.add(sums);
  });
  return total.rounded();
}

// sums[..] += factor * circle[..] for one contiguous run of outputs.
void add_scaled(std::complex<double> factor, const UnitCircle& circle, double* __restrict real,
                double* __restrict imag) {
  const double a = factor.real(), b = factor.imag();
  const double *c = circle.cosine.data(), *s = circle.sine.data();
  const std::size_t size = circle.cosine.size();
  for (std::size_t i = 0; i < size; ++i) {
    real[i] += a * c[i] - b * s[i];
    imag[i] += a * s[i] + b * c[i];
  }
}

// The modes in double with the real and imaginary parts apart, for the inner loop of type 2.
struct SplitModes {
  std::vector<double> real, imag;

  template <class T>
  explicit SplitModes(std::span<const std::complex<T>> modes) : real(modes.size()), imag(modes.size()) {
    for (std::size_t i = 0; i < modes.size(); ++i) {
      real[i] = modes[i].real();
      imag[i] = modes[i].imag();
    }
  }

  // sum_i modes[first + i] * circle[i], eight independent partial sums wide.
  [[nodiscard]] std::complex<long double> dot(std::size_t first, const UnitCircle& circle) const {
    constexpr std::size_t lanes = 8;
    const std::size_t size = circle.cosine.size();
    std::complex<long double> total = 0;
    for (std::size_t begin = 0; begin < size; begin += lanes * block) {
      const std::size_t end = std::min(size, begin + lanes * block);
      std::array<double, lanes> a{}, b{};
      for (std::size_t i = begin; i < end; i += lanes)
        for (std::size_t lane = 0; lane < std::min(lanes, end - i); ++lane) {
          const double f = real[first + i + lane], g = imag[first + i + lane];
          const double c = circle.cosine[i + lane], s = circle.sine[i + lane];
          a[lane] += f * c - g * s;
          b[lane] += f * s + g * c;
        }
      for (std::size_t lane = 0; lane < lanes; ++lane) total += std::complex<long double>(a[lane], b[lane]);
    }
    return total;
  }
};

std::array<std::int64_t, 3> frequencies_at(const Problem& problem, std::int64_t position) {
  std::array<std::int64_t, 3> k{};
  for (std::size_t axis = 0; axis < problem.modes.size(); ++axis) {
    k[axis] = frequency(position % problem.modes[axis], problem.modes[axis], problem.order);
    position /= problem.modes[axis];
  }
  return k;
}

template <class T> std::complex<double> widen(std::complex<T> value) {
  return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
}

std::vector<std::int64_t> every(std::size_t size) {
  std::vector<std::int64_t> all(size);
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

}  // namespace

template <class T>
Sums direct_type3(int sign, Axes<T> points, std::span<const std::complex<T>> strengths, Axes<T> targets) {
  Sums sums(targets[0].size());
  parallel_ranges(static_cast<std::int64_t>(sums.size()), [&](std::int64_t first, std::int64_t last) {
    UnitCircle circle(block);
    for (std::int64_t k = first; k < last; ++k) {
      std::complex<long double> total = 0;
      for (std::size_t begin = 0; begin < strengths.size(); begin += block) {
        const std::size_t size = std::min(block, strengths.size() - begin);
        for (std::size_t i = 0; i < size; ++i) {
          Turn turn = 0;
          for (std::size_t axis = 0; axis < points.size(); ++axis) {
            const double s = sign * static_cast<double>(targets[axis][k]), x = points[axis][begin + i];
            turn += turn_of(s * x) + turn_of(std::fma(s, x, -(s * x)));
          }
          circle.put(i, turn);
        }
        circle.evaluate();
        std::complex<double> sum = 0;
        for (std::size_t i = 0; i < size; ++i)
          sum += std::complex<double>(strengths[begin + i]) * std::complex<double>(circle.cosine[i], circle.sine[i]);
        total += sum;
      }
      sums[static_cast<std::size_t>(k)] = std::complex<double>(total);
    }
  });
  return sums;
}

template Sums direct_type3(int, Axes<float>, std::span<const std::complex<float>>, Axes<float>);
template Sums direct_type3(int, Axes<double>, std::span<const std::complex<double>>, Axes<double>);

std::int64_t frequency(std::int64_t index, std::int64_t size, ModeOrder order) {
  if (order == ModeOrder::centred) return index - size / 2;
  return index < (size + 1) / 2 ? index : index - size;
}

template <class T>
Sums direct_type1(const Problem& problem, Axes<T> points, std::span<const std::complex<T>> strengths) {
  const std::int64_t outputs = product(problem.modes);
  if (outputs == 0) return {};
  const std::int64_t row_size = problem.modes[0], rows = outputs / row_size;
  return sum_over_points(strengths.size(), static_cast<std::size_t>(outputs), [&] {
    return [&, tables = AxisTables(problem)](std::size_t j, BlockedSums& sums) mutable {
      tables.move_to(turns_of<T>(points, j, problem.sign));
      for (std::int64_t row = 0; row < rows; ++row)
        add_scaled(widen(strengths[j]) * tables.row_factor(row), tables.first(), sums.real.data() + row * row_size,
                   sums.imag.data() + row * row_size);
    };
  });
}

template <class T>
Sums direct_type1(const Problem& problem, Axes<T> points, std::span<const std::complex<T>> strengths,
                  std::span<const std::int64_t> sampled) {
  std::vector<std::array<std::int64_t, 3>> wanted;
  for (const auto position : sampled) wanted.push_back(frequencies_at(problem, position));
  return sum_over_points(strengths.size(), sampled.size(), [&] {
    return [&, circle = UnitCircle(sampled.size())](std::size_t j, BlockedSums& sums) mutable {
      const auto turns = turns_of<T>(points, j, problem.sign);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        Turn turn = 0;
        for (std::size_t axis = 0; axis < points.size(); ++axis) turn += times(wanted[i][axis], turns[axis]);
        circle.put(i, turn);
      }
      circle.evaluate();
      add_scaled(widen(strengths[j]), circle, sums.real.data(), sums.imag.data());
    };
  });
}

template <class T>
Sums direct_type2(const Problem& problem, Axes<T> points, std::span<const std::complex<T>> modes,
                  std::span<const std::int64_t> sampled) {
  Sums sums(sampled.size());
  if (modes.empty()) return sums;
  const SplitModes split(modes);
  const std::int64_t row_size = problem.modes[0], rows = product(problem.modes) / row_size;
  parallel_ranges(static_cast<std::int64_t>(sampled.size()), [&](std::int64_t first, std::int64_t last) {
    AxisTables tables(problem);
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      tables.move_to(turns_of<T>(points, static_cast<std::size_t>(sampled[i]), problem.sign));
      std::complex<long double> total = 0;
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto factor = tables.row_factor(row);
        total += std::complex<long double>(factor.real(), factor.imag()) *
                 split.dot(static_cast<std::size_t>(row * row_size), tables.first());
      }
      sums[i] = {static_cast<double>(total.real()), static_cast<double>(total.imag())};
    }
  });
  return sums;
}

template <class T> Sums direct_type2(const Problem& problem, Axes<T> points, std::span<const std::complex<T>> modes) {
  return direct_type2<T>(problem, points, modes, every(points[0].size()));
}

template <class T>
double relative_error(std::span<const std::complex<T>> computed, std::span<const std::complex<double>> expected,
                      std::span<const std::int64_t> sampled) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += std::norm(widen(computed[static_cast<std::size_t>(sampled[i])]) - expected[i]);
    norm += std::norm(expected[i]);
  }
  if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
  return difference == 0 ? 0 : std::sqrt(difference / norm);
}

template <class T>
double relative_error(std::span<const std::complex<T>> computed, std::span<const std::complex<double>> expected) {
  return relative_error<T>(computed, expected, every(expected.size()));
}

template <class T>
double cancellation(std::span<const std::complex<T>> input, std::span<const std::complex<double>> expected,
                    std::int64_t vectors) {
  double input_square = 0, output_square = 0;
  for (const auto& value : input) input_square += std::norm(widen(value));
  for (const auto& value : expected) output_square += std::norm(value);
  const double typical = input_square * static_cast<double>(expected.size()) / static_cast<double>(vectors);
  return output_square < typical ? std::sqrt(output_square / typical) : 1;
}

#define OFFGRID_INSTANTIATE(T)                                                                                \
  template Sums direct_type1<T>(const Problem&, Axes<T>, std::span<const std::complex<T>>);                   \
  template Sums direct_type2<T>(const Problem&, Axes<T>, std::span<const std::complex<T>>);                   \
  template Sums direct_type1<T>(const Problem&, Axes<T>, std::span<const std::complex<T>>,                    \
                                std::span<const std::int64_t>);                                               \
  template Sums direct_type2<T>(const Problem&, Axes<T>, std::span<const std::complex<T>>,                    \
                                std::span<const std::int64_t>);                                               \
  template double relative_error<T>(std::span<const std::complex<T>>, std::span<const std::complex<double>>); \
  template double relative_error<T>(std::span<const std::complex<T>>, std::span<const std::complex<double>>,  \
                                    std::span<const std::int64_t>);                                           \
  template double cancellation<T>(std::span<const std::complex<T>>, std::span<const std::complex<double>>,    \
                                  std::int64_t);
OFFGRID_INSTANTIATE(float)
OFFGRID_INSTANTIATE(double)
#undef OFFGRID_INSTANTIATE

}  // namespace oracle
