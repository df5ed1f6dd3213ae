// Handles and everything that is asked of them: null, destroyed and foreign ones get a code, numbers and words about a
// plan are there, and the last message belongs to its thread.
#include <thread>

#include "c_calls.hpp"
#include "sanitizers.hpp"

namespace {

using namespace support;

TEST(Handles, destroying_null_is_allowed) {
  EXPECT_EQ(offgrid_plan_destroy(nullptr), OFFGRID_OK);
  offgrid_options_destroy(nullptr);
}

TEST(Handles, plans_come_and_go_without_points) {
  for (int round = 0; round < 100; ++round)
    EXPECT_TRUE(make_plan({.modes = {round, 3}, .precision = round % 2 == 0 ? OFFGRID_F32 : OFFGRID_F64}));
}

// Memory that never was a plan, as after destruction: its first word is not the one of a live plan.
TEST(Handles, something_else_is_not_taken_for_a_plan) {
  std::vector<std::uint64_t> other(64, 0x1234567812345678);
  auto plan = reinterpret_cast<offgrid_plan>(other.data());
  auto options = reinterpret_cast<offgrid_options>(other.data());
  double value = 0;
  expect_invalid(offgrid_plan_get(plan, "width", &value), {"plan"});
  expect_invalid(offgrid_set_points(plan, 1, &value, nullptr, nullptr, nullptr), {"plan"});
  expect_invalid(offgrid_execute(plan, &value, &value, nullptr), {"plan"});
  expect_invalid(offgrid_plan_destroy(plan), {"plan"});
  EXPECT_STREQ(offgrid_plan_describe(plan), "");
  expect_invalid(offgrid_options_set(options, "sign", 1), {"options"});
  offgrid_options_destroy(options);
  EXPECT_EQ(other, std::vector<std::uint64_t>(64, 0x1234567812345678));
  offgrid_plan made = nullptr;
  expect_invalid(create(&made, {}, options), {"options"});
  EXPECT_EQ(made, nullptr);
}

TEST(Handles, an_options_handle_is_not_a_plan) {
  const auto options = make_options();
  double value = 0;
  expect_invalid(offgrid_plan_get(reinterpret_cast<offgrid_plan>(options.get()), "width", &value), {"plan"});
}

TEST(Handles, use_after_destroy_gets_a_code) {
  if (under_asan || under_tsan) GTEST_SKIP() << "reads freed memory on purpose";
  offgrid_plan plan = make_plan({}).release();
  ASSERT_EQ(offgrid_plan_destroy(plan), OFFGRID_OK);
  std::vector<double> values(100);
  expect_invalid(offgrid_execute(plan, values.data(), values.data(), nullptr), {"plan"});
  expect_invalid(offgrid_set_points(plan, 1, values.data(), values.data(), nullptr, nullptr), {"plan"});
  expect_invalid(offgrid_plan_destroy(plan), {"plan"});
}

TEST(Handles, options_can_be_freed_before_the_plan) {
  auto options = make_options({{"sign", 1}, {"transforms", 2}});
  const auto plan = make_plan({}, options.get());
  options.reset();
  double transforms = 0;
  EXPECT_EQ(offgrid_plan_get(plan.get(), "transforms", &transforms), OFFGRID_OK);
  EXPECT_EQ(transforms, 2);
}

TEST(PlanGet, every_documented_name_answers) {
  const Arguments arguments{.modes = {40, 30}, .tolerance = 1e-7};
  const auto plan = make_plan(arguments);
  ASSERT_EQ(set_points(plan.get(), uniform_points<double>(2, 11)), OFFGRID_OK);
  const auto get = [&](const char* name) {
    double value = -1;
    EXPECT_EQ(offgrid_plan_get(plan.get(), name, &value), OFFGRID_OK) << name;
    return value;
  };
  EXPECT_GT(get("upsampling"), 1);
  EXPECT_GE(get("width"), 2);
  EXPECT_GE(get("grid1"), 40 * get("upsampling") * (1 - 1e-12));
  EXPECT_GE(get("grid2"), 30 * get("upsampling") * (1 - 1e-12));
  EXPECT_EQ(get("grid3"), 1);
  EXPECT_GT(get("expected_error"), 0);
  EXPECT_LE(get("expected_error"), arguments.tolerance);
  EXPECT_LE(get("reachable_tolerance"), 1e-13);
  EXPECT_GE(get("workspace_bytes"), 16 * get("grid1") * get("grid2"));
  EXPECT_GT(get("memory_bytes"), 0);
  EXPECT_GE(get("peak_bytes"), get("memory_bytes"));
  EXPECT_EQ(get("points"), 11);
  EXPECT_EQ(get("transforms"), 1);
}

TEST(PlanGet, refuses_unknown_names_and_null) {
  const auto plan = make_plan({});
  double value = 42;
  expect_invalid(offgrid_plan_get(plan.get(), "colour", &value), {"colour"});
  expect_invalid(offgrid_plan_get(plan.get(), nullptr, &value), {"name", "null"});
  expect_invalid(offgrid_plan_get(plan.get(), "width", nullptr), {"value", "null"});
  expect_invalid(offgrid_plan_get(nullptr, "width", &value), {"plan", "null"});
  EXPECT_EQ(value, 42);
}

TEST(Words, description_devices_version_and_help) {
  const auto plan = make_plan({.modes = {40, 30}});
  EXPECT_NE(std::string(offgrid_plan_describe(plan.get())).find("40"), std::string::npos);
  EXPECT_STREQ(offgrid_plan_describe(nullptr), "");
  EXPECT_STREQ(offgrid_version(), OFFGRID_VERSION);
  EXPECT_FALSE(std::string(offgrid_devices()).empty());
  for (const char* name : {"sign", "transforms", "mode_order", "strict", "device", "upsampling", "width", "window",
                           "batch", "threads", "points_hint"})
    EXPECT_NE(std::string(offgrid_options_help()).find(name), std::string::npos) << name;
}

TEST(LastError, belongs_to_its_thread) {
  expect_invalid(offgrid_options_set(nullptr, "sign", 1), {"options"});
  std::thread([] {
    EXPECT_STREQ(offgrid_last_error(), "");
    expect_invalid(offgrid_options_create(nullptr), {"place"});
  }).join();
  EXPECT_EQ(std::string(offgrid_last_error()).find("place"), std::string::npos) << offgrid_last_error();
}

TEST(LastError, very_long_names_are_cut_not_overrun) {
  const auto options = make_options();
  expect_invalid(offgrid_options_set(options.get(), std::string(100000, 'x').c_str(), 1), {"xxxxxxxx"});
}

}  // namespace
