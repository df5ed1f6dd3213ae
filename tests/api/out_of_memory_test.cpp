// Fault injection: every single allocation of plan_create, set_points and execute fails once. Each failure is a code,
// nothing leaks, and the plan works afterwards. Also counts what is alive after many rounds (finufft#427, cufinufft#74,
// #75, #79, finufft#803, #269, #170, mri-nufft#278: leaks in plans and in set_points), and that a second execute
// allocates nothing.
#include <cstdlib>

#include "allocations.hpp"
#include "c_calls.hpp"

namespace {

using namespace support;

// Runs call() with its first, second, .. allocation failing until none is left to fail, and check(status) each time.
// A call may do without (std::stable_sort does): then it succeeds. Returns how many allocations could fail.
template <class Call, class Check> long fail_each_allocation(Call call, Check check) {
  for (long n = 1; n < 100000 && !testing::Test::HasFailure(); ++n) {
    const long before = allocations::live();
    allocations::fail_from_now(n);
    const offgrid_status status = call();
    const bool failed = allocations::disarm();
    if (status != OFFGRID_OK) {
      EXPECT_TRUE(failed);
      EXPECT_EQ(status, OFFGRID_OUT_OF_MEMORY) << "allocation " << n << ": " << offgrid_last_error();
      EXPECT_EQ(allocations::live(), before) << "allocation " << n;
    }
    check(status);
    if (!failed) return n - 1;
  }
  return 0;
}
template <class Call> long fail_each_allocation(Call call) {
  return fail_each_allocation(call, [](offgrid_status) {});
}

struct Case {
  Arguments arguments;
  double transforms, threads;
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.arguments.dim << "D type " << one.arguments.type << " threads " << one.threads;
}

class OutOfMemoryTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!allocations::see_the_library()) GTEST_SKIP() << allocations::own_runtime;
    run_once();  // what is made once in a program's life is made now
  }

  [[nodiscard]] OwnedOptions options() const {
    return make_options({{"transforms", GetParam().transforms}, {"threads", GetParam().threads}});
  }
  [[nodiscard]] PointSet<double> points(std::int64_t count) const {
    return uniform_points<double>(arguments_.dim, count);
  }

  // A whole life of a plan, with an accurate result.
  void run_once() const {
    const auto o = options();
    const auto plan = make_plan(arguments_, o.get());
    for (const std::int64_t count : {3000, 50}) {
      ASSERT_EQ(set_points(plan.get(), points(count)), OFFGRID_OK);
      expect_right(plan.get(), points(count));
    }
  }

  void expect_right(offgrid_plan plan, const PointSet<double>& points) const {
    const Sum sum{arguments_.modes, arguments_.type == 1 ? -1 : 1, static_cast<std::int64_t>(GetParam().transforms)};
    const To to = arguments_.type == 1 ? To::modes : To::points;
    auto strengths = random_values<double>(sum.transforms * points.count(), 1);
    auto modes = random_values<double>(sum.transforms * product(arguments_.modes), 2);
    const auto truth = direct_sum<double>(to, sum, points, to == To::modes ? strengths : modes);
    ASSERT_EQ(offgrid_execute(plan, strengths.data(), modes.data(), nullptr), OFFGRID_OK) << offgrid_last_error();
    EXPECT_LE(relative_error(to == To::modes ? modes : strengths, truth), arguments_.tolerance);
  }

  const Arguments arguments_ = GetParam().arguments;
};

TEST_P(OutOfMemoryTest, creating_a_plan) {
  const auto o = options();
  offgrid_plan raw = nullptr;
  const long failures = fail_each_allocation([&] { return create(&raw, arguments_, o.get()); },
                                             [&](offgrid_status status) {
                                               EXPECT_EQ(raw == nullptr, status != OFFGRID_OK);
                                               const OwnedPlan plan(raw);
                                               if (status != OFFGRID_OK) return;
                                               ASSERT_EQ(set_points(raw, points(50)), OFFGRID_OK);
                                               expect_right(raw, points(50));
                                             });
  EXPECT_GT(failures, 0);
}

TEST_P(OutOfMemoryTest, setting_points_keeps_the_earlier_ones) {
  const auto o = options();
  const auto plan = make_plan(arguments_, o.get());
  const auto first = points(50), second = points(3000);
  const auto* in_force = &first;
  ASSERT_EQ(set_points(plan.get(), first), OFFGRID_OK);
  const long failures = fail_each_allocation([&] { return set_points(plan.get(), second); },
                                             [&](offgrid_status status) {
                                               if (status == OFFGRID_OK) in_force = &second;
                                               expect_right(plan.get(), *in_force);
                                             });
  EXPECT_GT(failures, 0);
  EXPECT_EQ(in_force, &second);
}

TEST_P(OutOfMemoryTest, executing) {
  const auto o = options();
  const auto plan = make_plan(arguments_, o.get());
  const auto where = points(50);
  ASSERT_EQ(set_points(plan.get(), where), OFFGRID_OK);
  std::vector<std::complex<double>> strengths(2000), modes(20000);
  for (const auto call : {offgrid_execute, offgrid_execute_adjoint})
    fail_each_allocation([&] { return call(plan.get(), strengths.data(), modes.data(), nullptr); });
  expect_right(plan.get(), where);
}

TEST_P(OutOfMemoryTest, a_second_execute_allocates_nothing) {
  const auto o = options();
  const auto plan = make_plan(arguments_, o.get());
  ASSERT_EQ(set_points(plan.get(), points(50)), OFFGRID_OK);
  std::vector<std::complex<double>> strengths(2000), modes(20000);
  long before = 0;
  for (int round = 0; round < 2; ++round) {
    before = allocations::calls();
    ASSERT_EQ(offgrid_execute(plan.get(), strengths.data(), modes.data(), nullptr), OFFGRID_OK);
    ASSERT_EQ(offgrid_execute_adjoint(plan.get(), strengths.data(), modes.data(), nullptr), OFFGRID_OK);
  }
  EXPECT_EQ(allocations::calls() - before, 0);
}

TEST_P(OutOfMemoryTest, nothing_is_left_after_many_plans) {
  const long before = allocations::live();
  for (int round = 0; round < 20; ++round) run_once();
  EXPECT_EQ(allocations::live(), before);
}

TEST_P(OutOfMemoryTest, many_set_points_up_and_down_hold_no_more_than_one) {
  const auto o = options();
  const auto plan = make_plan(arguments_, o.get());
  std::vector<std::complex<double>> strengths(20000), modes(20000);
  const auto bytes_after = [&](std::int64_t count) {
    EXPECT_EQ(set_points(plan.get(), points(count)), OFFGRID_OK);
    EXPECT_EQ(offgrid_execute(plan.get(), strengths.data(), modes.data(), nullptr), OFFGRID_OK);
    return allocations::bytes();
  };
  constexpr std::array<std::int64_t, 4> counts{0, 5000, 1, 90};
  for (const std::int64_t count : counts) bytes_after(count);  // their designs are kept
  const long once = bytes_after(700);
  for (int round = 0; round < 60; ++round) bytes_after(counts[round % 4]);
  EXPECT_LE(bytes_after(700), once + 200);  // malloc rounds as it finds room; a pointer a round would be 480
}

INSTANTIATE_TEST_SUITE_P(Plans, OutOfMemoryTest,
                         testing::Values(Case{{.type = 1, .dim = 1, .modes = {60}}, 1, 1},
                                         Case{{.type = 2, .dim = 2, .modes = {9, 10}}, 2, 1},
                                         Case{{.type = 1, .dim = 2, .modes = {20, 18}}, 3, 3},
                                         Case{{.type = 1, .dim = 3, .modes = {8, 9, 10}}, 1, 2}));

TEST(OutOfMemory, making_and_setting_options) {
  if (!allocations::see_the_library()) GTEST_SKIP() << allocations::own_runtime;
  offgrid_options raw = nullptr;
  EXPECT_GT(fail_each_allocation([&] { return offgrid_options_create(&raw); }), 0);
  const OwnedOptions options(raw);
  fail_each_allocation([&] { return offgrid_options_set(raw, "upsampling", 1.5); });
  fail_each_allocation([&] { return offgrid_options_set_text(raw, "mode_order", "fft"); });
}

// A refusal needs memory for its words: without, it is still a code.
TEST(OutOfMemory, while_a_refusal_is_being_put_into_words) {
  const auto options = make_options();
  for (long n = 1; n < 100; ++n) {
    allocations::fail_from_now(n);
    const offgrid_status status = offgrid_options_set(options.get(), "colour", 1);
    if (!allocations::disarm()) return;
    EXPECT_TRUE(status == OFFGRID_OUT_OF_MEMORY || status == OFFGRID_INVALID_ARGUMENT) << status;
  }
}

TEST(OutOfMemory, describing_a_plan_gives_what_words_there_are) {
  const auto plan = make_plan({});
  const std::string whole = offgrid_plan_describe(plan.get());
  for (long n = 1; n < 1000; ++n) {
    allocations::fail_from_now(n);
    const std::string_view words = offgrid_plan_describe(plan.get());
    if (!allocations::disarm()) break;
    EXPECT_LE(words.size(), whole.size());
  }
  EXPECT_EQ(offgrid_plan_describe(plan.get()), whole);
}

// In a process of its own, because these words are made once.
void ask_without_memory(const char* (*words)(), long n) {
  (void)make_plan({});  // starts OpenMP, whose tools (TSan has one) do not survive a failure
  allocations::fail_from_now(n);
  try {
    (void)words();
    std::_Exit(0);
  } catch (...) {
    std::_Exit(1);
  }
}

TEST(OutOfMemoryDeathTest, words_about_the_library_do_not_throw_through_c) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const auto words : {offgrid_devices, offgrid_options_help})
    for (const long n : {1, 2, 3}) EXPECT_EXIT(ask_without_memory(words, n), testing::ExitedWithCode(0), "") << n;
}

}  // namespace
