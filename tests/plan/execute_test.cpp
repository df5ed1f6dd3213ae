// core/plan and core/execute on the reference engine, which writes down its calls: the batches and their order, the
// adjoint as the other direction with the opposite sign, and the states of a plan. No device is needed.
#include "reference_engine.hpp"
#include "transform.hpp"

namespace {

using namespace support;
using offgrid::Status;
using Log = std::vector<std::string>;

const BackendUnderTest& reference() {
  static const BackendUnderTest where{"reference", reference_backend()};
  return where;
}

// A plan with four points; the log starts behind set_points.
Transform<double> ready(const Spec& spec) {
  Transform<double> transform(reference(), spec);
  transform.set_points(uniform_points<double>(static_cast<int>(spec.modes.size()), 4));
  engine_log().clear();
  return transform;
}

Status status_of(const std::function<void()>& call) {
  try {
    call();
    return Status::ok;
  } catch (const offgrid::Error& error) {
    return error.status();
  }
}

TEST(Execute, agrees_with_the_oracle_on_the_reference_engine) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int type : {1, 2})
      for (const std::int64_t batch : {1, 2, 3}) {
        const Spec spec{
            .type = type, .modes = {5, 4, 3}, .tolerance = 1e-6, .options = {.transforms = 5, .batch = batch}};
        expect_accurate<T>(reference(), spec, uniform_points<T>(3, 30));
      }
  });
}

TEST(Execute, type_1_spreads_then_transforms_batch_by_batch) {
  const auto transform = ready({.type = 1, .modes = {6}, .options = {.transforms = 5, .batch = 2}});
  (void)transform.execute(random_values<double>(20, 1));
  EXPECT_EQ(engine_log(), (Log{"lease 2", "spread 2", "to_modes- 2", "lease 2", "spread 2", "to_modes- 2", "lease 1",
                               "spread 1", "to_modes- 1"}));
}

// The grid is the same for all numbers of points here.
TEST(Execute, an_engine_that_does_not_serve_the_new_number_of_points_is_made_anew) {
  const Spec spec{.modes = {30}, .options = {.upsampling = 2, .width = 8}};
  const auto log_of = [&](std::int64_t most) {
    most_served_points() = most;
    Transform<double> transform(reference(), spec);
    engine_log().clear();
    for (const std::int64_t count : {4, 4000, 5}) transform.set_points(uniform_points<double>(1, count));
    most_served_points() = std::numeric_limits<std::int64_t>::max();
    return engine_log();
  };
  EXPECT_EQ(log_of(10'000),
            (Log{"make", "set_points 4", "serves 4096", "set_points 4000", "serves 5", "set_points 5"}));
  EXPECT_EQ(log_of(100),
            (Log{"make", "set_points 4", "serves 4096", "make", "set_points 4000", "serves 5", "set_points 5"}));
}

TEST(Execute, the_present_engine_goes_on_where_there_is_no_memory_for_one_that_serves_better) {
  most_served_points() = 100;
  Transform<double> one_grid(reference(), {.modes = {30}, .options = {.upsampling = 2, .width = 8}});
  Transform<double> other_grids(reference(), {.type = 1, .modes = {30, 30}, .tolerance = 1e-9});
  const auto few = uniform_points<double>(1, 4), many = uniform_points<double>(1, 4000);
  one_grid.set_points(few);
  other_grids.set_points(uniform_points<double>(2, 4));
  engine_log().clear();
  no_memory_for_engines() = true;
  EXPECT_NO_THROW(one_grid.set_points(many));
  EXPECT_EQ(engine_log(), (Log{"serves 4096", "set_points 4000"}));
  EXPECT_EQ(status_of([&] { other_grids.set_points(uniform_points<double>(2, 4'000'000)); }), Status::out_of_memory);
  no_memory_for_engines() = false;
  most_served_points() = std::numeric_limits<std::int64_t>::max();
}

TEST(Execute, type_2_transforms_then_interpolates) {
  const auto transform = ready({.type = 2, .modes = {6}, .options = {.transforms = 3, .batch = 3}});
  (void)transform.execute(random_values<double>(18, 1));
  EXPECT_EQ(engine_log(), (Log{"lease 3", "from_modes+ 3", "interpolate 3"}));
}

TEST(Execute, adjoint_is_the_other_direction_with_the_opposite_sign) {
  for (const int sign : {-1, 1}) {
    const auto one = ready({.type = 1, .modes = {6}, .options = {.sign = sign}});
    (void)one.adjoint(random_values<double>(6, 1));
    EXPECT_EQ(engine_log(), (Log{"lease 1", sign < 0 ? "from_modes+ 1" : "from_modes- 1", "interpolate 1"}));
    const auto two = ready({.type = 2, .modes = {6}, .options = {.sign = sign}});
    (void)two.adjoint(random_values<double>(4, 1));
    EXPECT_EQ(engine_log(), (Log{"lease 1", "spread 1", sign < 0 ? "to_modes+ 1" : "to_modes- 1"}));
  }
}

TEST(Execute, spread_only_has_cells_in_place_of_modes) {
  const offgrid::Options options{.transforms = 3, .spread_only = true, .batch = 2};
  const auto one = ready({.type = 1, .modes = {16}, .options = options});
  (void)one.execute(random_values<double>(12, 1));
  EXPECT_EQ(engine_log(), (Log{"lease 2", "spread 2", "to_cells 2", "lease 1", "spread 1", "to_cells 1"}));
  const auto two = ready({.type = 2, .modes = {16}, .options = options});
  (void)two.execute(random_values<double>(48, 1));
  EXPECT_EQ(engine_log(),
            (Log{"lease 2", "from_cells 2", "interpolate 2", "lease 1", "from_cells 1", "interpolate 1"}));
}

TEST(Execute, a_batch_is_never_larger_than_the_transforms) {
  const auto transform = ready({.modes = {6}, .options = {.transforms = 2, .batch = 1000}});
  (void)transform.execute(random_values<double>(8, 1));
  EXPECT_EQ(engine_log().front(), "lease 2");
}

TEST(Plan, without_points_is_in_the_wrong_state) {
  const Transform<double> transform(reference(), {.modes = {6}});
  std::vector<std::complex<double>> values(6);
  EXPECT_EQ(status_of([&] { transform.plan().execute(values.data(), values.data(), nullptr); }), Status::wrong_state);
  EXPECT_EQ(status_of([&] { transform.plan().adjoint(values.data(), values.data(), nullptr); }), Status::wrong_state);
}

TEST(Plan, without_modes_or_without_points_needs_no_engine) {
  engine_log().clear();
  Transform<double> no_modes(reference(), {.modes = {0, 5}});
  no_modes.set_points(uniform_points<double>(2, 3));
  EXPECT_EQ(no_modes.adjoint({}), std::vector<std::complex<double>>(3));
  Transform<double> no_points(reference(), {.modes = {5}});
  no_points.set_points(uniform_points<double>(1, 0));
  EXPECT_EQ(no_points.execute({}), std::vector<std::complex<double>>(5));
  for (const auto& call : engine_log()) EXPECT_EQ(call, "set_points 0");
}

TEST(Plan, refused_points_leave_the_earlier_ones) {
  auto transform = ready({.modes = {6}, .tolerance = 1e-6});
  const auto bad = choose_from<double>({std::nan("")}, 1, 9);
  EXPECT_EQ(status_of([&] { transform.set_points(bad); }), Status::invalid_argument);
  EXPECT_EQ(transform.get("points"), 4);
  EXPECT_LE(measure(transform, uniform_points<double>(1, 4)).forward, 1e-6);
}

TEST(Plan, refuses_negative_counts_and_null_or_misaligned_arrays) {
  auto plan = offgrid::make_plan(problem_of<double>({.modes = {4, 4}}), {}, reference().backend);
  std::vector<double> x(5);
  const void* good = x.data();
  const void* odd = reinterpret_cast<const char*>(x.data()) + 1;
  const auto set = [&](std::int64_t count, const void* a, const void* b) {
    return status_of([&] { plan->set_points(count, {a, b, nullptr}, nullptr); });
  };
  EXPECT_EQ(set(-1, good, good), Status::invalid_argument);
  EXPECT_EQ(set(INT64_MAX, good, good), Status::invalid_argument);
  EXPECT_EQ(set(4, nullptr, good), Status::invalid_argument);
  EXPECT_EQ(set(4, good, nullptr), Status::invalid_argument);
  EXPECT_EQ(set(4, good, odd), Status::invalid_argument);
  EXPECT_EQ(set(0, nullptr, nullptr), Status::ok);
  EXPECT_EQ(set(4, good, good), Status::ok);
}

TEST(Plan, describes_its_engine_and_its_numbers) {
  const auto transform = ready({.modes = {6, 7}, .options = {.transforms = 3}});
  EXPECT_NE(transform.plan().describe().find("reference"), std::string::npos);
  EXPECT_EQ(transform.get("transforms"), 3);
  EXPECT_EQ(transform.get("points"), 4);
  EXPECT_GE(transform.get("grid1"), 6);
  EXPECT_GE(transform.get("grid2"), 7);
  EXPECT_EQ(transform.get("grid3"), 1);
  EXPECT_EQ(status_of([&] { (void)transform.get("colour"); }), Status::invalid_argument);
}

}  // namespace
