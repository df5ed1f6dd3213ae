// The oracle itself, against the definition in long double, term by term.
#include "oracle/direct_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "points.hpp"

namespace {

using namespace support;
using oracle::ModeOrder;
using oracle::Problem;
using oracle::Sums;
using Wide = std::complex<long double>;

constexpr double bound = 1e-15;  // of the norm; long double carries 64 bits on x86-64

template <class T> struct Case {
  Problem problem;
  PointSet<T> points;
  std::vector<std::complex<T>> strengths = random_values<T>(points.count(), 1);
  std::vector<std::complex<T>> modes = random_values<T>(product(problem.modes), 2);
  std::vector<std::span<const T>> axes{points.axis.begin(), points.axis.end()};

  // exp(sign i k.x_j); k x is exact in long double for |k| < 2^11.
  [[nodiscard]] Wide wave(std::size_t position, std::size_t j) const {
    Wide product = 1;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const auto size = problem.modes[axis];
      const auto index = static_cast<std::int64_t>(position) % size;
      position /= static_cast<std::size_t>(size);
      const long double phase =
          static_cast<long double>(problem.sign * oracle::frequency(index, size, problem.order)) * axes[axis][j];
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

template <class T> double error_of(const Sums& sums, const Sums& expected, const std::vector<std::complex<T>>& input) {
  return oracle::relative_error<double>(sums, expected) * oracle::cancellation<T>(input, expected);
}

template <class T> void expect_exact(const Problem& problem) {
  const int dim = static_cast<int>(problem.modes.size());
  for (const auto& points :
       {uniform_points<T>(dim, 60), clustered_points<T>(dim, 60), points_on_nodes<T>(problem.modes, 60),
        choose_from(delicate_coordinates<T>(), dim, 60), points_between<T>(-1e8, 1e8, dim, 60, 3),
        choose_from<T>({-2.5}, dim, 60), spiral_points<T>(dim, 60)}) {
    SCOPED_TRACE("the first point is at " + std::to_string(points.axis[0][0]));
    const Case<T> example{problem, points};
    const auto type1 = oracle::direct_type1<T>(problem, example.axes, example.strengths);
    const auto type2 = oracle::direct_type2<T>(problem, example.axes, example.modes);
    EXPECT_LT(error_of(type1, example.naive_type1(), example.strengths), bound);
    EXPECT_LT(error_of(type2, example.naive_type2(), example.modes), bound);
  }
}

TEST(DirectSum, follows_the_definition) {
  for (const int sign : {-1, 1})
    for (const auto order : {ModeOrder::centred, ModeOrder::fft})
      for (const Sizes& modes : std::vector<Sizes>{{200}, {11, 8}, {5, 4, 7}, {1}, {1, 3}}) {
        expect_exact<double>({modes, sign, order});
        expect_exact<float>({modes, sign, order});
      }
}

TEST(DirectSum, sampled_outputs_are_those_of_the_whole) {
  const Problem problem{{13, 6, 5}, -1, ModeOrder::fft};
  const Case<double> example{problem, uniform_points<double>(3, 333)};
  const std::vector<std::int64_t> some_modes{0, 389, 17, 200}, some_points{332, 0, 5};
  const auto whole = oracle::direct_type1<double>(problem, example.axes, example.strengths);
  const auto part = oracle::direct_type1<double>(problem, example.axes, example.strengths, some_modes);
  EXPECT_LT(oracle::relative_error<double>(whole, part, some_modes), bound);
  const auto all = oracle::direct_type2<double>(problem, example.axes, example.modes);
  const auto few = oracle::direct_type2<double>(problem, example.axes, example.modes, some_points);
  EXPECT_EQ(oracle::relative_error<double>(all, few, some_points), 0);
}

// One point makes a plane wave of known phase: x = 1e8 + 1, k near +-500000, by exact arithmetic on k x / (2 pi).
TEST(DirectSum, keeps_the_phase_at_a_million_modes_and_far_points) {
  const std::vector<double> x{100000001.0};
  const std::vector<std::span<const double>> axes{x};
  const std::vector<std::complex<double>> one{1.0};
  const std::vector<std::int64_t> sampled{1, 999999};  // k = -499999 and 499999
  const auto sums = oracle::direct_type1<double>({{1000000}, -1, ModeOrder::centred}, axes, one, sampled);
  // k x = 49999900499999 is exact in long double, whose cosine reduces its argument fully
  const long double phase = 499999.0L * 100000001.0L;
  EXPECT_NEAR(sums[1].real(), static_cast<double>(std::cos(phase)), 1e-15);
  EXPECT_NEAR(sums[1].imag(), static_cast<double>(-std::sin(phase)), 1e-15);
  EXPECT_NEAR(sums[0].imag(), static_cast<double>(std::sin(phase)), 1e-15);
}

TEST(DirectSum, many_terms_do_not_drift) {
  const std::size_t count = 300000;
  const std::vector<double> x(count, 0.0);
  const std::vector<std::span<const double>> axes{x};
  const std::vector<std::complex<double>> tenth(count, 0.1);
  const auto sums = oracle::direct_type1<double>({{4}}, axes, tenth);
  for (const auto& sum : sums) EXPECT_NEAR(sum.real(), 30000.0, 30000.0 * 2e-15);
}

TEST(DirectSum, empty_is_zero) {
  const std::vector<double> none;
  const std::vector<std::span<const double>> axes{none};
  const auto sums = oracle::direct_type1<double>({{5}}, axes, std::span<const std::complex<double>>());
  ASSERT_EQ(sums.size(), 5u);
  for (const auto& sum : sums) EXPECT_EQ(sum, 0.0);
}

// Two opposite strengths at one place: the sums are rounding, beside strengths of norm sqrt(2).
TEST(Cancellation, is_how_much_smaller_the_sums_are_than_those_of_unrelated_terms) {
  const std::vector<std::complex<double>> opposite{1, -1}, equal{1, 1};
  EXPECT_EQ(oracle::cancellation<double>(opposite, Sums{0.0, 0.0}), 0);
  EXPECT_NEAR(oracle::cancellation<double>(opposite, Sums{1e-9, 1e-9}), 1e-9 / std::sqrt(2), 1e-15);
  EXPECT_EQ(oracle::cancellation<double>(equal, Sums{2.0, 2.0}), 1);
  EXPECT_NEAR(oracle::cancellation<double>(equal, Sums{0.5, 0.5}, 2), 0.5, 1e-15);
}

TEST(RelativeError, is_infinite_for_nan) {
  const std::vector<std::complex<float>> computed{{NAN, 0}};
  EXPECT_TRUE(std::isinf(oracle::relative_error<float>(computed, Sums{1.0})));
  const std::vector<std::complex<float>> zero{{0, 0}};
  EXPECT_EQ(oracle::relative_error<float>(zero, Sums{0.0}), 0);
  EXPECT_EQ(oracle::relative_error<float>(zero, Sums{2.0}), 1);
}

}  // namespace
