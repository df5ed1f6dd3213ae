// Streams: work is ordered on the caller's stream and on no other, execute can be captured in a graph, plans do not wait
// for each other, and one plan may be executed on several streams and threads. Each claim is tried with the FFT by lines
// and with cuFFT.
#include <thread>

#include "cuda/policy.hpp"
#include "streams.hpp"
#include "threads.hpp"

namespace {

using namespace support;
using offgrid::Method;

class StreamsTest : public GpuTest {};

// Two batches and a rest.
template <class T> Spec spec_of(int type, const Sizes& modes) {
  return {.type = type, .modes = modes, .tolerance = usual_tolerance<T>, .options = {.transforms = 5, .batch = 2}};
}

// Of a transform in each dimension, by lines and by cuFFT.
std::vector<Sizes> modes_of_both_ffts() {
  std::vector<Sizes> all{{300}, {30, 31}, {11, 12, 13}};
  all.insert(all.end(), long_modes.begin(), long_modes.end());
  return all;
}

TEST_F(StreamsTest, execute_is_captured_and_replayed) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int type : {1, 2})
      for (const Sizes& modes : modes_of_both_ffts()) {
        GpuPlan<T> plan(where(), spec_of<T>(type, modes), uniform_points<T>(static_cast<int>(modes.size()), 100));
        SCOPED_TRACE(spec_of<T>(type, modes).name());
        OwnStream stream;
        plan.set_points(stream);
        const CapturedExecute captured(plan, stream);
        for (int round = 0; round < 3; ++round) {
          plan.clear_result();
          check_gpu(cudaDeviceSynchronize());
          captured.launch();
          stream.wait();
          EXPECT_LE(plan.error(), usual_tolerance<T>);
        }
        plan.execute(stream);  // and the plan goes on without the graph
        stream.wait();
        EXPECT_LE(plan.error(), usual_tolerance<T>);
      }
  });
}

// Copies are no kernels, whose end the first one of an execute could wait for by itself.
TEST_F(StreamsTest, execute_is_captured_behind_a_copy_of_its_source) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int type : {1, 2})
      for (const Sizes& modes : std::vector<Sizes>{{130, 131}, {4200, 9}}) {
        GpuPlan<T> plan(where(), spec_of<T>(type, modes), uniform_points<T>(2, 200));
        OwnStream stream;
        plan.set_points(stream);
        DeviceArray<std::complex<T>> other(where(), plan.in());
        const auto copy = [&] {
          check_gpu(cudaMemcpyAsync(plan.source(), other.data(), plan.in().size() * sizeof(std::complex<T>),
                                    cudaMemcpyDeviceToDevice, stream));
        };
        const CapturedExecute captured(plan, stream, copy);
        for (unsigned round = 0; round < 3; ++round) {
          plan.renew_source(round);
          fill_gpu(other.data(), plan.in().data(), plan.in().size() * sizeof(std::complex<T>));
          plan.clear_source();
          captured.launch();
          stream.wait();
          EXPECT_LE(plan.error(), usual_tolerance<T>);
        }
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

TEST_F(StreamsTest, plans_on_streams_of_their_own_with_the_default_stream_busy) {
  OwnStream a, b, c;
  GpuPlan<float> one(where(), spec_of<float>(1, {40, 41}), uniform_points<float>(2, 900));
  GpuPlan<double> two(where(), spec_of<double>(2, {14, 15, 16}), uniform_points<double>(3, 800));
  GpuPlan<double> by_cufft(where(), spec_of<double>(1, {4200, 9}), uniform_points<double>(2, 300));
  const auto set_points = [&] {
    one.set_points(a);
    two.set_points(b);
    by_cufft.set_points(c);
  };
  const auto execute = [&] {
    one.execute(a);
    two.execute(b);
    by_cufft.execute(c);
  };
  set_points();         // memory is taken here
  by_cufft.execute(c);  // and cuFFT's kernels are loaded
  check_gpu(cudaDeviceSynchronize());
  Gate gate;
  check_gpu(cudaLaunchHostFunc(nullptr, Gate::wait, &gate));
  for (int round = 0; round < 3; ++round) {
    set_points();
    execute();
  }
  for (const OwnStream* stream : {&a, &b, &c}) stream->wait();
  gate.open = true;
  check_gpu(cudaDeviceSynchronize());
  EXPECT_LE(one.error(), usual_tolerance<float>);
  EXPECT_LE(two.error(), usual_tolerance<double>);
  EXPECT_LE(by_cufft.error(), usual_tolerance<double>);
}

TEST_F(StreamsTest, one_plan_on_many_streams_in_turn) {
  for (const Sizes& modes : std::vector<Sizes>{{50, 60}, {4200, 9}}) {
    GpuPlan<double> plan(where(), spec_of<double>(1, modes), uniform_points<double>(2, 500));
    OwnStream streams[4];
    plan.set_points(streams[0]);
    for (int round = 0; round < 40; ++round) plan.execute(streams[round % 4]);
    check_gpu(cudaDeviceSynchronize());
    EXPECT_LE(plan.error(), usual_tolerance<double>);
  }
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
  for (const Sizes& modes : std::vector<Sizes>{{30, 40, 20}, {2100}, {4200, 9}, {9, 8, 4200}}) {
    SCOPED_TRACE(spec_of<float>(1, modes).name());
    const auto points = uniform_points<float>(static_cast<int>(modes.size()), 200);
    GpuPlan<float> plan(where(), spec_of<float>(1, modes), points);
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
}

TEST_F(StreamsTest, a_workspace_is_captured_and_replayed) {
  GpuPlan<double> plan(where(), spec_of<double>(2, {4200, 9}), uniform_points<double>(2, 200));
  OwnStream stream;
  plan.set_points(stream);
  const auto bytes = static_cast<std::size_t>(plan.plan().get("workspace_bytes"));
  DeviceArray<char> memory(where(), std::vector<char>(bytes, '\x7f'));
  plan.plan().set_workspace(memory.data(), bytes);
  const CapturedExecute captured(plan, stream);
  for (int round = 0; round < 3; ++round) {
    plan.clear_result();
    check_gpu(cudaDeviceSynchronize());
    captured.launch();
    stream.wait();
    EXPECT_LE(plan.error(), usual_tolerance<double>);
  }
}

// An engine with points and arrays, that says how often it asked for the stages of a batch.
template <class T> struct Repeated {
  Repeated(const BackendUnderTest& where, const Spec& spec, const PointSet<T>& points)
      : design(offgrid::make_design(problem_of<T>(spec), spec.options, where.backend.traits)),
        engine(where.backend.make<T>(design)),
        count(points.count()),
        strengths(where, random_values<T>(count * spec.options.transforms, 3)),
        modes(where, std::vector<std::complex<T>>(product(spec.modes) * spec.options.transforms)),
        placed(where, points) {
    set_points();
  }
  void set_points() { engine->set_points(placed.points(), nullptr); }
  int stages_asked_for(offgrid::Sign sign, cudaStream_t stream = nullptr) {
    const offgrid::Batch<T> batch{offgrid::Route::to_modes, sign, strengths.data(), modes.data(), 1};
    const auto grid = engine->lease_grid(1, stream);
    int asked = 0;
    const auto stages = [&](offgrid::Stream on) {
      ++asked;
      engine->spread(batch.strengths, *grid, on);
      engine->grid_to_modes(*grid, batch.uniform, sign, on);
    };
    engine->run(batch, *grid, stages, stream);
    return asked;
  }

  offgrid::Design design;
  std::unique_ptr<offgrid::Engine<T>> engine;
  std::int64_t count;
  DeviceArray<std::complex<T>> strengths, modes;
  PlacedPoints<T> placed;
};

TEST_F(StreamsTest, a_small_batch_that_comes_again_is_replayed_without_its_stages) {
  using offgrid::Sign;
  const Spec spec{.modes = {30, 31}, .tolerance = 1e-4, .options = {.method = Method::gm_sort}};
  Repeated<float> small(where(), spec, uniform_points<float>(2, 500));
  OwnStream other;
  for (int round = 0; round < 3; ++round) {
    for (const Sign sign : {Sign::minus, Sign::plus}) {
      for (int time = 1; time < offgrid::cuda::times_until_replay; ++time) EXPECT_EQ(small.stages_asked_for(sign), 1);
      EXPECT_EQ(small.stages_asked_for(sign), 1);  // to be recorded
    }
    for (const Sign sign : {Sign::minus, Sign::plus, Sign::minus}) {
      EXPECT_EQ(small.stages_asked_for(sign), 0);
      EXPECT_EQ(small.stages_asked_for(sign, other), 0);
    }
    small.set_points();  // of which the graphs know nothing
  }
}

// What is replayed reads the arrays anew, and follows the points. Executes with cuFFT are never replayed.
TEST_F(StreamsTest, repeated_executes_follow_their_arrays_and_points) {
  for (const Method method : {Method::automatic, Method::gm_sort, Method::sm})
    for_both_precisions([&](auto zero) {
      using T = decltype(zero);
      for (const int type : {1, 2})
        for (const Sizes& modes : std::vector<Sizes>{{300}, {2100}, {30, 31}, {11, 12, 13}}) {
          const int dim = static_cast<int>(modes.size());
          Spec spec{.type = type, .modes = modes, .tolerance = usual_tolerance<T>};
          spec.options.transforms = 2, spec.options.method = method;
          GpuPlan<T> plan(where(), spec, uniform_points<T>(dim, 400));
          DeviceArray<std::complex<T>> back(where(), random_values<T>(2 * (type == 1 ? 400 : product(modes)), 5));
          SCOPED_TRACE(spec.name());
          unsigned seed = 10;
          for (int set = 0; set < 2; ++set) {
            plan.renew_points(uniform_points<T>(dim, 400, ++seed));
            plan.set_points();
            for (int round = 0; round < 4; ++round) {
              plan.renew_source(++seed);
              plan.clear_result();
              plan.execute();
              plan.adjoint(back);
              EXPECT_LE(plan.error(), usual_tolerance<T>) << round;
              EXPECT_LE(plan.adjoint_error(back), 2 * usual_tolerance<T>) << round;  // of inputs that are not random
            }
          }
        }
    });
}

TEST_F(StreamsTest, a_plan_that_replays_can_be_captured) {
  const Spec spec{.modes = {30, 31}, .tolerance = 1e-9, .options = {.method = Method::gm_sort}};
  GpuPlan<double> plan(where(), spec, uniform_points<double>(2, 400));
  OwnStream stream;
  plan.set_points(stream);
  for (int round = 0; round < 4; ++round) plan.execute(stream);
  const CapturedExecute captured(plan, stream);
  for (int round = 0; round < 3; ++round) {
    plan.renew_source(static_cast<unsigned>(round));
    plan.clear_result();
    check_gpu(cudaDeviceSynchronize());
    captured.launch();
    stream.wait();
    EXPECT_LE(plan.error(), 1e-9);
    plan.execute(stream);
    stream.wait();
    EXPECT_LE(plan.error(), 1e-9);
  }
}

// Captures of the strictest kind, on a stream of the caller's that has nothing to do with the plan's.
TEST_F(StreamsTest, executes_do_not_disturb_a_capture_on_another_stream) {
  for (const Sizes& modes : std::vector<Sizes>{{30, 31}, {4200, 9}}) {
    const Spec spec{.modes = modes, .tolerance = 1e-4, .options = {.method = Method::gm_sort}};
    GpuPlan<float> plan(where(), spec, uniform_points<float>(2, 400));
    OwnStream capturing, executing;
    plan.set_points(executing);
    plan.execute(executing);
    cudaGraph_t graph = nullptr;
    check_gpu(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal));
    for (int round = 0; round < 4; ++round) plan.execute(executing);
    std::thread([&] {
      for (int round = 0; round < 4; ++round) plan.execute(executing);
    }).join();
    check_gpu(cudaStreamEndCapture(capturing, &graph));
    check_gpu(cudaGraphDestroy(graph));
    executing.wait();
    EXPECT_LE(plan.error(), 1e-4);
  }
}

// Each with arrays of its own, so that what another thread replays would show. They wait for the whole device now and
// then, which does not bear a capture in any thread.
TEST_F(StreamsTest, eight_threads_repeat_one_plan_on_streams_of_their_own) {
  using Complex = std::complex<double>;
  for (const Sizes& sizes : std::vector<Sizes>{{40, 41}, {4200, 9}}) {
    const Spec spec{.modes = sizes, .tolerance = 1e-9, .options = {.points_hint = 500, .method = Method::gm_sort}};
    const auto points = uniform_points<double>(2, 500);
    auto plan = offgrid::make_plan(problem_of<double>(spec), spec.options, where().backend);
    expect_fft_of(*plan, sizes);
    DeviceArray<double> x(where(), points.axis[0]), y(where(), points.axis[1]);
    plan->set_points(points.count(), {x.data(), y.data()}, nullptr);
    std::array<double, 8> errors{};
    on_threads(8, [&](int i) {
      OwnStream stream;
      const auto in = random_values<double>(points.count(), static_cast<unsigned>(i));
      DeviceArray<Complex> strengths(where(), in), modes(where(), std::vector<Complex>(product(sizes)));
      const auto expected = direct_sum<double>(To::modes, spec.forward_sum(), points, in);
      for (int round = 0; round < 20; ++round) {
        for (int time = 0; time < 10; ++time) plan->execute(strengths.data(), modes.data(), stream);
        stream.wait();
        errors[i] = std::max(errors[i], relative_error(modes.host(), expected));
      }
    });
    for (const double error : errors) EXPECT_LE(error, spec.tolerance) << spec.name();
  }
}

// The limit of a kernel's shared memory is one for all threads.
TEST_F(StreamsTest, threads_whose_kernels_need_different_shared_memory) {
  std::array<double, 8> errors{};
  on_threads(8, [&](int i) {
    OwnStream stream;
    Spec spec{.modes = {48, 49, 50}, .tolerance = 1e-9, .options = {.method = Method::sm}};  // too large for graphs
    spec.options.shared_bytes = (64 + 16 * i) << 10;
    if (i % 2 == 1)  // lines of the FFT, long ones along y and along x
      spec = {.modes = {1000, 3}, .tolerance = 1e-9, .options = {.transforms = 64, .upsampling = 2, .batch = 64}};
    if (i % 4 == 1) std::swap(spec.modes[0], spec.modes[1]);
    const int dim = static_cast<int>(spec.modes.size());
    GpuPlan<double> plan(where(), spec, uniform_points<double>(dim, 100, static_cast<unsigned>(i)));
    plan.set_points(stream);
    for (int round = 0; round < 200; ++round) plan.execute(stream);
    stream.wait();
    errors[i] = plan.error();
  });
  for (const double error : errors) EXPECT_LE(error, 1e-9);
}

TEST_F(StreamsTest, sixteen_threads_each_with_a_plan_and_a_stream) {
  std::array<double, 16> errors{};
  on_threads(16, [&](int i) {
    OwnStream stream;
    const Sizes modes = i % 4 < 2 ? Sizes{20 + i, 30} : Sizes{4200 + i, 9};  // the latter by cuFFT
    const Spec spec = spec_of<float>(1 + i % 2, modes);
    GpuPlan<float> plan(where(), spec, uniform_points<float>(2, 200, static_cast<unsigned>(i)));
    for (int round = 0; round < 10; ++round) {
      plan.set_points(stream);
      plan.execute(stream);
    }
    stream.wait();
    errors[i] = plan.error();
  });
  for (const double error : errors) EXPECT_LE(error, usual_tolerance<float>);
}

}  // namespace
