// What can go wrong on a GPU: pointers of the wrong kind, and calls that fail, each in turn. A refused call changes
// nothing, and memory stays where it was.
#include "cuda/check.hpp"
#include "gpu_test.hpp"

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

std::size_t free_memory() {
  std::size_t now = 0, all = 0;
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

// Every call of CUDA and cuFFT in the life of a plan, made to fail one after the other. Only for those that make a graph
// there is another way, and it is as right.
TEST_F(FaultsTest, every_call_may_fail) {
  Spec spec{.modes = {9, 10, 11}, .tolerance = 1e-9, .options = {.transforms = 3, .batch = 2}};
  for (const auto& [modes, method] : std::vector<std::pair<Sizes, Method>>{
           {{9, 10, 11}, Method::automatic}, {{9, 10, 11}, Method::sm}, {{700}, Method::automatic}}) {  // with cuFFT
    spec.modes = modes, spec.options.method = method;
    const auto points = uniform_points<double>(static_cast<int>(modes.size()), 300);
    const auto life = [&] {
      GpuPlan<double> plan(where(), spec, points);
      plan.set_points();
      for (int time = 0; time < 4; ++time) plan.execute();
      return plan.error();
    };
    EXPECT_LE(life(), spec.tolerance);
    const std::size_t before = free_memory();
    long failed = 0, survived = 0;
    double error = 0;
    for (bool done = false; !done; ++failed) {
      offgrid::cuda::calls_until_failure = failed;
      const Status status = status_of([&] { error = life(); });
      done = offgrid::cuda::calls_until_failure >= 0;
      offgrid::cuda::calls_until_failure = -1;
      if (!done && status == Status::ok) ++survived;
      EXPECT_TRUE(status == Status::ok ? error <= spec.tolerance : status == Status::out_of_memory) << failed;
      ASSERT_LT(failed, 10000);
    }
    EXPECT_GT(failed - survived, 30);
    EXPECT_LT(survived, 60);
    EXPECT_LE(life(), spec.tolerance);
    EXPECT_GE(free_memory() + (std::size_t{4} << 20), before);
  }
}

TEST_F(FaultsTest, a_failed_set_points_leaves_the_earlier_points) {
  const Spec spec{.modes = {12, 13}, .tolerance = 1e-9};
  const auto few = uniform_points<double>(2, 100), many = uniform_points<double>(2, 5000);
  Transform<double> transform(where(), spec);
  transform.set_points(few);
  std::vector<DeviceArray<double>> arrays{{where(), many.axis[0]}, {where(), many.axis[1]}};
  for (const long call : {0L, 2L, 4L, 6L, 8L}) {
    offgrid::cuda::calls_until_failure = call;
    EXPECT_NE(status_of([&] {
                const_cast<offgrid::AnyPlan&>(transform.plan())
                    .set_points(5000, {arrays[0].data(), arrays[1].data()}, nullptr);
              }),
              Status::ok);
    offgrid::cuda::calls_until_failure = -1;
    EXPECT_LE(measure(transform, few).forward, spec.tolerance) << call;
  }
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
