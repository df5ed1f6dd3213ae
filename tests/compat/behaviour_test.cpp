// What programs rely on besides results: arrays of no elements, points set again, threads that share a plan or make plans, and
// on a GPU the caller's device and stream. The tests for a GPU are skipped where there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "gpu.hpp"
#include "gpu_memory.hpp"
#include "oracle.hpp"
#include "peer_calls.hpp"

namespace {

using namespace support;

using Values = std::vector<std::complex<double>>;
using Modes = std::array<std::int64_t, 3>;

constexpr std::int64_t count = 200;
constexpr double tolerance = 1e-9;
constexpr int thread_count = 4;

finufft_plan plan_of(int type, int dim, const Modes& modes) {
  finufft_plan plan = nullptr;
  EXPECT_EQ(finufft_makeplan(type, dim, modes.data(), 1, 1, tolerance, &plan, nullptr), 0);
  return plan;
}

int set(finufft_plan plan, const PointSet<double>& points) {
  std::array<const double*, 3> axes{};
  for (std::size_t a = 0; a < points.axis.size(); ++a) axes[a] = points.axis[a].data();
  const auto number = static_cast<std::int64_t>(points.axis[0].size());
  return finufft_setpts(plan, number, axes[0], axes[1], axes[2], 0, nullptr, nullptr, nullptr);
}

TEST(CpuBehaviour, no_modes_along_an_axis) {
  const auto points = uniform_points<double>(3, count);
  for (const auto& [dim, modes] : {std::pair{1, Modes{0, 1, 1}},
                                   {2, {0, 4, 1}},
                                   {2, {4, 0, 1}},
                                   {3, {0, 4, 5}},
                                   {3, {4, 0, 5}},
                                   {3, {4, 5, 0}},
                                   {3, {0, 0, 0}}}) {
    Values strengths = random_values<double>(count, 3), guard(1, {5, 5});
    const PointSet<double> used{{points.axis.begin(), points.axis.begin() + dim}};
    finufft_plan to_modes = plan_of(1, dim, modes);
    ASSERT_EQ(set(to_modes, used), 0);
    EXPECT_EQ(finufft_execute(to_modes, strengths.data(), guard.data()), 0);
    EXPECT_EQ(guard[0], std::complex<double>(5, 5)) << "there is no mode to be written";
    finufft_plan to_points = plan_of(2, dim, modes);
    ASSERT_EQ(set(to_points, used), 0);
    EXPECT_EQ(finufft_execute(to_points, strengths.data(), guard.data()), 0);
    EXPECT_EQ(std::count(strengths.begin(), strengths.end(), std::complex<double>(0)), count);
    finufft_destroy(to_modes);
    finufft_destroy(to_points);
  }
}

// Type 3 in one call, with the same coordinates along each axis.
int type3(int dim, std::int64_t points, const double* x, const std::complex<double>* in, std::int64_t targets,
          const double* s, std::complex<double>* out) {
  switch (dim) {
    case 1:
      return finufft1d3(points, x, in, 1, tolerance, targets, s, out, nullptr);
    case 2:
      return finufft2d3(points, x, x, in, 1, tolerance, targets, s, s, out, nullptr);
    default:
      return finufft3d3(points, x, x, x, in, 1, tolerance, targets, s, s, s, out, nullptr);
  }
}

TEST(CpuBehaviour, no_targets) {
  const auto x = uniform_points<double>(1, count).axis[0];
  const Values in = random_values<double>(count, 3);
  for (const int dim : {1, 2, 3}) {
    Values guard(1, {5, 5});
    EXPECT_EQ(type3(dim, count, x.data(), in.data(), 0, nullptr, guard.data()), 0);
    EXPECT_EQ(guard[0], std::complex<double>(5, 5));
  }
}

TEST(CpuBehaviour, too_many_targets_or_too_large_a_grid) {
  const double far[] = {-1e8, 1e8};
  const Values in(2, 1);
  Values out(2);
  for (const int dim : {1, 2, 3}) {
    EXPECT_EQ(type3(dim, 2, far, in.data(), 10000000000000000, far, out.data()), FINUFFT_ERR_NUM_NU_PTS_INVALID);
    std::vector<double> x(20000), s(20000);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = s[j] = -1e8 + 1e4 * static_cast<double>(j);
    Values many(x.size(), 1), there(x.size());
    EXPECT_EQ(type3(dim, 20000, x.data(), many.data(), 20000, s.data(), there.data()), FINUFFT_ERR_ALLOC);
  }
}

TEST(CpuBehaviour, points_may_be_set_again) {
  finufft_plan plan = plan_of(1, 2, {12, 11, 1});
  for (const std::int64_t number : {count, std::int64_t{3}, std::int64_t{0}, 5 * count}) {
    const auto points = uniform_points<double>(2, number);
    Values in = random_values<double>(number, 3), out(12 * 11, {7, 7});
    ASSERT_EQ(set(plan, points), 0);
    ASSERT_EQ(finufft_execute(plan, in.data(), out.data()), 0);
    const auto wanted = direct_sum<double>(To::modes, {{12, 11}, 1}, points, in);
    if (number == 0)
      EXPECT_EQ(std::count(out.begin(), out.end(), std::complex<double>(0)), 12 * 11);
    else
      EXPECT_LE(relative_error(out, wanted), tolerance) << number << " points";
  }
  EXPECT_EQ(finufft_destroy(plan), 0);
}

TEST(CpuBehaviour, threads_execute_one_plan) {
  const auto points = uniform_points<double>(2, count);
  finufft_plan plan = plan_of(1, 2, {12, 11, 1});
  ASSERT_EQ(set(plan, points), 0);
  std::array<Values, thread_count> in, out;
  std::array<int, thread_count> codes{};
  std::vector<std::thread> threads;
  threads.reserve(thread_count);
  for (int t = 0; t < thread_count; ++t) {
    in[t] = random_values<double>(count, static_cast<unsigned>(t));
    out[t].resize(12 * 11);
    threads.emplace_back([&, t] {
      for (int again = 0; again < 10; ++again) codes[t] |= finufft_execute(plan, in[t].data(), out[t].data());
    });
  }
  for (auto& thread : threads) thread.join();
  for (int t = 0; t < thread_count; ++t) {
    EXPECT_EQ(codes[t], 0);
    EXPECT_LE(relative_error(out[t], direct_sum<double>(To::modes, {{12, 11}, 1}, points, in[t])), tolerance);
  }
  EXPECT_EQ(finufft_destroy(plan), 0);
}

TEST(CpuBehaviour, threads_make_plans) {
  const auto points = uniform_points<double>(1, count);
  const Values in = random_values<double>(count, 3);
  std::array<double, thread_count> errors{};
  std::vector<std::thread> threads;
  threads.reserve(thread_count);
  for (int t = 0; t < thread_count; ++t)
    threads.emplace_back([&, t] {
      for (std::int64_t n = 10; n < 20; ++n) {
        Values out(static_cast<std::size_t>(n)), strengths = in;
        finufft_plan plan = nullptr;
        int code = finufft_makeplan(1, 1, &n, 1, 1, tolerance, &plan, nullptr);
        if (code == 0) code = set(plan, points);
        if (code == 0) code = finufft_execute(plan, strengths.data(), out.data());
        if (code == 0) code = finufft_destroy(plan);
        const auto wanted = direct_sum<double>(To::modes, {{n}, 1}, points, in);
        errors[t] = std::max(errors[t], code == 0 ? relative_error(out, wanted) : 1);
      }
    });
  for (auto& thread : threads) thread.join();
  for (const double error : errors) EXPECT_LE(error, tolerance);
}

#ifdef OFFGRID_HAS_CUDA

class GpuBehaviour : public testing::Test {
 public:
  void SetUp() override {
    if (!has_gpu()) GTEST_SKIP() << "no GPU";
  }
};

cuDoubleComplex* data(PlacedArray<std::complex<double>>& array) {
  return reinterpret_cast<cuDoubleComplex*>(array.data());
}

int current_gpu() {
  int id = -1;
  check_gpu(cudaGetDevice(&id));
  return id;
}

TEST_F(GpuBehaviour, no_points_are_exact_zeros) {
  PlacedArray<std::complex<double>> modes(Side::gpu, Values(8, {5, 5})), targets(Side::gpu, Values(8, {5, 5}));
  PlacedArray<double> s(Side::gpu, {1, 2, 3, 4, 5, 6, 7, 8});
  ASSERT_EQ(cufinufft1d1(0, nullptr, nullptr, 1, tolerance, 8, data(modes), nullptr), 0);
  EXPECT_EQ(modes.values(), Values(8));
  ASSERT_EQ(cufinufft1d3(0, nullptr, nullptr, 1, tolerance, 8, s.data(), data(targets), nullptr), 0);
  EXPECT_EQ(targets.values(), Values(8));
  EXPECT_EQ(cufinufft1d2(0, nullptr, nullptr, 1, tolerance, 8, data(modes), nullptr), 0);
}

TEST_F(GpuBehaviour, type_3_on_too_large_a_grid_is_refused) {
  std::vector<double> at(20000);
  for (std::size_t j = 0; j < at.size(); ++j) at[j] = -1e8 + 1e4 * static_cast<double>(j);
  PlacedArray<double> x(Side::gpu, at);
  PlacedArray<std::complex<double>> in(Side::gpu, Values(at.size(), 1)), out(Side::gpu, Values(at.size()));
  EXPECT_NE(cufinufft3d3(20000, x.data(), x.data(), x.data(), data(in), 1, tolerance, 20000, x.data(), x.data(),
                         x.data(), data(out), nullptr),
            0);
}

// With one GPU this shows it for calls that fail and succeed on that GPU, with several ones for plans of another GPU.
TEST_F(GpuBehaviour, the_callers_gpu_is_current_after_every_call) {
  int gpus = 0;
  check_gpu(cudaGetDeviceCount(&gpus));
  const int mine = gpus - 1;
  cufinufft_opts opts;
  cufinufft_default_opts(&opts);  // GPU 0
  PlacedArray<double> x(Side::gpu, std::vector<double>(count, 0.5));
  PlacedArray<std::complex<double>> in(Side::gpu, Values(count, 1)), out(Side::gpu, Values(8));
  check_gpu(cudaSetDevice(mine));
  const std::int64_t modes[] = {8};
  cufinufft_plan plan = nullptr;
  ASSERT_EQ(cufinufft_makeplan(1, 1, modes, 1, 1, tolerance, &plan, &opts), 0);
  EXPECT_EQ(current_gpu(), mine);
  EXPECT_EQ(cufinufft_setpts(plan, count, x.data(), nullptr, nullptr, 0, nullptr, nullptr, nullptr), 0);
  EXPECT_EQ(current_gpu(), mine);
  EXPECT_EQ(cufinufft_execute(plan, data(in), data(out)), 0);
  EXPECT_EQ(current_gpu(), mine);
  EXPECT_EQ(cufinufft_destroy(plan), 0);
  EXPECT_EQ(current_gpu(), mine);
  opts.gpu_device_id = 1000;
  EXPECT_EQ(cufinufft_makeplan(1, 1, modes, 1, 1, tolerance, &plan, &opts), FINUFFT_ERR_CUDA_FAILURE);
  EXPECT_EQ(current_gpu(), mine);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  check_gpu(cudaSetDevice(0));
  EXPECT_LE(std::abs(out.values()[4] - static_cast<double>(count)), tolerance * count) << "k = 0";
}

// Holds a stream back until it is released, or for 20 seconds, so that a call that waits for the stream fails and does not
// hang.
struct Barrier {
  std::atomic<bool> is_released{false};
  std::atomic<bool> has_waited_in_vain{false};

  static void wait(void* self) {
    auto& barrier = *static_cast<Barrier*>(self);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!barrier.is_released && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    barrier.has_waited_in_vain = !barrier.is_released;
  }
};

TEST_F(GpuBehaviour, execute_does_not_wait_for_gpu_stream) {
  const auto points = uniform_points<double>(1, count);
  const Values strengths = random_values<double>(count, 3);
  PlacedArray<double> x(Side::gpu, points.axis[0]);
  PlacedArray<std::complex<double>> in(Side::gpu, strengths), out(Side::gpu, Values(16));
  cudaStream_t stream = nullptr;
  check_gpu(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cufinufft_opts opts;
  cufinufft_default_opts(&opts);
  opts.gpu_stream = stream;
  const std::int64_t modes[] = {16};
  cufinufft_plan plan = nullptr;
  ASSERT_EQ(cufinufft_makeplan(1, 1, modes, 1, 1, tolerance, &plan, &opts), 0);
  ASSERT_EQ(cufinufft_setpts(plan, count, x.data(), nullptr, nullptr, 0, nullptr, nullptr, nullptr), 0);
  for (int first = 0; first < 3; ++first) ASSERT_EQ(cufinufft_execute(plan, data(in), data(out)), 0);
  check_gpu(cudaStreamSynchronize(stream));
  check_gpu(cudaMemset(out.data(), 0, out.size() * sizeof(cuDoubleComplex)));
  check_gpu(cudaDeviceSynchronize());

  Barrier barrier;
  check_gpu(cudaLaunchHostFunc(stream, Barrier::wait, &barrier));
  EXPECT_EQ(cufinufft_execute(plan, data(in), data(out)), 0);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  barrier.is_released = true;
  check_gpu(cudaStreamSynchronize(stream));
  EXPECT_FALSE(barrier.has_waited_in_vain);
  EXPECT_LE(relative_error(out.values(), direct_sum<double>(To::modes, {{16}, 1}, points, strengths)), tolerance);
  EXPECT_EQ(cufinufft_destroy(plan), 0);
  check_gpu(cudaStreamDestroy(stream));
}

// In the order of the stream. With gpu_sort 0 they are read by two kernels: a first one looks for bad points.
TEST_F(GpuBehaviour, points_may_be_overwritten_behind_setpts) {
  constexpr std::int64_t many = std::int64_t{1} << 24, modes[] = {16};
  const std::vector<double> points = uniform_points<double>(1, many).axis[0];
  PlacedArray<double> x(Side::gpu, points);
  PlacedArray<std::complex<double>> out(Side::gpu, Values(many)), in(Side::gpu, random_values<double>(16, 3));
  cudaStream_t stream = nullptr;
  check_gpu(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cufinufft_opts opts;
  cufinufft_default_opts(&opts);
  opts.gpu_stream = stream;
  opts.gpu_method = 1;
  opts.gpu_sort = 0;
  cufinufft_plan plan = nullptr;
  ASSERT_EQ(cufinufft_makeplan(2, 1, modes, 1, 1, tolerance, &plan, &opts), 0);
  std::array<Values, 2> results;
  for (Values& result : results) {
    ASSERT_EQ(cufinufft_setpts(plan, many, x.data(), nullptr, nullptr, 0, nullptr, nullptr, nullptr), 0);
    if (&result == &results.back()) check_gpu(cudaMemsetAsync(x.data(), 0, many * sizeof(double), stream));
    ASSERT_EQ(cufinufft_execute(plan, data(out), data(in)), 0);
    check_gpu(cudaDeviceSynchronize());
    result = out.values();
  }
  EXPECT_LE(relative_error(results[1], results[0]), tolerance);
  EXPECT_EQ(cufinufft_destroy(plan), 0);
  check_gpu(cudaStreamDestroy(stream));
}

// From any stream, since setpts of type 3 has read them when it returns.
TEST_F(GpuBehaviour, points_and_targets_of_type_3_may_be_overwritten_when_setpts_returns) {
  constexpr std::int64_t many = std::int64_t{1} << 20;
  PlacedArray<double> x(Side::gpu, uniform_points<double>(1, many).axis[0]),
      s(Side::gpu, uniform_points<double>(1, many, 2).axis[0]);
  cudaStream_t stream = nullptr;
  check_gpu(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cufinufft_opts opts;
  cufinufft_default_opts(&opts);
  opts.gpu_stream = stream;
  cufinufft_plan plan = nullptr;
  ASSERT_EQ(cufinufft_makeplan(3, 1, nullptr, 1, 1, tolerance, &plan, &opts), 0);
  ASSERT_EQ(cufinufft_setpts(plan, many, x.data(), nullptr, nullptr, many, s.data(), nullptr, nullptr), 0);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess) << "setpts has left work behind";
  EXPECT_EQ(cufinufft_destroy(plan), 0);
  check_gpu(cudaStreamDestroy(stream));
}

#endif

}  // namespace
