// Smooth sizes against trial of every size, and at the ends of the 64-bit range.
#include "core/design/smooth.hpp"

#include <gtest/gtest.h>

namespace offgrid {
namespace {

bool is_smooth(std::int64_t n) {
  if (n % 7 == 0) n /= 7;
  for (const int factor : {2, 3, 5}) {
    while (n % factor == 0) n /= factor;
  }
  return n == 1;
}

TEST(Smooth, AgreesWithTrialOfEverySize) {
  for (const std::int64_t multiple : {1, 2, 8}) {
    for (std::int64_t n = 1; n <= 3000; ++n) {
      std::int64_t expected = n;
      while (!is_smooth(expected) || expected % multiple != 0) ++expected;
      ASSERT_EQ(next_smooth(n, multiple), expected) << n << " multiple of " << multiple;
    }
  }
}

TEST(Smooth, HoldsAtTheEndsOfTheRange) {
  EXPECT_EQ(next_smooth(0), 1);
  EXPECT_EQ(next_smooth(1, 2), 2);
  EXPECT_EQ(next_smooth(max_smooth), max_smooth);
  const std::int64_t large = next_smooth(max_smooth - 1000000000);
  EXPECT_TRUE(is_smooth(large));
  EXPECT_GE(large, max_smooth - 1000000000);
  EXPECT_THROW(next_smooth(max_smooth + 1), Error);
}

TEST(Smooth, IsNeverFarAboveWhatIsAskedFor) {
  for (std::int64_t n = 1000; n < (std::int64_t{1} << 60); n = n * 3 / 2 + 1) {
    const std::int64_t size = next_smooth(n);
    EXPECT_TRUE(is_smooth(size));
    EXPECT_LE(static_cast<double>(size - n), 0.04 * static_cast<double>(n)) << n;
  }
}

TEST(Smooth, CostCountsRadixPasses) {
  EXPECT_EQ(fft_cost(1), 0);
  EXPECT_DOUBLE_EQ(fft_cost(1024), 10);
  EXPECT_GT(fft_cost(3 * 256), fft_cost(512));   // more points
  EXPECT_LT(fft_cost(3 * 256), fft_cost(1024));  // but cheaper than the next power of two
  EXPECT_GT(fft_cost(1009), 2 * fft_cost(1024));
}

}  // namespace
}  // namespace offgrid
