#include "cpu/vector_algebra.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "cpu/pointwise/multiply.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

constexpr std::int64_t chunk = 4096;  // elements of a unit of work, whose sum is a number of its own
constexpr double element_time = 1;    // of an element, in nanoseconds

// Sums of doubles in this many parts, so that the compiler finds vectors without a change of the order.
constexpr std::int64_t lanes = 8;
struct LaneSums {
  std::array<double, lanes> part{};
  // term(i) for all i below count
  template <class F> void add(std::int64_t count, F&& term) {
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
      for (std::int64_t lane = 0; lane < lanes; ++lane) part[lane] += term(i + lane);
    for (; i < count; ++i) part[0] += term(i);
  }
  [[nodiscard]] double total() const { return std::accumulate(part.begin(), part.end(), 0.0); }
};

// Complex numbers as pairs of reals.
template <class T> const T* reals(const std::complex<T>* values) { return reinterpret_cast<const T*>(values); }
template <class T> T* reals(std::complex<T>* values) { return reinterpret_cast<T*>(values); }

template <class T> class CpuAlgebra final : public VectorAlgebra<T> {
 public:
  using Complex = std::complex<T>;

  explicit CpuAlgebra(const Options& options) : threads_(threads_of(options)) {}

  void inner(const Complex* a, const Complex* b, std::int64_t count, int place, Stream) override {
    start_parts(count);
    for_chunks(count, [&](const Range& range) {
      LaneSums sums;
      const T *left = reals(a + range.begin), *right = reals(b + range.begin);
      sums.add(2 * range.size(), [&](std::int64_t i) { return static_cast<double>(left[i]) * right[i]; });
      parts_[static_cast<std::size_t>(range.begin / chunk)][0] = sums.total();
    });
    sums_[static_cast<std::size_t>(place)] = sum_parts(0);
  }

  void combine(const Combination<T>& c, Stream) override {
    const auto own = static_cast<T>(value_of(c.own)), by = static_cast<T>(value_of(c.by));
    for_chunks(c.count, [&](const Range& range) {
      T* to = reals(c.to + range.begin);
      const T* from = reals(c.from + range.begin);
      for (std::int64_t i = 0; i < 2 * range.size(); ++i) to[i] = own * to[i] + by * from[i];
    });
  }

  void sum_products(const SumOfProducts<T>& sum, Stream) override {
    for_chunks(sum.count, [&](const Range& range) {
      std::fill(sum.to + range.begin, sum.to + range.end, Complex());
      for (std::int64_t vector = 0; vector < sum.vectors; ++vector) {
        const Complex *by = sum.by + vector * sum.count, *from = sum.from + vector * sum.count;
        for (std::int64_t i = range.begin; i < range.end; ++i) sum.to[i] += times(std::conj(by[i]), from[i]);
      }
    });
  }

  void renew(const Renewal<T>& renewal, Stream) override {
    if (renewal.found == nullptr) {
      std::fill_n(renewal.weights, renewal.count, static_cast<T>(renewal.scale));
      return;
    }
    start_parts(renewal.count);
    for_chunks(renewal.count, [&](const Range& range) {
      parts_[static_cast<std::size_t>(range.begin / chunk)] = renew_range(renewal, range);
    });
    sums_[static_cast<std::size_t>(renewal.change)] = sum_parts(0);
    sums_[static_cast<std::size_t>(renewal.square)] = sum_parts(1);
  }

  double read(int place, Stream) override { return sums_[static_cast<std::size_t>(place)]; }

 private:
  using Pair = std::array<double, 2>;

  // The squared changes of the weights, and the squares of the new ones.
  static Pair renew_range(const Renewal<T>& renewal, const Range& range) {
    LaneSums changes, squares;
    T* weights = renewal.weights + range.begin;
    const Complex* found = renewal.found + range.begin;
    std::array<T, chunk> next;
    for (std::int64_t j = 0; j < range.size(); ++j) {
      const double re = found[j].real(), im = found[j].imag();
      next[static_cast<std::size_t>(j)] = static_cast<T>(renewal.scale * weights[j] / std::sqrt(re * re + im * im));
    }
    const T* fresh = next.data();
    changes.add(range.size(), [&](std::int64_t j) {
      const double change = static_cast<double>(fresh[j]) - weights[j];
      return change * change;
    });
    squares.add(range.size(), [&](std::int64_t j) { return static_cast<double>(fresh[j]) * fresh[j]; });
    std::copy_n(fresh, range.size(), weights);
    return {changes.total(), squares.total()};
  }

  template <class F> void for_chunks(std::int64_t count, F&& body) const {
    for_ranges(threads_, {1, count, chunk}, element_time, [&](std::int64_t, const Range& range) { body(range); });
  }

  void start_parts(std::int64_t count) { parts_.resize(static_cast<std::size_t>((count + chunk - 1) / chunk)); }
  [[nodiscard]] double sum_parts(std::size_t which) const {
    double sum = 0;
    for (const Pair& part : parts_) sum += part[which];
    return sum;
  }

  [[nodiscard]] double value_of(const Factor& factor) const {
    if (factor.over < 0) return factor.constant;
    const double under = sums_[static_cast<std::size_t>(factor.under)];
    return under == 0 ? 0 : factor.constant * sums_[static_cast<std::size_t>(factor.over)] / under;
  }

  int threads_;
  std::array<double, most_sums> sums_{};
  std::vector<Pair> parts_;  // one or two sums of each chunk
};

}  // namespace

template <class T> std::unique_ptr<VectorAlgebra<T>> make_algebra(const Options& options) {
  return std::make_unique<CpuAlgebra<T>>(options);
}

template std::unique_ptr<VectorAlgebra<float>> make_algebra(const Options&);
template std::unique_ptr<VectorAlgebra<double>> make_algebra(const Options&);

}  // namespace offgrid::cpu
