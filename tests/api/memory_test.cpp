// What a plan says of its memory, against what is allocated. It was the workspace alone: 9.7 MB of 316 at 32^3 modes with
// 1e7 points.
#include "allocations.hpp"
#include "c_calls.hpp"

namespace {

using namespace support;

struct Case {
  const char* name;
  Arguments arguments;
  std::int64_t points;
  double transforms;
  bool crowded;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class MemoryTest : public testing::TestWithParam<Case> {
 protected:
  static double number(const OwnedPlan& plan, const char* name) {
    double value = -1;
    EXPECT_EQ(offgrid_plan_get(plan.get(), name, &value), OFFGRID_OK) << name;
    return value;
  }

  // What is allocated besides the plan does not change between this and the calls that are measured.
  template <class T> void measure() const {
    if (!allocations::see_the_library()) GTEST_SKIP() << allocations::own_runtime;
    const Case& c = GetParam();
    const int dim = c.arguments.dim;
    const auto points = c.crowded ? clustered_points<T>(dim, c.points) : uniform_points<T>(dim, c.points);
    const auto vectors = static_cast<std::int64_t>(c.transforms);
    std::vector<std::complex<T>> strengths(vectors * c.points, 1), modes(vectors * product(c.arguments.modes));
    const auto options = make_options({{"transforms", c.transforms}, {"threads", 2}, {"device", 1}});
    run_once(options.get());
    const auto in_use = [] {
      EXPECT_EQ(offgrid_release_memory(), OFFGRID_OK);  // what is kept for later plans
      return static_cast<double>(allocations::bytes());
    };
    const double before = in_use();
    const auto held = [&] { return in_use() - before; };
    const auto plan = make_plan(c.arguments, options.get());
    EXPECT_LE(number(plan, "memory_bytes"), held());
    for (int round = 0; round < 3; ++round) {  // from the second on there are spare points
      ASSERT_EQ(set_points(plan.get(), points), OFFGRID_OK);
      const double packed = static_cast<double>(c.points) * (dim * sizeof(T) + 8);
      EXPECT_GE(number(plan, "memory_bytes"), packed);
      ASSERT_EQ(offgrid_execute(plan.get(), strengths.data(), modes.data(), nullptr), OFFGRID_OK);
      ASSERT_EQ(offgrid_execute_adjoint(plan.get(), strengths.data(), modes.data(), nullptr), OFFGRID_OK);
      EXPECT_GE(number(plan, "memory_bytes"), packed + number(plan, "workspace_bytes"));
      EXPECT_NEAR(number(plan, "memory_bytes") / held(), 1, 0.2) << "round " << round;
    }
    EXPECT_GT(number(plan, "peak_bytes"), number(plan, "memory_bytes"));
    EXPECT_LE(number(plan, "peak_bytes"), 2.5 * number(plan, "memory_bytes"));
    const std::string words = offgrid_plan_describe(plan.get());
    EXPECT_EQ(words.find("crowded") != std::string::npos, c.crowded && sizeof(T) == 4) << words;
    ASSERT_EQ(offgrid_set_points(plan.get(), 0, nullptr, nullptr, nullptr, nullptr), OFFGRID_OK);
    ASSERT_EQ(offgrid_set_points(plan.get(), 0, nullptr, nullptr, nullptr, nullptr), OFFGRID_OK);
    EXPECT_NEAR(number(plan, "memory_bytes") / held(), 1, 0.2) << "without points";
  }

  // Makes what is made once in the life of a program.
  void run_once(offgrid_options options) const {
    Arguments small = GetParam().arguments;
    small.modes.assign(small.modes.size(), 4);
    (void)make_plan(small, options);
  }
};

TEST_P(MemoryTest, is_what_was_allocated) {
  if (GetParam().arguments.precision == OFFGRID_F32)
    measure<float>();
  else
    measure<double>();
}

INSTANTIATE_TEST_SUITE_P(
    Plans, MemoryTest,
    testing::Values(
        Case{"many points f64", {.dim = 3, .modes = {24, 24, 24}}, 1500000, 1, false},
        Case{"many points f32", {.dim = 3, .modes = {24, 24, 24}, .precision = OFFGRID_F32}, 1500000, 1, false},
        Case{"crowded f32",
             {.dim = 2, .modes = {64, 64}, .tolerance = 1e-6, .precision = OFFGRID_F32},
             1000000,
             2,
             true},
        Case{"crowded f64", {.dim = 2, .modes = {64, 64}, .tolerance = 1e-12}, 300000, 2, true},
        Case{"a large grid f64", {.dim = 2, .modes = {1000, 1000}}, 1000, 3, false},
        Case{"a long row f64", {.dim = 1, .modes = {2000000}}, 1000, 1, false},
        Case{"a long row f32", {.dim = 1, .modes = {2000000}, .precision = OFFGRID_F32}, 1000, 1, false}));

}  // namespace
