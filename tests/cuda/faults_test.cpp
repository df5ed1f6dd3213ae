// What can go wrong on a GPU: pointers of the wrong kind, and calls that fail, each in turn. A refused call changes
// nothing, and memory stays where it was.
#include <set>

#include "core/execute.hpp"
#include "cuda/check.hpp"
#include "cuda/fft/stockham_plan.hpp"
#include "streams.hpp"

namespace {

using namespace support;
using offgrid::Method;
using offgrid::Status;

class FaultsTest : public GpuTest {};

template <class Call> Status status_of(Call&& call) {
  try {
    call();
    return Status::ok;
  } catch (const offgrid::Error& error) {
    return error.status();
  }
}

// The outcome of a call of which one call of CUDA or cuFFT was made to fail.
struct Outcome {
  Status status = Status::ok;
  bool failed = false;  // false: it made fewer calls
  std::string what;     // the call that the message names
};

template <class Call> Outcome fail_at(long number, Call&& call) {
  Outcome outcome;
  offgrid::cuda::calls_until_failure = number;
  try {
    call();
  } catch (const offgrid::Error& error) {
    const std::string message = error.what();
    outcome.status = error.status();
    outcome.what = message.substr(0, message.find(": "));
  }
  outcome.failed = offgrid::cuda::calls_until_failure < 0;
  offgrid::cuda::calls_until_failure = -1;
  return outcome;
}

template <class Call> long calls_of(Call&& call) {
  constexpr long many = 1'000'000;
  offgrid::cuda::calls_until_failure = many;
  call();
  return many - offgrid::cuda::calls_until_failure.exchange(-1);
}

// Calls body(outcome, number) with each call of `call` made to fail, one after the other, until none is left.
template <class Call, class Body> void for_every_failure(Call&& call, Body&& body) {
  for (long number = 0;; ++number) {
    ASSERT_LT(number, 10000);
    const Outcome outcome = fail_at(number, call);
    if (!outcome.failed) return;
    body(outcome, number);
  }
}

void expect_all_of(const std::set<std::string>& names, const std::set<std::string>& wanted) {
  for (const std::string& name : wanted) EXPECT_TRUE(names.count(name) == 1) << "no failure of: " << name;
}

const std::set<std::string> cufft_calls{"FFT plan", "FFT work area", "FFT stream", "FFT"};

std::size_t free_memory() {
  std::size_t now = 0, all = 0;
  offgrid::release_memory();  // that plans left for later ones
  check_gpu(cudaDeviceSynchronize());
  check_gpu(cudaMemGetInfo(&now, &all));
  return now;
}

TEST_F(FaultsTest, pointers_of_the_wrong_kind_are_refused) {
  const auto cpu = offgrid::backend_for(offgrid::DeviceKind::cpu);
  const auto problem = problem_of<double>({.modes = {8}});
  auto here = offgrid::make_plan(problem, {}, cpu), there = offgrid::make_plan(problem, {}, where().backend);
  std::vector<double> x(5, 0.5);
  std::vector<std::complex<double>> c(5), f(8);
  DeviceArray<double> gx(where(), x);
  DeviceArray<std::complex<double>> gc(where(), c), gf(where(), f);
  EXPECT_EQ(status_of([&] { here->set_points(5, {gx.data()}, nullptr); }), Status::invalid_argument);
  EXPECT_EQ(status_of([&] { there->set_points(5, {x.data()}, nullptr); }), Status::invalid_argument);
  here->set_points(5, {x.data()}, nullptr), there->set_points(5, {gx.data()}, nullptr);
  EXPECT_EQ(status_of([&] { here->execute(gc.data(), f.data(), nullptr); }), Status::invalid_argument);
  EXPECT_EQ(status_of([&] { here->execute(c.data(), gf.data(), nullptr); }), Status::invalid_argument);
  EXPECT_EQ(status_of([&] { there->execute(c.data(), gf.data(), nullptr); }), Status::invalid_argument);
  EXPECT_EQ(status_of([&] { there->execute(gc.data(), f.data(), nullptr); }), Status::invalid_argument);
  here->execute(c.data(), f.data(), nullptr), there->execute(gc.data(), gf.data(), nullptr);
}

TEST_F(FaultsTest, points_that_are_not_finite_are_refused) {
  Transform<float> transform(where(), {.modes = {9, 9}, .tolerance = 1e-5});
  const auto good = uniform_points<float>(2, 200);
  transform.set_points(good);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto points = uniform_points<float>(2, 1000, 9);
    points.axis[1][777] = bad;
    EXPECT_EQ(status_of([&] { transform.set_points(points); }), Status::invalid_argument);
    transform.set_points(good);
    EXPECT_LE(measure(transform, good).forward, 1e-5);
  }
}

// A plan from its first call to its last execute: of a batch of two vectors and a rest, so that cuFFT has two plans.
class Life {
 public:
  Life(const BackendUnderTest& where, const Sizes& modes, Method method)
      : where_(where),
        spec_{.modes = modes, .tolerance = 1e-9, .options = {.transforms = 3, .batch = 2, .method = method}},
        points_(uniform_points<double>(static_cast<int>(modes.size()), 100)) {}

  [[nodiscard]] double error_after(int executes) const {
    offgrid::release_memory();  // so that tables are made anew
    GpuPlan<double> plan(where_, spec_, points_);
    plan.set_points();
    for (int time = 0; time < executes; ++time) plan.execute();
    return plan.error();
  }
  [[nodiscard]] const Spec& spec() const { return spec_; }

 private:
  const BackendUnderTest& where_;
  Spec spec_;
  PointSet<double> points_;
};

// Every call of CUDA and cuFFT in the life of a plan, made to fail one after the other. Each is an error, but for two
// kinds: set_points waits for its stream where it cannot record its event, and an execute goes without a graph where none
// can be made. The first execute makes no graph, and one with cuFFT never does.
TEST_F(FaultsTest, every_call_may_fail) {
  std::vector<std::pair<Sizes, Method>> cases{{{9, 10, 11}, Method::automatic}, {{9, 10, 11}, Method::sm}};
  for (const Sizes& modes : long_modes) cases.emplace_back(modes, Method::automatic);
  for (const auto& [modes, method] : cases) {
    const Life life(where(), modes, method);
    const bool by_cufft = *std::max_element(modes.begin(), modes.end()) > offgrid::cuda::longest_line;
    SCOPED_TRACE(life.spec().name());
    EXPECT_LE(life.error_after(4), life.spec().tolerance);
    const std::size_t before = free_memory();
    const long without_graphs = calls_of([&] { (void)life.error_after(1); });
    std::set<std::string> names;
    long survived_early = 0, survived_graphs = 0;
    double error = 0;
    const auto live = [&] { error = life.error_after(4); };
    for_every_failure(live, [&](const Outcome& outcome, long number) {
      names.insert(outcome.what);
      if (outcome.status == Status::ok) {
        ++(number < without_graphs ? survived_early : survived_graphs);
        EXPECT_LE(error, life.spec().tolerance) << number;
      } else {
        EXPECT_EQ(outcome.status, Status::out_of_memory) << number;
      }
    });
    EXPECT_EQ(survived_early, 1);  // the event of set_points
    EXPECT_EQ(survived_graphs > 0, !by_cufft) << survived_graphs;
    expect_all_of(names, {"device memory", "tables", "event", "pointer attributes", "sort", "stream"});
    expect_all_of(names, by_cufft ? cufft_calls : std::set<std::string>{"FFT"});
    EXPECT_LE(life.error_after(4), life.spec().tolerance);
    EXPECT_GE(free_memory() + (std::size_t{4} << 20), before);
  }
}

// The plan goes on after an execute that failed, whatever it failed of; also in memory of the caller's.
TEST_F(FaultsTest, a_failed_execute_leaves_the_plan_as_it_was) {
  for (const Sizes& modes : std::vector<Sizes>{{9, 10}, {10, 4200}, {4200, 9}, {10, 9, 4200}})
    for (const bool callers_memory : {false, true}) {
      const Spec spec{.modes = modes, .tolerance = 1e-9, .options = {.transforms = 3, .batch = 2}};
      SCOPED_TRACE(offgrid::text(spec.name(), callers_memory ? " in the caller's memory" : ""));
      GpuPlan<double> plan(where(), spec, uniform_points<double>(static_cast<int>(modes.size()), 100));
      plan.set_points();
      const auto bytes = static_cast<std::size_t>(plan.plan().get("workspace_bytes"));
      DeviceArray<char> memory(where(), std::vector<char>(bytes));
      if (callers_memory) plan.plan().set_workspace(memory.data(), bytes);
      plan.execute();
      std::set<std::string> names;
      for_every_failure([&] { plan.execute(); },
                        [&](const Outcome& outcome, long number) {
                          names.insert(outcome.what);
                          plan.clear_result();
                          plan.execute();
                          EXPECT_LE(plan.error(), spec.tolerance) << outcome.what << " " << number;
                        });
      expect_all_of(names, {"pointer attributes", "current device", "stream"});
      if (modes[0] != 9) expect_all_of(names, {"FFT stream", "FFT", "deconvolution"});  // by cuFFT
    }
}

// On a stream that is not the one of the points, for which it waits by an event.
TEST_F(FaultsTest, a_failed_execute_on_another_stream_leaves_the_plan_as_it_was) {
  const Spec spec{.modes = {4200, 9}, .tolerance = 1e-9};
  GpuPlan<double> plan(where(), spec, uniform_points<double>(2, 100));
  plan.set_points();
  const auto bytes = static_cast<std::size_t>(plan.plan().get("workspace_bytes"));
  DeviceArray<char> memory(where(), std::vector<char>(bytes));
  plan.plan().set_workspace(memory.data(), bytes);
  const OwnStream stream;
  std::set<std::string> names;
  for_every_failure(
      [&] {
        plan.execute();
        plan.execute(stream);
      },
      [&](const Outcome& outcome, long number) {
        names.insert(outcome.what);
        plan.clear_result();
        plan.execute(stream);
        EXPECT_LE(plan.error(), spec.tolerance) << outcome.what << " " << number;
      });
  expect_all_of(names, {"event", "stream", "FFT"});
}

TEST_F(FaultsTest, a_failed_set_workspace_leaves_the_plan_as_it_was) {
  const Spec spec{.modes = {4200, 9}, .tolerance = 1e-9, .options = {.transforms = 3, .batch = 2}};
  GpuPlan<double> plan(where(), spec, uniform_points<double>(2, 100));
  plan.set_points();
  const auto bytes = static_cast<std::size_t>(plan.plan().get("workspace_bytes"));
  DeviceArray<char> memory(where(), std::vector<char>(bytes));
  std::set<std::string> names;
  for_every_failure([&] { plan.plan().set_workspace(memory.data(), bytes); },
                    [&](const Outcome& outcome, long number) {
                      names.insert(outcome.what);
                      EXPECT_EQ(outcome.status, Status::out_of_memory);
                      plan.clear_result();
                      plan.execute();
                      EXPECT_LE(plan.error(), spec.tolerance) << outcome.what << " " << number;
                    });
  expect_all_of(names, {"FFT plan", "FFT work area", "waiting for the device"});
  plan.execute();
  EXPECT_LE(plan.error(), spec.tolerance);
}

// Every call of set_points made to fail, each in a new plan, since memory that was taken once is kept for the next time.
// It either throws and leaves the earlier points, or has set the new ones. Returns how many failures it did without.
template <class T>
long expect_strong_guarantee(const BackendUnderTest& where, const Spec& spec, const PointSet<T>& few,
                             const PointSet<T>& many, const std::set<std::string>& calls) {
  SCOPED_TRACE(spec.name());
  PlacedPoints<T> placed(where, many);
  std::set<std::string> names;
  bool failed = true;
  long survived = 0;
  for (long number = 0; failed && number < 1000; ++number) {
    offgrid::release_memory();  // so that the same calls are made each time
    Transform<T> transform(where, spec);
    transform.set_points(few);
    const Outcome outcome = fail_at(number, [&] { transform.set_points_at(placed.raw(), many.count()); });
    failed = outcome.failed;
    names.insert(outcome.what);
    if (failed && outcome.status == Status::ok) ++survived;
    const PointSet<T>& set = outcome.status == Status::ok ? many : few;
    EXPECT_EQ(transform.get("points"), static_cast<double>(set.count())) << outcome.what << " " << number;
    EXPECT_LE(measure(transform, set).forward, spec.tolerance) << outcome.what << " " << number;
  }
  EXPECT_FALSE(failed);
  expect_all_of(names, calls);
  return survived;
}

TEST_F(FaultsTest, a_failed_set_points_leaves_the_earlier_points) {
  expect_strong_guarantee<double>(where(), {.modes = {12, 13}, .tolerance = 1e-9}, uniform_points<double>(2, 100),
                                  uniform_points<double>(2, 5000), {"pointer attributes", "device memory", "sort"});
}

// So many terms that f32 cannot bear their sums, on a grid that cuFFT transforms.
Spec change_of_precision() {
  Spec spec{.modes = {2050, 4}, .tolerance = 6e-6};
  spec.options = {.points_hint = 100, .upsampling = 2, .method = Method::sweep};
  spec.options.subproblem = 1;  // so that there are as many partial sums as points
  return spec;
}

// The plan makes a new engine for them, and goes on with its own one where there is no memory for that. So a single call that
// fails is done without.
TEST_F(FaultsTest, a_plan_that_finds_no_memory_for_a_new_engine_keeps_its_own) {
  const long survived =
      expect_strong_guarantee<float>(where(), change_of_precision(), uniform_points<float>(2, 100),
                                     uniform_points<float>(2, 7'000), {"pointer attributes", "current device"});
  EXPECT_GT(survived, 10);  // of the calls that make the new engine
}

// That one then makes a grid of f64, and cuFFT's plans for it. Here nobody catches what fails of these.
TEST_F(FaultsTest, a_failed_change_of_precision_leaves_the_earlier_points) {
  const Spec spec = change_of_precision();
  const auto few = uniform_points<float>(2, 100), many = uniform_points<float>(2, 7'000);
  PlacedPoints<float> placed_few(where(), few), placed_many(where(), many);
  const auto design = offgrid::make_design(problem_of<float>(spec), spec.options, where().backend.traits);
  std::set<std::string> names;
  bool failed = true;
  for (long number = 0; failed && number < 1000; ++number) {
    offgrid::release_memory();  // so that the same calls are made each time
    const auto engine = where().backend.make<float>(design);
    engine->set_points(placed_few.points(), nullptr);
    const Outcome outcome = fail_at(number, [&] { engine->set_points(placed_many.points(), nullptr); });
    failed = outcome.failed;
    names.insert(outcome.what);
    EXPECT_FALSE(engine->lost_points()) << outcome.what << " " << number;
    const PointSet<float>& set = outcome.status == Status::ok ? many : few;
    const auto in = random_values<float>(set.count(), 7);
    DeviceArray<std::complex<float>> strengths(where(), in), modes(where(), std::vector<std::complex<float>>(2050 * 4));
    offgrid::execute(*engine, design, {strengths.data(), modes.data(), set.count()}, offgrid::Direction::to_modes,
                     offgrid::sign_of(design.problem, design.options), nullptr);
    const double error = error_of<float>(To::modes, spec.forward_sum(), set, in, modes.host());
    EXPECT_LE(error, spec.tolerance) << outcome.what << " " << number;
  }
  EXPECT_FALSE(failed);
  expect_all_of(names, {"device memory", "sort", "FFT plan", "FFT work area", "waiting for the device"});
}

TEST_F(FaultsTest, too_much_memory_is_an_error_and_nothing_is_lost) {
  const auto status = [&] {
    return status_of([&] {
      offgrid::make_plan(problem_of<double>({.modes = {6000, 6000, 6000}}), {}, where().backend);
    });
  };
  EXPECT_EQ(status(), Status::out_of_memory);
  const std::size_t before = free_memory();  // with the libraries loaded
  EXPECT_EQ(status(), Status::out_of_memory);
  EXPECT_GE(free_memory() + (std::size_t{4} << 20), before);
}

TEST_F(FaultsTest, plan_cycles_keep_the_memory_constant) {
  const char* wanted = std::getenv("OFFGRID_SOAK_CYCLES");
  const int cycles = wanted ? std::atoi(wanted) : 200;
  std::size_t before = 0;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    if (cycle == cycles / 10) before = free_memory();
    const Method method = cycle % 2 == 0 ? Method::automatic : Method::gm_sort;
    GpuPlan<float> plan(where(), {.modes = {16 + cycle % 7, 20}, .tolerance = 1e-4, .options = {.method = method}},
                        uniform_points<float>(2, 100 + cycle % 50));
    plan.set_points();
    for (int time = 0; time < 3; ++time) plan.execute();
  }
  EXPECT_GE(free_memory() + (std::size_t{4} << 20), before);
}

}  // namespace
