// The inverse and density weights on a GPU: streams, arrays of the host, agreement with the CPU, and calls that fail.
#include "core/solve/density.hpp"
#include "core/solve/inverse.hpp"
#include "cuda/check.hpp"
#include "streams.hpp"

namespace {

using namespace support;

class GpuSolveTest : public GpuTest {};

constexpr std::int64_t count = 2000, side = 16;

// A problem whose arrays are where the backend can reach them.
template <class T> struct Problem {
  using Vector = std::vector<std::complex<T>>;
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();

  explicit Problem(const BackendUnderTest& there)
      : where(there),
        x(where, set.axis[0]),
        y(where, set.axis[1]),
        values(where, random_values<T>(count, 3)),
        modes(where, Vector(side * side, {nan, nan})),
        weights(where, std::vector<T>(count, nan)) {}

  void invert(cudaStream_t stream, const offgrid::Iteration& iteration) {
    asked.points = points();
    if (asked.values == nullptr) asked.values = values.data();
    asked.weights = weights.data();
    asked.iteration = iteration;
    offgrid::invert(problem_of<T>(spec), spec.options, where.backend, asked, modes.data(), stream);
  }
  void find_weights(cudaStream_t stream, const offgrid::Iteration& iteration) {
    offgrid::find_density_weights(problem_of<T>(spec), spec.options, where.backend, points(), iteration, weights.data(),
                                  stream);
  }
  [[nodiscard]] offgrid::RawPoints points() { return {.count = count, .axes = {x.data(), y.data(), nullptr}}; }

  BackendUnderTest where;
  PointSet<T> set = uniform_points<T>(2, count);
  Spec spec{.modes = {side, side}, .tolerance = usual_tolerance<T>, .options = {.deterministic = true}};
  DeviceArray<T> x, y;
  DeviceArray<std::complex<T>> values, modes;
  DeviceArray<T> weights;
  offgrid::LeastSquares asked{};
};

TEST_F(GpuSolveTest, is_that_of_the_cpu) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    Problem<T> here(where()), there({"cpu", offgrid::backend_for(offgrid::DeviceKind::cpu)});
    for (Problem<T>* problem : {&here, &there}) {
      problem->find_weights(nullptr, {.steps = 5});
      problem->invert(nullptr, {.steps = 5});
    }
    EXPECT_LE(relative_error(here.modes.host(), there.modes.host()), 100 * usual_tolerance<T>);
  });
}

// Sums are added up in a fixed order, watched or not, on any stream.
TEST_F(GpuSolveTest, repeats_itself_on_any_stream) {
  const OwnStream stream;
  Problem<float> problem(where());
  problem.find_weights(nullptr, {.steps = 5});
  problem.invert(nullptr, {.steps = 5});
  const auto weights = problem.weights.host();
  const auto modes = problem.modes.host();
  int seen = 0;
  problem.find_weights(stream, {.steps = 5, .report = [&](std::int64_t, double) { return ++seen > 100; }});
  problem.invert(stream, {.steps = 5, .report = [&](std::int64_t, double) { return ++seen > 100; }});
  stream.wait();
  EXPECT_EQ(seen, 10);
  EXPECT_EQ(problem.weights.host(), weights);
  EXPECT_EQ(problem.modes.host(), modes);
}

TEST_F(GpuSolveTest, arrays_of_the_host_are_refused) {
  Problem<double> problem(where());
  problem.find_weights(nullptr, {.steps = 1});
  const std::vector<std::complex<double>> host(count);
  problem.asked.values = host.data();
  try {
    problem.invert(nullptr, {.steps = 1});
    FAIL() << "nothing was refused";
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), offgrid::Status::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("values"), std::string::npos) << error.what();
  }
}

// Every call of CUDA that fails is an error, and the next solve is right.
TEST_F(GpuSolveTest, survives_calls_that_fail) {
  Problem<float> problem(where());
  problem.find_weights(nullptr, {.steps = 2});
  const auto goes_on = [](std::int64_t, double) { return false; };
  const auto solve = [&] { problem.invert(nullptr, {.steps = 2, .report = goes_on}); };
  solve();
  const auto expected = problem.modes.host();
  bool failed = true;
  for (long number = 0; failed && number < 1000; ++number) {
    offgrid::cuda::calls_until_failure = number;
    try {
      solve();
    } catch (const offgrid::Error&) {
    }
    failed = offgrid::cuda::calls_until_failure.exchange(-1) < 0;
    solve();
    EXPECT_EQ(problem.modes.host(), expected) << number;
  }
}

}  // namespace
