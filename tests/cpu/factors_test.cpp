// Factors at points are right to rounding with every instruction set that this machine has, and so are sums over all pairs.
#include "cpu/pointwise/factors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "cpu/pointwise/direct_sum.hpp"
#include "only_target.hpp"
#include "points.hpp"

namespace offgrid::cpu {
namespace {

using Wide = std::complex<long double>;
constexpr long double wide_pi = std::numbers::pi_v<long double>;

Wide wave_of_turns(long double turns) {
  const long double angle = 2 * wide_pi * (turns - std::nearbyint(turns));
  return {std::cos(angle), std::sin(angle)};
}

// By the definition in core/pointwise.hpp, where T_j(s) is cos(j acos(s)).
template <class T> Wide expected_factor(const FactorRule& rule, const Points<T>& points, std::int64_t i) {
  Wide wave = 1;
  long double exponent = 0;
  for (int a = 0; a < rule.dim; ++a) {
    const FactorAxis& axis = rule.axis[a];
    const long double from_centre = static_cast<long double>(points.axis[a][i]) - axis.centre;
    wave *= wave_of_turns(from_centre * axis.rate + from_centre * axis.rate_low);
    const long double u = from_centre * axis.scale, s = std::min(2 * u * u - 1, 1.0L);
    for (int j = 0; j < rule.terms; ++j) exponent += rule.series[j] * std::cos(j * std::acos(s));
  }
  return wave * std::exp(exponent);
}

// Points around 700 whose turns are up to some 200 per axis, with factors between some e-5 and e+5.
FactorRule some_rule(int dim, int terms) {
  FactorRule rule{.dim = dim, .terms = terms};
  for (int a = 0; a < dim; ++a) rule.axis[a] = {700.25 + a, 0.31415926535897931 + a, 1.1e-17, 0.0015 + 0.0001 * a};
  for (int j = 0; j < terms; ++j) rule.series[j] = (j % 2 == 0 ? 1.3 : -0.9) / (1 + j * j);
  return rule;
}

template <class T> void expect_right_factors(double bound) {
  for (const int dim : {1, 2, 3})
    for (const int terms : {0, 1, 14, FactorRule::most_terms})
      for (const std::int64_t count : {1, 3, 37}) {
        const FactorRule rule = some_rule(dim, terms);
        const auto set = support::points_between<T>(50, 1350, dim, count, 7);
        Points<T> points{count};
        for (int a = 0; a < dim; ++a) points.axis[a] = set.axis[a].data();
        support::with_each_target([&](std::int64_t target) {
          std::vector<std::complex<T>> factors(count + 1, {T(17), T(19)});
          evaluate_factors(rule, points, factors.data());
          for (std::int64_t i = 0; i < count; ++i) {
            const Wide expected = expected_factor(rule, points, i), error = Wide(factors[i]) - expected;
            EXPECT_LE(std::abs(error), bound * std::abs(expected))
                << "target " << target << ", " << dim << "D, " << terms << " terms, point " << i << " of " << count;
          }
          EXPECT_EQ(factors[count], (std::complex<T>{17, 19})) << "behind the last one";
        });
      }
}

TEST(Factors, are_right_to_rounding_in_single_precision) { expect_right_factors<float>(1.2e-7); }
TEST(Factors, are_right_to_rounding_in_double_precision) { expect_right_factors<double>(4e-15); }

template <class T> void expect_right_sums(double reach, double bound) {
  constexpr std::int64_t vectors = 2;
  for (const int dim : {1, 3})
    for (const std::int64_t terms : {1, 128, 131, 300})
      for (const std::int64_t values : {1, 11}) {
        const auto x = support::points_between<T>(-reach, reach, 1, dim * terms, 3).axis[0];
        const auto at = support::points_between<T>(-reach, reach, 1, dim * values, 5).axis[0];
        const auto from = support::random_values<T>(vectors * terms, 9);
        support::with_each_target([&](std::int64_t target) {
          std::vector<std::complex<T>> to(vectors * values);
          sum_directly(
              DirectSum<T>{dim, Sign::minus, x.data(), at.data(), terms, values, vectors, from.data(), to.data()}, 1);
          for (std::int64_t v = 0; v < vectors; ++v)
            for (std::int64_t k = 0; k < values; ++k) {
              Wide sum = 0;
              for (std::int64_t j = 0; j < terms; ++j) {
                Wide wave = 1;
                for (int a = 0; a < dim; ++a)
                  wave *=
                      wave_of_turns(-static_cast<long double>(x[a * terms + j]) * at[a * values + k] / (2 * wide_pi));
                sum += wave * Wide(from[v * terms + j]);
              }
              EXPECT_LE(std::abs(Wide(to[v * values + k]) - sum), bound * std::sqrt(static_cast<double>(terms)))
                  << "target " << target << ", " << dim << "D, " << terms << " terms, value " << k << " of " << values;
            }
        });
      }
}

TEST(DirectSum, is_right_to_rounding_in_single_precision) { expect_right_sums<float>(300, 4e-7); }
TEST(DirectSum, is_right_to_rounding_in_double_precision) { expect_right_sums<double>(60, 3e-15); }

}  // namespace
}  // namespace offgrid::cpu
