// Plans that sum short axes exactly (core/short_axes.hpp) on a GPU: graphs that the caller captures, workspaces of the
// caller's, which hold the grid of the other axes, and equal bits in every run. Axes of one mode are left out of the
// grid.
#include "plain_costs.hpp"
#include "streams.hpp"

namespace {

using namespace support;
using offgrid::Status;

class ShortAxesOnGpuTest : public GpuTest {
 protected:
  [[nodiscard]] BackendUnderTest where() const { return with_plain_costs(GpuTest::where()); }
};

constexpr std::int64_t point_count = 24;

// With short axes in every place, by lines and by cuFFT; the last two have an axis of one mode.
const std::vector<Sizes> split_modes{{2, 64, 64}, {64, 3, 64}, {64, 64, 2}, {2, 2, 5000}, {3, 5000, 2}, {5000, 2, 1}};
const Sizes one_mode{1, 64, 64};

template <class T> Spec spec_of(int type, const Sizes& modes, offgrid::Options options = {}) {
  options.transforms = 2;
  return {.type = type, .modes = modes, .tolerance = usual_tolerance<T>, .options = options};
}

template <class T> void expect_split_as_meant(GpuPlan<T>& plan, const Sizes& modes) {
  EXPECT_EQ(is_split(plan.plan()), modes != one_mode) << plan.plan().describe();
}

// Calls body(T{}, type, modes) for every precision, type and size.
template <class Body> void for_all(Body body) {
  std::vector<Sizes> all = split_modes;
  all.push_back(one_mode);
  for_both_precisions([&](auto zero) {
    for (const int type : {1, 2})
      for (const Sizes& modes : all) {
        SCOPED_TRACE(spec_of<decltype(zero)>(type, modes).name());
        body(zero, type, modes);
      }
  });
}

TEST_F(ShortAxesOnGpuTest, execute_is_captured_and_replayed) {
  for_all([&](auto zero, int type, const Sizes& modes) {
    using T = decltype(zero);
    GpuPlan<T> plan(where(), spec_of<T>(type, modes), uniform_points<T>(3, point_count));
    expect_split_as_meant(plan, modes);
    OwnStream stream;
    plan.set_points(stream);
    const CapturedExecute captured(plan, stream);
    expect_replays_keep(usual_tolerance<T>, captured, plan, stream);
    plan.execute(stream);  // and the plan goes on without the graph
    stream.wait();
    EXPECT_LE(plan.error(), usual_tolerance<T>);
  });
}

TEST_F(ShortAxesOnGpuTest, deterministic_results_repeat_their_bits_and_are_captured) {
  for_all([&](auto zero, int type, const Sizes& modes) {
    using T = decltype(zero);
    const Spec spec = spec_of<T>(type, modes, {.deterministic = true});
    const auto points = uniform_points<T>(3, point_count);
    GpuPlan<T> plan(where(), spec, points), other(where(), spec, points);
    expect_split_as_meant(plan, modes);
    OwnStream stream;
    plan.set_points(stream);
    other.set_points(stream);
    const CapturedExecute captured(plan, stream);
    other.execute(stream);
    stream.wait();
    EXPECT_LE(other.error(), usual_tolerance<T>);
    const auto expected = other.result();
    for (int round = 0; round < 3; ++round) {
      plan.clear_result();
      check_gpu(cudaDeviceSynchronize());
      captured.launch();
      stream.wait();
      EXPECT_EQ(plan.result(), expected) << "replay " << round;
      plan.clear_result();
      check_gpu(cudaDeviceSynchronize());
      plan.execute(stream);
      stream.wait();
      EXPECT_EQ(plan.result(), expected) << "execute " << round;
    }
  });
}

TEST_F(ShortAxesOnGpuTest, the_caller_may_own_the_workspace_and_capture_it) {
  for_all([&](auto zero, int type, const Sizes& modes) {
    using T = decltype(zero);
    for (const bool deterministic : {false, true}) {
      const Spec spec = spec_of<T>(type, modes, {.deterministic = deterministic});
      GpuPlan<T> plan(where(), spec, uniform_points<T>(3, point_count));
      expect_split_as_meant(plan, modes);
      OwnStream stream;
      plan.set_points(stream);
      plan.execute(stream);
      stream.wait();
      const auto without = plan.result();
      {
        const CallersWorkspace<T> workspace(where(), plan);
        const CapturedExecute captured(plan, stream);
        captured.launch();
        stream.wait();
        if (deterministic) {
          EXPECT_EQ(plan.result(), without);
        }
        expect_replays_keep(usual_tolerance<T>, captured, plan, stream);
        plan.clear_result();
        check_gpu(cudaDeviceSynchronize());
        plan.execute(stream);
        stream.wait();
        EXPECT_LE(plan.error(), usual_tolerance<T>);
      }
      plan.execute(stream);
      stream.wait();
      EXPECT_LE(plan.error(), usual_tolerance<T>);
    }
  });
}

// Phases and products stay the plan's own: with a workspace of the caller's, memory_bytes has them and no grid.
TEST_F(ShortAxesOnGpuTest, phases_and_products_are_not_part_of_the_workspace) {
  const Spec spec{.modes = {64, 64, 2}, .tolerance = 1e-9};
  GpuPlan<double> plan(where(), spec, uniform_points<double>(3, 5000));
  GpuPlan<double> slice(where(), {.modes = {64, 64}, .tolerance = 1e-9, .options = {.transforms = 2}},
                        uniform_points<double>(2, 5000));
  ASSERT_TRUE(is_split(plan.plan())) << plan.plan().describe();
  plan.set_points();
  slice.set_points();
  EXPECT_EQ(plan.plan().get("workspace_bytes"), slice.plan().get("workspace_bytes"));
  const CallersWorkspace<double> workspace(where(), plan);
  EXPECT_GE(plan.plan().get("memory_bytes"), 3 * 5000 * sizeof(std::complex<double>));  // a phase, and two products
  plan.execute();
  EXPECT_LE(plan.error(), 1e-9);
}

TEST_F(ShortAxesOnGpuTest, a_workspace_that_does_not_serve_is_refused) {
  const Spec spec = spec_of<float>(1, {2, 64, 64});
  const auto unset = offgrid::make_plan(problem_of<float>(spec), spec.options, where().backend);
  ASSERT_TRUE(is_split(*unset)) << unset->describe();
  GpuPlan<float> plan(where(), spec, uniform_points<float>(3, point_count));
  plan.set_points();
  CallersWorkspace<float> workspace(where(), plan);
  const std::string early =
      refusal(Status::wrong_state, [&] { unset->set_workspace(workspace.data(), workspace.bytes()); });
  EXPECT_NE(early.find("call set_points first"), std::string::npos) << early;
  const std::string small =
      refusal(Status::invalid_argument, [&] { plan.plan().set_workspace(workspace.data(), workspace.bytes() - 1); });
  EXPECT_NE(small.find(offgrid::text("expected ", workspace.bytes())), std::string::npos) << small;
  plan.execute();
  EXPECT_LE(plan.error(), usual_tolerance<float>);
}

// With the workspace of few points a grid that suits many more is refused, and the earlier points stay in force.
TEST_F(ShortAxesOnGpuTest, points_that_need_another_grid_are_refused_with_a_workspace) {
  constexpr std::int64_t many_points = 1'000'000;
  const Spec spec{.modes = {2, 64, 64}, .tolerance = 1e-9};
  GpuPlan<double> plan(where(), spec, uniform_points<double>(3, point_count));
  ASSERT_TRUE(is_split(plan.plan())) << plan.plan().describe();
  plan.set_points();
  const auto many = uniform_points<double>(3, many_points);
  DeviceArray<double> x(where(), many.axis[0]), y(where(), many.axis[1]), z(where(), many.axis[2]);
  const auto set_many = [&] { plan.plan().set_points(many_points, {x.data(), y.data(), z.data()}, nullptr); };
  {
    const CallersWorkspace<double> workspace(where(), plan);
    const std::string message = refusal(Status::wrong_state, set_many);
    EXPECT_NE(message.find("need another grid and workspace"), std::string::npos) << message;
    plan.execute();
    EXPECT_LE(plan.error(), spec.tolerance);
  }
  EXPECT_NO_THROW(set_many());
}

}  // namespace
