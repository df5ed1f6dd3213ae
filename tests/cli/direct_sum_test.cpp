// The oracle itself, against the definition in long double, term by term.
#include "direct_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "point_sets.hpp"
#include "random.hpp"

namespace {

using cli::DirectProblem;
using cli::ModeOrder;
using cli::Sums;
using Wide = std::complex<long double>;

constexpr double bound = 1e-15;  // of the norm; long double carries 64 bits on x86-64

template <class T> struct Case {
  DirectProblem problem;
  cli::Points<T> points;
  std::vector<std::complex<T>> strengths, modes;
  cli::AxisSpans<T> axes;

  Case(DirectProblem definition, cli::PointSet set, std::int64_t count)
      : problem(std::move(definition)),
        points(cli::make_points<T>({set, count, problem.modes, {problem.modes}, 3})),
        strengths(static_cast<std::size_t>(count)),
        modes(static_cast<std::size_t>(cli::mode_count(problem.modes))),
        axes(points.spans()) {
    cli::fill_random<T>(strengths, 1);
    cli::fill_random<T>(modes, 2);
  }

  // exp(sign i k.x_j); k x is exact in long double for |k| < 2^11.
  [[nodiscard]] Wide wave(std::size_t position, std::size_t j) const {
    Wide product = 1;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const auto size = problem.modes[axis];
      const auto index = static_cast<std::int64_t>(position) % size;
      position /= static_cast<std::size_t>(size);
      const long double phase =
          static_cast<long double>(problem.sign * cli::frequency(index, size, problem.order)) * axes[axis][j];
      product *= Wide(std::cos(phase), std::sin(phase));
    }
    return product;
  }

  [[nodiscard]] Sums naive_type1() const {
    Sums sums;
    for (std::size_t k = 0; k < modes.size(); ++k) {
      Wide sum = 0;
      for (std::size_t j = 0; j < strengths.size(); ++j) sum += Wide(strengths[j]) * wave(k, j);
      sums.emplace_back(static_cast<double>(sum.real()), static_cast<double>(sum.imag()));
    }
    return sums;
  }

  [[nodiscard]] Sums naive_type2() const {
    Sums sums;
    for (std::size_t j = 0; j < strengths.size(); ++j) {
      Wide sum = 0;
      for (std::size_t k = 0; k < modes.size(); ++k) sum += Wide(modes[k]) * wave(k, j);
      sums.emplace_back(static_cast<double>(sum.real()), static_cast<double>(sum.imag()));
    }
    return sums;
  }
};

template <class T> void expect_exact(const DirectProblem& problem, cli::PointSet set) {
  const Case<T> example(problem, set, 60);
  const auto type1 = cli::direct_type1<T>(problem, example.axes, example.strengths);
  const auto type2 = cli::direct_type2<T>(problem, example.axes, example.modes);
  const auto what = std::string(cli::name_of(set)) + " " + std::to_string(problem.modes.size()) + "D";
  EXPECT_LT(cli::relative_error<double>(type1, example.naive_type1()), bound) << what;
  EXPECT_LT(cli::relative_error<double>(type2, example.naive_type2()), bound) << what;
}

TEST(DirectSum, FollowsTheDefinition) {
  for (const auto set : cli::all_point_sets)
    for (const int sign : {-1, 1})
      for (const auto order : {ModeOrder::centred, ModeOrder::fft})
        for (const auto& modes : std::vector<std::vector<std::int64_t>>{{200}, {11, 8}, {5, 4, 7}, {1}, {1, 3}}) {
          expect_exact<double>({modes, sign, order}, set);
          expect_exact<float>({modes, sign, order}, set);
        }
}

TEST(DirectSum, SampledOutputsAreThoseOfTheWhole) {
  const DirectProblem problem{{13, 6, 5}, -1, ModeOrder::fft};
  const Case<double> example(problem, cli::PointSet::uniform, 333);
  const std::vector<std::int64_t> some_modes{0, 389, 17, 200}, some_points{332, 0, 5};
  const auto whole = cli::direct_type1<double>(problem, example.axes, example.strengths);
  const auto part = cli::direct_type1<double>(problem, example.axes, example.strengths, some_modes);
  EXPECT_LT(cli::relative_error<double>(whole, part, some_modes), bound);
  const auto all = cli::direct_type2<double>(problem, example.axes, example.modes);
  const auto few = cli::direct_type2<double>(problem, example.axes, example.modes, some_points);
  EXPECT_EQ(cli::relative_error<double>(all, few, some_points), 0);
}

// One point makes a plane wave of known phase: x = 1e8 + 1, k near +-500000, by exact arithmetic on k x / (2 pi).
TEST(DirectSum, KeepsThePhaseAtAMillionModesAndFarPoints) {
  const std::vector<double> x{100000001.0};
  const std::vector<std::span<const double>> axes{x};
  const std::vector<std::complex<double>> one{1.0};
  const std::vector<std::int64_t> sampled{1, 999999};  // k = -499999 and 499999
  const auto sums = cli::direct_type1<double>({{1000000}, -1, ModeOrder::centred}, axes, one, sampled);
  // k x = 49999900499999 is exact in long double, whose cosine reduces its argument fully
  const long double phase = 499999.0L * 100000001.0L;
  EXPECT_NEAR(sums[1].real(), static_cast<double>(std::cos(phase)), 1e-15);
  EXPECT_NEAR(sums[1].imag(), static_cast<double>(-std::sin(phase)), 1e-15);
  EXPECT_NEAR(sums[0].imag(), static_cast<double>(std::sin(phase)), 1e-15);
}

TEST(DirectSum, ManyTermsDoNotDrift) {
  const std::size_t count = 300000;
  const std::vector<double> x(count, 0.0);
  const std::vector<std::span<const double>> axes{x};
  const std::vector<std::complex<double>> tenth(count, 0.1);
  const auto sums = cli::direct_type1<double>({{4}}, axes, tenth);
  for (const auto& sum : sums) EXPECT_NEAR(sum.real(), 30000.0, 30000.0 * 2e-15);
}

TEST(DirectSum, EmptyIsZero) {
  const std::vector<double> none;
  const std::vector<std::span<const double>> axes{none};
  const auto sums = cli::direct_type1<double>({{5}}, axes, std::span<const std::complex<double>>());
  ASSERT_EQ(sums.size(), 5u);
  for (const auto& sum : sums) EXPECT_EQ(sum, 0.0);
}

TEST(RelativeError, IsInfiniteForNaN) {
  const std::vector<std::complex<float>> computed{{NAN, 0}};
  EXPECT_TRUE(std::isinf(cli::relative_error<float>(computed, Sums{1.0})));
  const std::vector<std::complex<float>> zero{{0, 0}};
  EXPECT_EQ(cli::relative_error<float>(zero, Sums{0.0}), 0);
  EXPECT_EQ(cli::relative_error<float>(zero, Sums{2.0}), 1);
}

}  // namespace
