// The adjoint on a grid of its own (core/plan.hpp, Reverse): its engine takes the points of the plan's own engine, where they
// lie in the cells of another grid. Costs are such that the two directions always want different grids.
#include "streams.hpp"

namespace {

using namespace support;
using offgrid::Direction;

// To modes the narrowest kernel is the cheapest, to points the widest, by little where `base` is large.
BackendUnderTest with_opposite_costs(BackendUnderTest where, double base = 0) {
  where.backend.traits.kept_as = offgrid::text("costs of adjoint_test.cpp ", base);
  where.backend.traits.time = [base](const offgrid::TransformShape& shape) {
    const double width = shape.width;
    return base + (shape.direction == Direction::to_modes ? width : 20 - width);
  };
  return where;
}

class AdjointTest : public GpuTest {
 protected:
  [[nodiscard]] BackendUnderTest where() const { return with_opposite_costs(GpuTest::where()); }
};

const std::vector<Sizes> all_modes{{50}, {5000}, {33, 40}, {1, 60}, {14, 20, 17}};

template <class T> void expect_own_grid(const BackendUnderTest& where, const Spec& spec, std::int64_t count) {
  SCOPED_TRACE(offgrid::text(spec.name(), " points ", count, " bits ", 8 * sizeof(T)));
  const int dim = static_cast<int>(spec.modes.size());
  Transform<T> transform(where, spec);
  for (const unsigned seed : {3U, 4U}) {  // the second time it is there already
    const auto points = seed == 3 ? uniform_points<T>(dim, count) : points_between<T>(-9, 1e4, dim, count / 2, seed);
    transform.set_points(points);
    const double before = transform.get("memory_bytes");
    for (int call = 0; call < 3; ++call) {  // the second one changes the grid
      const Errors errors = measure(transform, points, seed);
      EXPECT_LE(errors.forward, spec.tolerance) << call;
      EXPECT_LE(errors.adjoint, spec.tolerance) << call;
    }
    if (seed == 3) {
      EXPECT_GT(transform.get("memory_bytes"), before) << transform.plan().describe();
    }
  }
}

TEST_F(AdjointTest, keeps_the_tolerance_on_its_own_grid) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const std::vector<double> tolerances = sizeof(T) == 4 ? std::vector{1e-2, 1e-5} : std::vector{1e-4, 1e-13};
    for (const int type : {1, 2})
      for (const Sizes& modes : all_modes)
        for (const double tolerance : tolerances)
          expect_own_grid<T>(
              where(), {.type = type, .modes = modes, .tolerance = tolerance, .options = {.transforms = 2}}, 3000);
  });
}

// A 3D adjoint of 16 vectors on the plan's grid took 28 % longer than a plan of the other type, where the model had 1 %.
TEST_F(AdjointTest, has_its_own_grid_where_the_costs_are_almost_the_same) {
  const BackendUnderTest almost_equal = with_opposite_costs(GpuTest::where(), 1e4);
  for (const int type : {1, 2}) {
    expect_own_grid<float>(almost_equal, {.type = type, .modes = {14, 20, 17}, .tolerance = 1e-4}, 3000);
    expect_own_grid<double>(almost_equal, {.type = type, .modes = {33, 40}, .tolerance = 1e-8}, 3000);
  }
}

// As many points as make the sort move them in several passes, against a plan of the other type.
TEST_F(AdjointTest, of_many_points_is_the_other_type) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t count = 300'000;
    for (const Sizes& modes : {Sizes{100'000}, Sizes{300, 500}, Sizes{50, 60, 70}})
      for (const int type : {1, 2}) {
        const auto points = uniform_points<T>(static_cast<int>(modes.size()), count);
        const Spec own{.type = type, .modes = modes, .tolerance = usual_tolerance<T>, .options = {.sign = 1}};
        const Spec other{.type = 3 - type, .modes = modes, .tolerance = usual_tolerance<T>, .options = {.sign = -1}};
        Transform<T> transform(where(), own), truth(where(), other);
        transform.set_points(points);
        truth.set_points(points);
        const auto in = random_values<T>(transform.size_of(own.forward()), 5);
        const auto expected = truth.execute(in);
        for (int call = 0; call < 3; ++call)
          EXPECT_LE(relative_error(transform.adjoint(in), expected), 2 * own.tolerance) << own.name();
      }
  });
}

TEST_F(AdjointTest, that_is_captured_first_takes_the_grid_of_the_plan) {
  const Spec spec{.type = 1, .modes = {40, 30}, .tolerance = 1e-9};
  Transform<double> transform(where(), spec);
  const auto points = uniform_points<double>(2, 2000);
  transform.set_points(points);
  const auto in = random_values<double>(1200, 5);
  DeviceArray<std::complex<double>> modes(where(), in), strengths(where(), std::vector<std::complex<double>>(2000));
  const OwnStream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check_gpu(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  transform.plan().adjoint(strengths.data(), modes.data(), static_cast<cudaStream_t>(stream));
  check_gpu(cudaStreamEndCapture(stream, &graph));
  check_gpu(cudaGraphInstantiate(&ready, graph, 0));
  check_gpu(cudaGraphLaunch(ready, stream));
  stream.wait();
  EXPECT_LE(error_of<double>(spec.backward(), spec.adjoint_sum(), points, in, strengths.host()), spec.tolerance);
  check_gpu(cudaGraphExecDestroy(ready));
  check_gpu(cudaGraphDestroy(graph));
  for (int call = 0; call < 3; ++call) EXPECT_LE(measure(transform, points).adjoint, spec.tolerance);
}

// There was room for results of the earlier, fewer points alone, and a captured execute makes no more: it wrote past the end.
TEST_F(AdjointTest, that_is_captured_after_more_points_have_come_has_room_for_its_results) {
  const Spec spec{.type = 1, .modes = {60, 50}, .tolerance = 1e-4};
  constexpr std::int64_t count = 4'500'000, more = 5'500'000;  // both have the same design, and gather their results
  Transform<float> transform(GpuTest::where(), spec);
  const auto in = random_values<float>(3000, 5);
  transform.set_points(uniform_points<float>(2, count));
  (void)transform.adjoint(in);
  transform.set_points(uniform_points<float>(2, more));
  DeviceArray<std::complex<float>> modes(where(), in), strengths(where(), std::vector<std::complex<float>>(more));
  const OwnStream stream;
  const CapturedCalls captured(
      stream, [&] { transform.plan().adjoint(strengths.data(), modes.data(), static_cast<cudaStream_t>(stream)); });
  check_gpu(cudaDeviceSynchronize());
  captured.launch();
  stream.wait();
  EXPECT_LE(relative_error(strengths.host(), transform.adjoint(in)), 2 * spec.tolerance);
}

}  // namespace
