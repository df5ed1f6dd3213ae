// Spread only and interpolate only on a GPU: graphs that the caller captures, workspaces of the caller's and equal bits
// in every run, alone and together. Cells that begin at a multiple of 256 bytes are worked on where they are, others
// are copied.
#include "streams.hpp"

namespace {

using namespace support;
using offgrid::Status;

class CellsOnGpuTest : public GpuTest {};

// Grids of all dimensions; in 2D and 3D the deterministic mode adds integers, in 1D it has owners.
const std::vector<Sizes> grids{{97}, {31, 20}, {17, 19, 16}};

// Two batches and a rest.
template <class T> Spec cells_spec(int type, const Sizes& cells, offgrid::Options options = {}) {
  options.spread_only = true;
  options.transforms = 5;
  options.batch = 2;
  return {.type = type, .modes = cells, .tolerance = usual_tolerance<T>, .options = options};
}

template <class T> PointSet<T> points_for(const Sizes& cells, std::int64_t count = 300) {
  return uniform_points<T>(static_cast<int>(cells.size()), count);
}

// Calls body(T{}, type, cells) for every precision, type and grid.
template <class Body> void for_all(Body body) {
  for_both_precisions([&](auto zero) {
    for (const int type : {1, 2})
      for (const Sizes& cells : grids) {
        SCOPED_TRACE(cells_spec<decltype(zero)>(type, cells).name());
        body(zero, type, cells);
      }
  });
}

TEST_F(CellsOnGpuTest, execute_is_captured_and_replayed) {
  for_all([&](auto zero, int type, const Sizes& cells) {
    using T = decltype(zero);
    GpuPlan<T> plan(where(), cells_spec<T>(type, cells), points_for<T>(cells));
    OwnStream stream;
    plan.set_points(stream);
    const CapturedExecute captured(plan, stream);
    expect_replays_keep(usual_tolerance<T>, captured, plan, stream);
    plan.execute(stream);  // and the plan goes on without the graph
    stream.wait();
    EXPECT_LE(plan.error(), usual_tolerance<T>);
  });
}

// The array of cells begins one value behind an aligned address, so that a grid of the plan's is between.
TEST_F(CellsOnGpuTest, execute_is_captured_with_cells_that_are_not_aligned) {
  for_all([&](auto zero, int type, const Sizes& cells) {
    using T = decltype(zero);
    using Complex = std::complex<T>;
    GpuPlan<T> plan(where(), cells_spec<T>(type, cells), points_for<T>(cells));
    OwnStream stream;
    plan.set_points(stream);
    const std::size_t values = 5 * static_cast<std::size_t>(product(cells));
    DeviceArray<Complex> shifted(where(), std::vector<Complex>(values + 1));
    const auto copy = [&](Complex* to, const Complex* from) {
      check_gpu(cudaMemcpyAsync(to, from, values * sizeof(Complex), cudaMemcpyDeviceToDevice, stream));
    };
    const CapturedCalls captured(stream, [&] {
      if (type == 2) copy(shifted.data() + 1, plan.source());
      plan.plan().execute(type == 1 ? plan.source() : plan.target(), shifted.data() + 1, stream);
      if (type == 1) copy(plan.target(), shifted.data() + 1);
    });
    expect_replays_keep(usual_tolerance<T>, captured, plan, stream);
  });
}

TEST_F(CellsOnGpuTest, deterministic_results_repeat_their_bits_and_are_captured) {
  for_all([&](auto zero, int type, const Sizes& cells) {
    using T = decltype(zero);
    for (const double tolerance : {usual_tolerance<T>, sizeof(T) == 4 ? 1e-3 : 1e-12}) {
      Spec spec = cells_spec<T>(type, cells, {.deterministic = true});
      spec.tolerance = tolerance;
      GpuPlan<T> plan(where(), spec, points_for<T>(cells, 3000)), other(where(), spec, points_for<T>(cells, 3000));
      OwnStream stream;
      plan.set_points(stream);
      other.set_points(stream);
      const CapturedExecute captured(plan, stream);
      other.execute(stream);
      stream.wait();
      EXPECT_LE(other.error(), tolerance);
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
    }
  });
}

// Plain and deterministic, whose integers are added up in the workspace.
TEST_F(CellsOnGpuTest, the_caller_may_own_the_workspace_and_capture_it) {
  for_all([&](auto zero, int type, const Sizes& cells) {
    using T = decltype(zero);
    for (const bool deterministic : {false, true}) {
      const Spec spec = cells_spec<T>(type, cells, {.deterministic = deterministic});
      GpuPlan<T> plan(where(), spec, points_for<T>(cells));
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

TEST_F(CellsOnGpuTest, a_workspace_that_does_not_serve_is_refused) {
  const Spec spec = cells_spec<float>(1, {31, 20});
  const auto unset = offgrid::make_plan(problem_of<float>(spec), spec.options, where().backend);
  GpuPlan<float> plan(where(), spec, points_for<float>(spec.modes));
  plan.set_points();
  CallersWorkspace<float> workspace(where(), plan);
  const auto message = [&](Status status, offgrid::AnyPlan& of, char* memory, std::size_t bytes) {
    return refusal(status, [&] { of.set_workspace(memory, bytes); });
  };
  const std::string early = message(Status::wrong_state, *unset, workspace.data(), workspace.bytes());
  EXPECT_NE(early.find("call set_points first"), std::string::npos) << early;
  const std::string small = message(Status::invalid_argument, plan.plan(), workspace.data(), workspace.bytes() - 1);
  EXPECT_NE(small.find(offgrid::text("expected ", workspace.bytes())), std::string::npos) << small;
  const std::string odd = message(Status::invalid_argument, plan.plan(), workspace.data() + 8, workspace.bytes());
  EXPECT_NE(odd.find("not aligned to 256 bytes"), std::string::npos) << odd;
  plan.execute();
  EXPECT_LE(plan.error(), usual_tolerance<float>);
}

// The grid of such a plan never changes, but points that crowd in a cell are added up in f64, which takes a larger one.
TEST_F(CellsOnGpuTest, crowded_points_are_refused_with_a_workspace_that_is_too_small_for_them) {
  constexpr std::int64_t crowded_count = 1'000'000;
  const Spec spec = cells_spec<float>(1, {31, 20});
  GpuPlan<float> plan(where(), spec, points_for<float>(spec.modes));
  plan.set_points();
  const auto crowd = make_points<float>(2, crowded_count, [](std::int64_t) { return 0.3; });
  DeviceArray<float> x(where(), crowd.axis[0]), y(where(), crowd.axis[1]);
  const auto set_crowd = [&] { plan.plan().set_points(crowded_count, {x.data(), y.data()}, nullptr); };
  {
    const CallersWorkspace<float> workspace(where(), plan);
    const std::string message = refusal(Status::wrong_state, set_crowd);
    EXPECT_NE(message.find("need a larger workspace"), std::string::npos) << message;
    plan.set_points();
    plan.execute();
    EXPECT_LE(plan.error(), usual_tolerance<float>);
  }
  EXPECT_NO_THROW(set_crowd());
}

// Owners add up a cell in f64 and round it once, so that they need no grid of f64 at tolerances that f32 sums would miss,
// wherever the points are.
TEST_F(CellsOnGpuTest, owners_write_cells_of_f32_at_tight_tolerances) {
  for (const Sizes& cells : {Sizes{31, 20}, Sizes{17, 19, 16}}) {
    const int dim = static_cast<int>(cells.size());
    Spec spec = cells_spec<float>(1, cells, {.method = offgrid::Method::owner});
    spec.tolerance = 1e-6;
    for (const auto& points :
         {uniform_points<float>(dim, 300), make_points<float>(dim, 5000, [](auto) { return 0.3; })}) {
      GpuPlan<float> plan(where(), spec, points);
      plan.set_points();
      plan.execute();
      EXPECT_LE(plan.error(), spec.tolerance) << spec.name();
      EXPECT_EQ(plan.plan().describe().find("sums in f64"), std::string::npos) << plan.plan().describe();
    }
  }
}

}  // namespace
