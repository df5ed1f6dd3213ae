// What the solvers ask of a device: sums over vectors, and updates by quotients of such sums.
#include <gtest/gtest.h>

#include <complex>

#include "core/vector_algebra.hpp"
#include "transform.hpp"

namespace {

using namespace support;

class AlgebraTest : public BackendTest {};
OFFGRID_RUN_ON_BACKENDS(AlgebraTest);

template <class T> class Algebra {
 public:
  using Vector = std::vector<std::complex<T>>;
  explicit Algebra(const BackendUnderTest& where, int threads = 0)
      : where_(where), algebra_(where.backend.template algebra<T>()({.threads = threads})) {}

  double inner(const Vector& a, const Vector& b, int place = 0) {
    DeviceArray<std::complex<T>> left(where_, a), right(where_, b);
    algebra_->inner(left.data(), right.data(), static_cast<std::int64_t>(a.size()), place, nullptr);
    return algebra_->read(place, nullptr);
  }
  Vector combine(const offgrid::Factor& own, const Vector& a, const offgrid::Factor& by, const Vector& b) {
    DeviceArray<std::complex<T>> to(where_, a), from(where_, b);
    algebra_->combine(
        {.own = own, .to = to.data(), .by = by, .from = from.data(), .count = static_cast<std::int64_t>(a.size())},
        nullptr);
    return to.host();
  }

 private:
  BackendUnderTest where_;
  std::unique_ptr<offgrid::VectorAlgebra<T>> algebra_;
};

// Large enough for several threads and blocks; sums are of doubles in a fixed order, whoever adds them up.
TEST_P(AlgebraTest, sums_are_in_double_and_do_not_depend_on_threads) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t count : {0, 1, 7, 4096, 300001}) {
      const auto a = random_values<T>(count, 1), b = random_values<T>(count, 2);
      long double sum = 0, size = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        const std::complex<long double> term =
            std::conj(std::complex<long double>(a[i])) * std::complex<long double>(b[i]);
        sum += term.real();
        size += std::abs(term);
      }
      const double alone = Algebra<T>(where(), 1).inner(a, b);
      EXPECT_NEAR(alone, static_cast<double>(sum), 1e-14 * static_cast<double>(size));
      EXPECT_EQ(Algebra<T>(where(), 3).inner(a, b), alone);
    }
  });
}

TEST_P(AlgebraTest, factors_are_quotients_of_sums_and_zero_over_zero) {
  Algebra<double> algebra(where());
  const auto a = random_values<double>(1000, 1), b = random_values<double>(1000, 2);
  const std::vector<std::complex<double>> zeros(1000);
  const double over = algebra.inner(a, a, 1), under = algebra.inner(b, b, 2);
  EXPECT_EQ(algebra.inner(zeros, b, 3), 0);
  const auto sum = algebra.combine({.constant = 0.5}, a, {.constant = -2, .over = 1, .under = 2}, b);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_LT(std::abs(sum[i] - (0.5 * a[i] - 2 * over / under * b[i])), 1e-14);
  EXPECT_EQ(algebra.combine({}, a, {.over = 3, .under = 3}, b), a);
}

}  // namespace
