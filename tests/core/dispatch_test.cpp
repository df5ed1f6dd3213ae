// dispatch turns a run-time integer into a compile-time one: each value of the range reaches its own instance, once.
#include "core/dispatch.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using offgrid::dispatch;

TEST(Dispatch, every_value_reaches_its_own_instance) {
  for (int value = 2; value <= 16; ++value) {
    int calls = 0;
    const int reached = dispatch<2, 16>(value, [&](auto constant) {
      ++calls;
      static_assert(constant() >= 2 && constant() <= 16);
      return constant();
    });
    EXPECT_EQ(reached, value);
    EXPECT_EQ(calls, 1);
  }
}

TEST(Dispatch, works_on_a_range_of_one) {
  EXPECT_EQ((dispatch<3, 3>(3, [](auto constant) { return 10 * constant(); })), 30);
}

TEST(Dispatch, nests) {
  const auto name = [](int dim, int width) {
    return dispatch<1, 3>(dim, [&](auto d) {
      return dispatch<2, 4>(width, [&](auto w) { return std::to_string(d()) + "d" + std::to_string(w()); });
    });
  };
  EXPECT_EQ(name(1, 4), "1d4");
  EXPECT_EQ(name(3, 2), "3d2");
}

TEST(Dispatch, passes_references_through) {
  int target = 0;
  int& same = dispatch<1, 2>(2, [&](auto) -> int& { return target; });
  EXPECT_EQ(&same, &target);
}

}  // namespace
