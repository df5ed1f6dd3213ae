// The bound on the error of a sum of equal terms: it holds for any term and any number of them, and some reach it.
#include "core/kernel/summation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using namespace offgrid;

// Largest error over that of the bound, of sums of up to `most` terms that are all `term`.
double worst_of_bound(float term, int most) {
  float sum = 0;
  double worst = 0;
  for (int n = 1; n <= most; ++n) {
    sum += term;
    const double exact = static_cast<double>(term) * n;
    if (n < 100) continue;  // the bound is that of long sums
    const double error = std::abs(static_cast<double>(sum) - exact) / exact;
    worst = std::max(worst, error / equal_terms_error(n, Precision::f32));
  }
  return worst;
}

TEST(Summation, equal_terms_keep_the_bound_and_some_come_near_it) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> terms(0.5F, 1.0F);
  double worst = 0;
  for (int i = 0; i < 300; ++i) worst = std::max(worst, worst_of_bound(terms(generator), 20000));
  EXPECT_LE(worst, 1);
  EXPECT_GE(worst, 0.6);
}

TEST(Summation, random_terms_grow_with_the_root) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<float> terms(-1, 1);
  constexpr int count = 10000;
  double squares = 0, energy = 0;
  for (int round = 0; round < 200; ++round) {
    float sum = 0;
    double exact = 0;
    for (int n = 0; n < count; ++n) {
      const float term = terms(generator);
      sum += term;
      exact += static_cast<double>(term);
    }
    squares += std::pow(static_cast<double>(sum) - exact, 2);
    energy += exact * exact;
  }
  EXPECT_LE(std::sqrt(squares / energy), random_terms_error(count, Precision::f32));
}

}  // namespace
