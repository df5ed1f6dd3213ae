#include "cpu/pointwise/pointwise.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "cpu/memory/host_memory.hpp"
#include "cpu/memory/memory.hpp"
#include "cpu/pointwise/direct_sum.hpp"
#include "cpu/pointwise/factors.hpp"
#include "cpu/pointwise/multiply.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

constexpr std::int64_t chunk = 1024;  // points whose factors are held at a time, in first-level cache

template <class T> struct CpuRoom final : Room<T> {
  CpuRoom(std::int64_t elements, MemoryCount* count) : memory(elements, count) {
    this->data = memory.data();
    this->size = elements;
  }
  Buffer<std::complex<T>> memory;
};

// The factors of one mode of the short axes, or null where they are all 1.
template <class T> class Factors {
 public:
  const std::complex<T>* find(const Modulation<T>& by, int mode, const Range& range) {
    bool is_one = true;
    for (int axis = 0; axis < max_short_axes; ++axis) {
      const int k = by.modes.k[mode][axis];
      if (k == 0) continue;
      const std::complex<T>* phases = by.phases[axis] + range.begin;
      for (std::int64_t j = 0; j < range.size(); ++j) {
        const std::complex<T> phase(phases[j].real(), static_cast<T>(k) * phases[j].imag());
        values_[j] = is_one ? phase : times(values_[j], phase);
      }
      is_one = false;
    }
    return is_one ? nullptr : values_;
  }

 private:
  std::complex<T> values_[chunk];
};

template <class T> class CpuPointwise final : public Pointwise<T> {
 public:
  using Complex = std::complex<T>;

  explicit CpuPointwise(const Options& options) : threads_(threads_of(options)), memory_(host_memory()) {}

  std::unique_ptr<Room<T>> make_room(std::int64_t size) override {
    return std::make_unique<CpuRoom<T>>(size, &memory_);
  }

  void find_phases(const T* x, std::int64_t count, Complex* phases, Stream) override {
    FactorRule rule;
    rule.axis[0].rate = per_turn;
    rule.axis[0].rate_low = per_turn_low;
    std::atomic<bool> good{true};
    for_ranges(threads_, {1, count, chunk}, phase_time, [&](std::int64_t, const Range& range) {
      const T* first = x + range.begin;
      const auto folds = [](T angle) { return std::abs(double{angle}) <= largest_coordinate; };
      if (!std::all_of(first, first + range.size(), folds)) good = false;
      evaluate_factors(rule, {.count = range.size(), .axis = {first}}, phases + range.begin);
    });
    if (!good) throw Error(Status::invalid_argument, bad_coordinate);
  }

  void modulate(const Modulation<T>& by, const Complex* strengths, Complex* modulated, Stream) const override {
    const Rows rows{by.vectors, by.points, chunk};
    for_ranges(threads_, rows, product_time(by), [&](std::int64_t vector, const Range& range) {
      Factors<T> factors;
      const Complex* from = strengths + vector * by.points + range.begin;
      for (int mode = 0; mode < by.modes.count; ++mode) {
        Complex* to = modulated + (vector * by.modes.count + mode) * by.points + range.begin;
        const Complex* factor = factors.find(by, mode, range);
        if (factor == nullptr)
          std::copy_n(from, range.size(), to);
        else
          std::transform(from, from + range.size(), factor, to, times<T>);
      }
    });
  }

  void demodulate(const Modulation<T>& by, const Complex* modulated, Complex* strengths, Stream) const override {
    const Rows rows{by.vectors, by.points, chunk};
    for_ranges(threads_, rows, product_time(by), [&](std::int64_t vector, const Range& range) {
      Factors<T> factors;
      Complex* to = strengths + vector * by.points + range.begin;
      std::fill_n(to, range.size(), Complex());
      for (int mode = 0; mode < by.modes.count; ++mode) {
        const Complex* from = modulated + (vector * by.modes.count + mode) * by.points + range.begin;
        const Complex* factor = factors.find(by, mode, range);
        for (std::int64_t j = 0; j < range.size(); ++j)
          to[j] += factor == nullptr ? from[j] : times(from[j], factor[j]);
      }
    });
  }

  void to_parts(const ModeOrders& orders, const Complex* modes, Complex* parts, Stream) const override {
    for_rows(orders, [&](std::int64_t part, std::int64_t mode, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) parts[part + i] = modes[mode + i * orders.stride[0]];
    });
  }

  void from_parts(const ModeOrders& orders, const Complex* parts, Complex* modes, Stream) const override {
    for_rows(orders, [&](std::int64_t part, std::int64_t mode, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) modes[mode + i * orders.stride[0]] = parts[part + i];
    });
  }

  Extent find_extent(const char* what, const Points<T>& points, int dim, Stream) override {
    constexpr double look_time = 1;
    Box box;
    const std::int64_t chunks = (points.count + chunk - 1) / chunk;
    std::vector<std::pair<T, T>> ends(static_cast<std::size_t>(chunks));
    for (int axis = 0; axis < dim && points.count > 0; ++axis) {
      std::atomic<bool> good{true};
      for_ranges(threads_, {1, points.count, chunk}, look_time, [&](std::int64_t, const Range& range) {
        const T* x = points.axis[axis];
        T low = x[range.begin], high = low;
        bool finite = true;
        for (std::int64_t j = range.begin; j < range.end; ++j) {
          low = std::min(low, x[j]);
          high = std::max(high, x[j]);
          finite &= std::abs(x[j]) <= std::numeric_limits<T>::max();
        }
        if (!finite) good = false;
        ends[static_cast<std::size_t>(range.begin / chunk)] = {low, high};
      });
      if (!good) throw Error(Status::invalid_argument, text(what, ": a coordinate is not finite"));
      box.low[axis] = std::min_element(ends.begin(), ends.end())->first;
      const auto higher = [](const auto& a, const auto& b) { return a.second < b.second; };
      box.high[axis] = std::max_element(ends.begin(), ends.end(), higher)->second;
    }
    if (points.count == 0) return {};
    std::array<T, max_dim * extent_samples> samples;
    for (int axis = 0; axis < dim; ++axis)
      for (std::int64_t i = 0; i < extent_samples; ++i)
        samples[axis * extent_samples + i] = points.axis[axis][sampled_point(i, points.count)];
    return extent_of(box, dim, samples.data());
  }

  void find_factors(const FactorRule& rule, const Points<T>& points, Complex* factors, Stream) override {
    const double time = phase_time + factor_term_time * rule.terms * rule.dim;
    for_ranges(threads_, {1, points.count, chunk}, time, [&](std::int64_t, const Range& range) {
      evaluate_factors(rule, points.part(range.begin, range.size()), factors + range.begin);
    });
  }

  void keep_points(const Points<T>& points, int dim, T* to, Stream) override {
    for (int axis = 0; axis < dim; ++axis) std::copy_n(points.axis[axis], points.count, to + axis * points.count);
  }
  void sum_directly(const DirectSum<T>& sum, Stream) const override { cpu::sum_directly(sum, threads_); }

  void add(const Complex* terms, std::int64_t count, Complex* sums, Complex* lost, Stream) const override {
    constexpr double time = 2;
    for_ranges(threads_, {1, count, chunk}, time, [&](std::int64_t, const Range& range) {
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        const Complex term = terms[i] - lost[i], sum = sums[i] + term;
        lost[i] = (sum - sums[i]) - term;
        sums[i] = sum;
      }
    });
  }
  void multiply(const Product<T>& product, Stream) const override { cpu::multiply(product, threads_); }

  std::size_t memory_bytes() const override { return memory_.bytes(); }
  std::size_t peak_bytes() const override { return memory_.peak(); }

 private:
  static double product_time(const Modulation<T>& by) { return 1.5 * by.modes.count; }

  // body(first of the parts, first of the caller's modes, count) for pieces of rows. All parts of a piece are moved by one
  // thread in turn, since they may share cache lines of the caller's modes.
  template <class F> void for_rows(const ModeOrders& orders, F&& body) const {
    const double time = 1.5 * orders.parts;
    for_ranges(threads_, {orders.vectors, orders.rest(), chunk}, time, [&](std::int64_t vector, const Range& range) {
      for (int part = 0; part < orders.parts; ++part) {
        const std::int64_t first = vector * orders.modes() + orders.first[part];
        const std::int64_t part_begin = (vector * orders.parts + part) * orders.rest();
        for (std::int64_t i = range.begin; i < range.end;) {
          const std::int64_t row = i / orders.size[0], column = i % orders.size[0];
          const std::int64_t count = std::min(range.end - i, orders.size[0] - column);
          body(part_begin + i, first + row * orders.stride[1] + column * orders.stride[0], count);
          i += count;
        }
      }
    });
  }

  int threads_;
  MemoryCount memory_;
};

}  // namespace

template <class T> std::unique_ptr<Pointwise<T>> make_pointwise(const Options& options) {
  return std::make_unique<CpuPointwise<T>>(options);
}

template std::unique_ptr<Pointwise<float>> make_pointwise(const Options&);
template std::unique_ptr<Pointwise<double>> make_pointwise(const Options&);

}  // namespace offgrid::cpu
