// The Gram operator on a GPU: streams, replays, capture, lines that are too long for kernels of ours, and calls that fail.
#include "core/solve/gram.hpp"

#include "cuda/check.hpp"
#include "cuda/fft/stockham_plan.hpp"
#include "streams.hpp"

namespace {

using namespace support;
using offgrid::GramMethod;

class GpuGramTest : public GpuTest {};

constexpr std::int64_t points = 4000;

// An operator with its arrays: f goes in, h comes out.
template <class T> struct GpuGram {
  using Vector = std::vector<std::complex<T>>;

  GpuGram(const Spec& spec, GramMethod method, cudaStream_t stream = nullptr)
      : size(spec.options.transforms * product(spec.modes)),
        f(where, random_values<T>(size, 3)),
        h(where, Vector(size, {nan, nan})) {
    offgrid::Options options = spec.options;
    options.gram = method;
    const auto set = uniform_points<T>(static_cast<int>(spec.modes.size()), points);
    std::vector<DeviceArray<T>> axes;
    offgrid::Sampling sampling{.count = points};
    for (const auto& axis : set.axis) axes.emplace_back(where, axis);
    for (std::size_t a = 0; a < axes.size(); ++a) sampling.axes[a] = axes[a].data();
    gram = offgrid::make_gram(problem_of<T>(spec), options, where.backend, sampling, stream);
  }
  void apply(cudaStream_t stream) const { gram->apply(from(), to(), stream); }
  void forget() { h = DeviceArray<std::complex<T>>(where, Vector(size, {nan, nan})); }
  [[nodiscard]] std::complex<T>* from() const { return const_cast<GpuGram*>(this)->f.data(); }
  [[nodiscard]] std::complex<T>* to() const { return const_cast<GpuGram*>(this)->h.data(); }

  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  BackendUnderTest where{"cuda", offgrid::backend_for(offgrid::DeviceKind::cuda)};
  std::int64_t size;
  DeviceArray<std::complex<T>> f, h;
  std::unique_ptr<offgrid::AnyGram> gram;
};

// An axis that is too long for lines is folded into two (1500, 4096, 100000), or goes by cuFFT where the number of its modes
// has no fitting factors (30001) or the modes are in FFT order.
TEST_F(GpuGramTest, of_axes_that_are_too_long_for_lines) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : {Sizes{1500}, Sizes{4096}, Sizes{100'000}, Sizes{30'001}, Sizes{1100, 5}, Sizes{4, 1030}})
      for (const auto order : {offgrid::ModeOrder::centred, offgrid::ModeOrder::fft}) {
        const Spec spec{.modes = modes,
                        .tolerance = usual_tolerance<T>,
                        .options = {.transforms = 3, .mode_order = order, .batch = 2}};
        const GpuGram<T> convolution(spec, GramMethod::convolution), pair(spec, GramMethod::pair);
        convolution.apply(nullptr);
        pair.apply(nullptr);
        EXPECT_LE(relative_error(convolution.h.host(), pair.h.host()), 2 * spec.tolerance) << modes[0];
      }
  });
}

// The fastest axis goes to the grid and back in one kernel, of which there is one for each length.
TEST_F(GpuGramTest, of_lines_of_every_length) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t n : offgrid::cuda::line_sizes)
      for (const Sizes& modes : {Sizes{(n + 1) / 2}, Sizes{(n + 1) / 2, 30}}) {
        const Spec spec{.modes = modes, .tolerance = usual_tolerance<T>, .options = {.transforms = 2}};
        const GpuGram<T> convolution(spec, GramMethod::convolution), pair(spec, GramMethod::pair);
        convolution.apply(nullptr);
        pair.apply(nullptr);
        EXPECT_LE(relative_error(convolution.h.host(), pair.h.host()), 2 * spec.tolerance) << n;
      }
  });
}

// The first applications are enqueued kernel by kernel, the later ones as a graph.
TEST_F(GpuGramTest, gives_the_same_again_and_again_and_on_any_stream) {
  const OwnStream one, two;
  for (const GramMethod method : {GramMethod::convolution, GramMethod::pair}) {
    const Spec spec{.modes = {30, 41}, .tolerance = 1e-5, .options = {.transforms = 2, .deterministic = true}};
    GpuGram<float> gram(spec, method, one);
    gram.apply(one);
    one.wait();
    const auto first = gram.h.host();
    for (int round = 0; round < 6; ++round) {
      gram.apply(round % 3 == 0 ? two : one);
      two.wait();
      one.wait();
      EXPECT_EQ(gram.h.host(), first) << round;
    }
  }
}

TEST_F(GpuGramTest, can_be_captured) {
  const OwnStream stream;
  for (const GramMethod method : {GramMethod::convolution, GramMethod::pair}) {
    const Spec spec{.modes = {64, 64}, .tolerance = 1e-3, .options = {.transforms = 8, .deterministic = true}};
    GpuGram<float> gram(spec, method);
    gram.apply(stream);
    stream.wait();
    const auto expected = gram.h.host();
    gram.forget();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    check_gpu(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    gram.apply(stream);
    check_gpu(cudaStreamEndCapture(stream, &graph));
    check_gpu(cudaGraphInstantiate(&ready, graph, 0));
    check_gpu(cudaGraphLaunch(ready, stream));
    stream.wait();
    EXPECT_EQ(gram.h.host(), expected);
    check_gpu(cudaGraphExecDestroy(ready));
    check_gpu(cudaGraphDestroy(graph));
  }
}

// Every call that fails is a code, and the next application is right.
TEST_F(GpuGramTest, survives_calls_that_fail) {
  const Spec spec{.modes = {30, 20}, .tolerance = 1e-5, .options = {.deterministic = true}};
  for (const GramMethod method : {GramMethod::convolution, GramMethod::pair}) {
    GpuGram<float> gram(spec, method);
    gram.apply(nullptr);
    const auto expected = gram.h.host();
    bool failed = true;
    for (long number = 0; failed && number < 1000; ++number) {
      offgrid::cuda::calls_until_failure = number;
      try {
        gram.apply(nullptr);
      } catch (const offgrid::Error&) {
      }
      failed = offgrid::cuda::calls_until_failure.exchange(-1) < 0;
      gram.apply(nullptr);
      EXPECT_EQ(gram.h.host(), expected) << number;
    }
  }
}

}  // namespace
