// Whole outputs against direct sums for every kind of size: one, two, three, odd, even, prime, very unequal axes, and a
// sweep of all sizes up to 130. Guards the peers' zeros and garbage for some sizes only (cufinufft#102, finufft#575,
// #691).
#include "transform.hpp"

namespace {

using namespace support;

class SizesTest : public BackendTest {};

// Both types, both precisions: transform and adjoint.
void expect_accurate_everywhere(const BackendUnderTest& where, const Sizes& modes, std::int64_t count) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const auto points = uniform_points<T>(static_cast<int>(modes.size()), count);
    for (const int type : {1, 2})
      expect_accurate<T>(where, {.type = type, .modes = modes, .tolerance = usual_tolerance<T>}, points);
  });
}

TEST_P(SizesTest, small_odd_even_and_prime_sizes) {
  const std::vector<Sizes> all{{1},       {2},       {3},         {97},        {256},     {1, 1},
                               {2, 3},    {7, 5},    {16, 17},    {31, 30},    {1, 1, 1}, {2, 3, 1},
                               {3, 5, 2}, {8, 9, 7}, {13, 1, 16}, {11, 12, 10}};
  for (const Sizes& modes : all) expect_accurate_everywhere(where(), modes, 150);
}

TEST_P(SizesTest, very_unequal_axes) {
  for (const Sizes& modes : std::vector<Sizes>{{1, 1000}, {1000, 1}, {2, 700}, {3, 500, 2}, {1, 1, 600}, {400, 2, 3}})
    expect_accurate_everywhere(where(), modes, 100);
}

// An axis of one mode has k = 0 alone: it takes neither memory nor time, in whatever place it stands.
TEST_P(SizesTest, axes_of_one_mode_cost_nothing) {
  const auto workspace = [&](const Sizes& modes) {
    const Spec spec{.modes = modes, .tolerance = 1e-9, .options = {.points_hint = 50000}};
    return Transform<double>(where(), spec).get("workspace_bytes");
  };
  EXPECT_EQ(workspace({1, 1, 50000}), workspace({50000}));
  EXPECT_EQ(workspace({50000, 1}), workspace({50000}));
  for (const Sizes& modes : std::vector<Sizes>{{1, 100, 120}, {100, 1, 120}, {100, 120, 1}})
    EXPECT_EQ(workspace(modes), workspace({100, 120}));
  const Transform<double> slice(where(), {.modes = {1, 100, 120}, .options = {.points_hint = 1000}});
  EXPECT_EQ(slice.get("grid1"), 1);
  EXPECT_GE(slice.get("grid2"), 100);
  EXPECT_GE(slice.get("grid3"), 120);
  EXPECT_NE(slice.plan().describe().find("1 x 100 x 120 modes"), std::string::npos) << slice.plan().describe();
  for (const Sizes& modes :
       std::vector<Sizes>{{1, 30, 31}, {30, 1, 31}, {30, 31, 1}, {1, 60, 1}, {1, 1, 60}, {1, 1, 1}})
    expect_accurate_everywhere(where(), modes, 200);
}

TEST_P(SizesTest, every_size_up_to_130_in_1d) {
  for (std::int64_t n = 1; n <= 130; ++n) expect_accurate_everywhere(where(), {n}, 60);
}

TEST_P(SizesTest, size_sweep_in_2d_and_3d) {
  for (std::int64_t n = 1; n <= 130; n += 7) expect_accurate_everywhere(where(), {n, 131 - n}, 20);
  for (std::int64_t n = 1; n <= 64; n += 9) expect_accurate_everywhere(where(), {n, 65 - n, (n * 5) % 16 + 1}, 8);
}

TEST_P(SizesTest, numbers_of_points_from_one_to_many_more_than_modes) {
  for (const std::int64_t count : {1, 2, 3, 1000, 5000}) {
    expect_accurate_everywhere(where(), {20}, count);
    expect_accurate_everywhere(where(), {5, 6}, count);
    expect_accurate_everywhere(where(), {4, 3, 5}, count);
  }
}

TEST_P(SizesTest, signs_and_mode_orders) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{17}, {8, 5}, {4, 3, 6}})
      for (const int type : {1, 2})
        for (const int sign : {-1, 0, 1})
          for (const auto order : {offgrid::ModeOrder::centred, offgrid::ModeOrder::fft})
            expect_accurate<T>(where(),
                               {.type = type,
                                .modes = modes,
                                .tolerance = usual_tolerance<T>,
                                .options = {.sign = sign, .mode_order = order}},
                               uniform_points<T>(static_cast<int>(modes.size()), 40));
  });
}

TEST_P(SizesTest, batches_that_do_and_do_not_divide_the_transforms) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{33}, {9, 10}, {5, 6, 7}})
      for (const std::int64_t transforms : {1, 2, 5, 16})
        for (const std::int64_t batch : {0, 1, 3})
          for (const int type : {1, 2})
            expect_accurate<T>(where(),
                               {.type = type,
                                .modes = modes,
                                .tolerance = usual_tolerance<T>,
                                .options = {.transforms = transforms, .batch = batch}},
                               uniform_points<T>(static_cast<int>(modes.size()), 70));
  });
}

TEST_P(SizesTest, no_points_give_exact_zeros) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int type : {1, 2}) {
      Transform<T> transform(where(), {.type = type, .modes = {6, 5}, .options = {.transforms = 2}});
      transform.set_points(uniform_points<T>(2, 0));
      const auto modes = type == 1 ? transform.execute({}) : transform.adjoint({});
      EXPECT_EQ(modes, std::vector<std::complex<T>>(60));
      const auto strengths = type == 1 ? transform.adjoint(modes) : transform.execute(modes);
      EXPECT_TRUE(strengths.empty());
    }
  });
}

TEST_P(SizesTest, no_modes_give_exact_zeros) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int type : {1, 2}) {
      Transform<T> transform(where(), {.type = type, .modes = {6, 0, 3}});
      transform.set_points(uniform_points<T>(3, 10));
      const auto strengths = type == 1 ? transform.adjoint({}) : transform.execute({});
      EXPECT_EQ(strengths, std::vector<std::complex<T>>(10));
      EXPECT_TRUE((type == 1 ? transform.execute(strengths) : transform.adjoint(strengths)).empty());
    }
  });
}

OFFGRID_RUN_ON_BACKENDS(SizesTest);

}  // namespace
