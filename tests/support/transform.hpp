// A transform under test: a plan on a backend with vectors in and out, and its comparison with the oracle. Outputs are
// filled with NaN before each call, so that a value that is not written, or that is added to, shows at once.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "backends.hpp"
#include "core/plan.hpp"
#include "core/text.hpp"
#include "oracle.hpp"

namespace support {

// A problem and its options, to be written with designated initialisers.
struct Spec {
  int type = 1;
  Sizes modes{};
  double tolerance = 1e-6;
  offgrid::Options options{};

  [[nodiscard]] int sign() const { return options.sign != 0 ? options.sign : type == 1 ? -1 : 1; }
  [[nodiscard]] Sum forward_sum() const {
    return {modes, sign(), options.transforms, options.mode_order == offgrid::ModeOrder::fft};
  }
  [[nodiscard]] Sum adjoint_sum() const {
    Sum sum = forward_sum();
    sum.sign = -sum.sign;
    return sum;
  }
  [[nodiscard]] To forward() const { return type == 1 ? To::modes : To::points; }
  [[nodiscard]] To backward() const { return type == 1 ? To::points : To::modes; }
  [[nodiscard]] std::string name() const {
    std::string all = offgrid::text("type ", type, " modes");
    for (const auto n : modes) all += offgrid::text(" ", n);
    return all + offgrid::text(" tolerance ", tolerance, " transforms ", options.transforms);
  }
};

template <class T> offgrid::Problem problem_of(const Spec& spec) {
  offgrid::Problem problem{
      spec.type, static_cast<int>(spec.modes.size()), {1, 1, 1}, offgrid::precision_of<T>, spec.tolerance};
  std::copy(spec.modes.begin(), spec.modes.end(), problem.modes.begin());
  return problem;
}

template <class T> class Transform {
 public:
  using Complex = std::complex<T>;
  using Vector = std::vector<Complex>;

  Transform(BackendUnderTest where, Spec spec)
      : where_(std::move(where)),
        spec_(std::move(spec)),
        plan_(offgrid::make_plan(problem_of<T>(spec_), spec_.options, where_.backend)) {}

  void set_points(const PointSet<T>& points) {
    std::vector<DeviceArray<T>> arrays;
    std::array<const void*, offgrid::max_dim> raw{};
    for (const auto& axis : points.axis) arrays.emplace_back(where_, axis);
    for (std::size_t a = 0; a < arrays.size(); ++a) raw[a] = arrays[a].data();
    set_points_at(raw, points.count());
  }
  // Of arrays that the backend can reach.
  void set_points_at(const std::array<const void*, offgrid::max_dim>& axes, std::int64_t count) {
    plan_->set_points(count, axes, nullptr);
    count_ = count;
  }

  [[nodiscard]] Vector execute(const Vector& in) const { return run(&offgrid::AnyPlan::execute, spec_.forward(), in); }
  [[nodiscard]] Vector adjoint(const Vector& in) const { return run(&offgrid::AnyPlan::adjoint, spec_.backward(), in); }
  [[nodiscard]] std::int64_t size_of(To side) const {
    return spec_.options.transforms * (side == To::modes ? product(spec_.modes) : count_);
  }
  [[nodiscard]] double get(const char* name) const { return plan_->get(name); }
  [[nodiscard]] const offgrid::AnyPlan& plan() const { return *plan_; }
  [[nodiscard]] const Spec& spec() const { return spec_; }

 private:
  using Call = void (offgrid::AnyPlan::*)(void*, void*, offgrid::Stream) const;

  Vector run(Call call, To to, const Vector& in) const {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    DeviceArray<Complex> source(where_, in), result(where_, Vector(size_of(to), Complex(nan, nan)));
    DeviceArray<Complex>&strengths = to == To::modes ? source : result, &modes = to == To::modes ? result : source;
    (plan_.get()->*call)(strengths.data(), modes.data(), nullptr);
    EXPECT_TRUE(source.host() == in) << "the input was written to";
    return result.host();
  }

  BackendUnderTest where_;
  Spec spec_;
  std::unique_ptr<offgrid::AnyPlan> plan_;
  std::int64_t count_ = 0;
};

// The error that the tolerance bounds, against the whole direct sum.
template <class T, class Vector = std::vector<std::complex<T>>>
double error_of(To to, const Sum& sum, const PointSet<T>& points, const Vector& in, const Vector& out) {
  const Sums truth = direct_sum<T>(to, sum, points, in);
  return relative_error(out, truth) * oracle::cancellation<T>(in, truth, sum.transforms);
}

// Errors of a transform and of its adjoint, for random inputs.
struct Errors {
  double forward, adjoint;
};

template <class T> Errors measure(const Transform<T>& transform, const PointSet<T>& points, unsigned seed = 7) {
  const Spec& spec = transform.spec();
  const auto in = random_values<T>(transform.size_of(spec.backward()), seed);
  const auto back = random_values<T>(transform.size_of(spec.forward()), seed + 1);
  return {error_of<T>(spec.forward(), spec.forward_sum(), points, in, transform.execute(in)),
          error_of<T>(spec.backward(), spec.adjoint_sum(), points, back, transform.adjoint(back))};
}

// The contract in one call: both errors are at most the tolerance, or `bound` times that where less is promised.
template <class T>
void expect_accurate(const BackendUnderTest& where, const Spec& spec, const PointSet<T>& points, double bound = 1) {
  SCOPED_TRACE(offgrid::text(spec.name(), " points ", points.count(), " bits ", 8 * sizeof(T)));
  Transform<T> transform(where, spec);
  transform.set_points(points);
  const Errors errors = measure(transform, points);
  EXPECT_LE(errors.forward, bound * spec.tolerance);
  EXPECT_LE(errors.adjoint, bound * spec.tolerance);
}

// What a transform with a kernel of this width on a grid of twice the modes may miss by, whatever its plan expects. The
// aliasing error of the prolate window is at most 3.1 exp(-pi w sqrt(1 - 1/sigma)) in the root mean square of all modes,
// and up to twice that where the modes are few and the outermost ones, which are the worst, count for much. The rest is
// rounding.
template <class T> double error_of_width(int dim, int width) {
  const double aliasing = 3.1 * std::exp(-std::numbers::pi * width * std::sqrt(0.5));
  return 2 * std::sqrt(dim) * aliasing + 20 * std::numeric_limits<T>::epsilon();
}

// Runs body(T{}) for float and for double.
template <class F> void for_both_precisions(F body) {
  body(float{});
  body(double{});
}

// A tolerance that both precisions reach, tight enough to show a wrong cell, kernel value or phase.
template <class T> inline constexpr double usual_tolerance = sizeof(T) == 4 ? 1e-5 : 1e-10;

// Room for rounding: two results that agree up to the order of their operations.
template <class T> inline constexpr double rounding = 100 * std::numeric_limits<T>::epsilon();

}  // namespace support
