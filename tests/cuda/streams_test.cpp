// Streams: work is ordered on the caller's stream and on no other, execute can be captured in a graph, plans do not wait
// for each other, and one plan may be executed on several streams and threads.
#include <thread>

#include "gpu_test.hpp"

namespace {

using namespace support;

class StreamsTest : public GpuTest {};

class OwnStream {
 public:
  OwnStream() { check_gpu(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnStream() { (void)cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { check_gpu(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

template <class T> Spec spec_of(int type, const Sizes& modes) {
  return {.type = type, .modes = modes, .tolerance = usual_tolerance<T>, .options = {.transforms = 5, .batch = 2}};
}

TEST_F(StreamsTest, execute_is_captured_and_replayed) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int type : {1, 2})
      for (const Sizes& modes : std::vector<Sizes>{{300}, {30, 31}, {11, 12, 13}}) {
        GpuPlan<T> plan(where(), spec_of<T>(type, modes), uniform_points<T>(static_cast<int>(modes.size()), 400));
        OwnStream stream;
        plan.set_points(stream);
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t ready = nullptr;
        check_gpu(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        plan.execute(stream);
        check_gpu(cudaStreamEndCapture(stream, &graph));
        check_gpu(cudaGraphInstantiate(&ready, graph, 0));
        for (int round = 0; round < 3; ++round) {
          plan.clear_result();
          check_gpu(cudaDeviceSynchronize());
          check_gpu(cudaGraphLaunch(ready, stream));
          stream.wait();
          EXPECT_LE(plan.error(), usual_tolerance<T>);
        }
        plan.execute(stream);  // and the plan goes on without the graph
        stream.wait();
        EXPECT_LE(plan.error(), usual_tolerance<T>);
        check_gpu(cudaGraphExecDestroy(ready));
        check_gpu(cudaGraphDestroy(graph));
      }
  });
}

// A callback that holds the default stream: were any of our work on it, or synchronised with it, this would hang.
struct Gate {
  std::atomic<bool> open{false};
  static void wait(void* gate) {
    while (!static_cast<Gate*>(gate)->open) std::this_thread::yield();
  }
};

TEST_F(StreamsTest, two_plans_on_two_streams_with_the_default_stream_busy) {
  OwnStream a, b;
  GpuPlan<float> one(where(), spec_of<float>(1, {40, 41}), uniform_points<float>(2, 900));
  GpuPlan<double> two(where(), spec_of<double>(2, {14, 15, 16}), uniform_points<double>(3, 800));
  one.set_points(a), two.set_points(b);  // memory is taken here
  a.wait(), b.wait();
  Gate gate;
  check_gpu(cudaLaunchHostFunc(nullptr, Gate::wait, &gate));
  for (int round = 0; round < 3; ++round) {
    one.set_points(a), two.set_points(b);
    one.execute(a), two.execute(b);
  }
  a.wait(), b.wait();
  gate.open = true;
  check_gpu(cudaDeviceSynchronize());
  EXPECT_LE(one.error(), usual_tolerance<float>);
  EXPECT_LE(two.error(), usual_tolerance<double>);
}

TEST_F(StreamsTest, one_plan_on_many_streams_in_turn) {
  GpuPlan<double> plan(where(), spec_of<double>(1, {50, 60}), uniform_points<double>(2, 5000));
  OwnStream streams[4];
  plan.set_points(streams[0]);
  for (int round = 0; round < 40; ++round) plan.execute(streams[round % 4]);
  check_gpu(cudaDeviceSynchronize());
  EXPECT_LE(plan.error(), usual_tolerance<double>);
}

// set_points returns while the points are still being sorted.
TEST_F(StreamsTest, execute_on_another_stream_waits_for_set_points) {
  Spec spec{.type = 2, .modes = {40, 40, 40}, .tolerance = 1e-3};
  GpuPlan<float> plan(where(), spec, uniform_points<float>(3, 3'000'000));
  OwnStream setting, executing;
  plan.set_points(setting);
  check_gpu(cudaDeviceSynchronize());
  plan.execute(executing);
  check_gpu(cudaDeviceSynchronize());
  const auto expected = plan.result();
  for (int round = 0; round < 5; ++round) {
    plan.clear_result();
    check_gpu(cudaDeviceSynchronize());
    plan.set_points(setting);
    plan.execute(executing);
    check_gpu(cudaDeviceSynchronize());
    ASSERT_EQ(plan.result(), expected);
  }
}

TEST_F(StreamsTest, the_caller_may_own_the_workspace) {
  GpuPlan<float> plan(where(), spec_of<float>(1, {30, 40, 20}), uniform_points<float>(3, 2000));
  plan.set_points();
  const auto bytes = static_cast<std::size_t>(plan.plan().get("workspace_bytes"));
  const auto own = static_cast<std::size_t>(plan.plan().get("memory_bytes"));
  DeviceArray<char> memory(where(), std::vector<char>(bytes, '\x7f')), small(where(), std::vector<char>(bytes - 1));
  EXPECT_THROW(plan.plan().set_workspace(small.data(), bytes - 1), offgrid::Error);
  std::vector<char> here(bytes);
  EXPECT_THROW(plan.plan().set_workspace(here.data(), bytes), offgrid::Error);
  plan.plan().set_workspace(memory.data(), bytes);
  EXPECT_LE(plan.plan().get("memory_bytes"), own - bytes);
  for (int round = 0; round < 3; ++round) {
    plan.clear_result();
    plan.execute();
    EXPECT_LE(plan.error(), usual_tolerance<float>);
  }
  plan.plan().set_workspace(nullptr, 0);
  plan.execute();
  EXPECT_LE(plan.error(), usual_tolerance<float>);
}

TEST_F(StreamsTest, sixteen_threads_each_with_a_plan_and_a_stream) {
  std::vector<std::thread> threads;
  std::array<double, 16> errors{};
  for (std::size_t i = 0; i < errors.size(); ++i)
    threads.emplace_back([&, i] {
      OwnStream stream;
      const Spec spec = spec_of<float>(1 + static_cast<int>(i % 2), {20 + static_cast<std::int64_t>(i), 30});
      GpuPlan<float> plan(where(), spec, uniform_points<float>(2, 1000, static_cast<unsigned>(i)));
      for (int round = 0; round < 10; ++round) {
        plan.set_points(stream);
        plan.execute(stream);
      }
      stream.wait();
      errors[i] = plan.error();
    });
  for (auto& thread : threads) thread.join();
  for (const double error : errors) EXPECT_LE(error, usual_tolerance<float>);
}

}  // namespace
