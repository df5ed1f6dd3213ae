// A plan of type 3 under test: on a backend, with points and vectors in and out, and its errors against direct sums.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/type3/plan.hpp"
#include "transform.hpp"

namespace support {

using offgrid::Type3Method;

// A plan of type 3 with points on a backend.
template <class T> class Type3 {
 public:
  using Complex = std::complex<T>;
  using Vector = std::vector<Complex>;

  // These tests have few points; on its own a plan would sum over all pairs.
  Type3(BackendUnderTest where, int dim, double tolerance, offgrid::Options options = {},
        Type3Method unless_asked = Type3Method::grid)
      : where_(std::move(where)),
        options_(options),
        plan_(offgrid::make_plan({3, dim, {1, 1, 1}, offgrid::precision_of<T>, tolerance},
                                 with_method(options, unless_asked), where_.backend)) {}

  static offgrid::Options with_method(offgrid::Options options, Type3Method unless_asked) {
    if (options.type3 == Type3Method::automatic) options.type3 = unless_asked;
    return options;
  }

  void set(const PointSet<T>& sources, const PointSet<T>& targets) {
    const auto x = place(sources), s = place(targets);
    plan_->set_points_and_targets(raw(x, sources), raw(s, targets), nullptr);
    sources_ = sources, targets_ = targets;
  }
  void set_points(const PointSet<T>& sources) {
    const auto x = place(sources);
    plan_->set_points(sources.count(), raw(x, sources).axes, nullptr);
    sources_ = sources;
  }
  void set_targets(const PointSet<T>& targets) {
    const auto s = place(targets);
    plan_->set_targets(targets.count(), raw(s, targets).axes, nullptr);
    targets_ = targets;
  }

  Vector execute(const Vector& strengths) const {
    DeviceArray<Complex> c(where_, strengths), f(where_, nothing(targets_.count()));
    plan_->execute(c.data(), f.data(), nullptr);
    EXPECT_TRUE(c.host() == strengths) << "the input was written to";
    return f.host();
  }
  Vector adjoint(const Vector& values) const {
    DeviceArray<Complex> c(where_, nothing(sources_.count())), f(where_, values);
    plan_->adjoint(c.data(), f.data(), nullptr);
    EXPECT_TRUE(f.host() == values) << "the input was written to";
    return c.host();
  }
  void add(const Vector& strengths) {
    DeviceArray<Complex> c(where_, strengths);
    plan_->add_sources(c.data(), nullptr);
    (void)c.host();  // waits
  }
  Vector finish() {
    DeviceArray<Complex> f(where_, nothing(targets_.count()));
    plan_->finish(f.data(), nullptr);
    return f.host();
  }

  [[nodiscard]] int sign() const { return options_.sign < 0 ? -1 : 1; }
  // Over the tolerance's norm: of the output, or of what random data of this size would give.
  Errors measure(unsigned seed = 7) const {
    const std::int64_t vectors = options_.transforms;
    const auto c = random_values<T>(vectors * sources_.count(), seed);
    const auto f = random_values<T>(vectors * targets_.count(), seed + 1);
    return {error(sign(), sources_, c, targets_, execute(c)), error(-sign(), targets_, f, sources_, adjoint(f))};
  }
  offgrid::AnyPlan& plan() { return *plan_; }

  double error(int sign, const PointSet<T>& from, const Vector& in, const PointSet<T>& to, const Vector& out) const {
    Sums truth;
    for (std::int64_t v = 0; v < options_.transforms; ++v) {
      const auto one = std::span(in).subspan(v * from.count(), from.count());
      const Sums sum = oracle::direct_type3<T>(sign, axes_of(from), one, axes_of(to));
      truth.insert(truth.end(), sum.begin(), sum.end());
    }
    return relative_error(out, truth) * oracle::cancellation<T>(in, truth, options_.transforms);
  }

 private:
  Vector nothing(std::int64_t count) const {
    return Vector(options_.transforms * count, Complex(std::numeric_limits<T>::quiet_NaN()));
  }
  std::vector<DeviceArray<T>> place(const PointSet<T>& points) const {
    std::vector<DeviceArray<T>> arrays;
    for (const auto& axis : points.axis) arrays.emplace_back(where_, axis);
    return arrays;
  }
  static offgrid::RawPoints raw(std::vector<DeviceArray<T>> arrays, const PointSet<T>& points) {
    offgrid::RawPoints raw{points.count(), {}};
    for (std::size_t a = 0; a < arrays.size(); ++a) raw.axes[a] = arrays[a].data();
    return raw;
  }

  BackendUnderTest where_;
  offgrid::Options options_;
  std::unique_ptr<offgrid::AnyPlan> plan_;
  PointSet<T> sources_, targets_;
};

struct Cloud {
  double half, centre;
};
template <class T> PointSet<T> cloud(const Cloud& c, int dim, std::int64_t count, unsigned seed) {
  return points_between<T>(c.centre - c.half, c.centre + c.half, dim, count, seed);
}

template <class T> void expect_within(Type3<T>& plan, double tolerance, const std::string& what) {
  const Errors errors = plan.measure();
  EXPECT_LE(errors.forward, tolerance) << what << "\n" << plan.plan().describe();
  EXPECT_LE(errors.adjoint, tolerance) << what << "\n" << plan.plan().describe();
}

}  // namespace support
