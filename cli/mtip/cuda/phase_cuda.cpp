#include "mtip/cuda/phase_cuda.hpp"

#include <numbers>

namespace cli::mtip {

struct PhaserCuda::Batch {
  Batch(int size, int count, float* target, cudaStream_t stream)
      : fft(size, count, stream),
        density(fft.space_size() * static_cast<std::size_t>(count)),
        projected(density.size()),
        support(density.size()),
        largest(static_cast<std::size_t>(count)),
        spectrum(fft.spectrum_size() * static_cast<std::size_t>(count)),
        errors(static_cast<std::size_t>(count)),
        grid{.size = size,
             .batch = count,
             .density = density.data(),
             .projected = projected.data(),
             .support = support.data(),
             .spectrum = spectrum.data(),
             .target = target,
             .largest = largest.data(),
             .errors = errors.data()} {}
  ~Batch() {
    for (auto& [key, graph] : graphs) (void)cudaGraphExecDestroy(graph);
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  DeviceFft fft;
  DeviceArray<float> density, projected, support, largest;
  DeviceArray<float2> spectrum;
  DeviceArray<double> errors;
  PhaseGrid grid;
  std::map<std::tuple<Step, int, double>, cudaGraphExec_t> graphs;  // by kind, number of steps and beta
};

PhaserCuda::PhaserCuda(const NumericsProblem& problem, const DeviceStream& stream)
    : problem_(problem), stream_(stream) {
  const auto m = static_cast<std::size_t>(problem.modes);
  amplitudes_.resize(m * m * (m / 2 + 1));
  target_.resize(amplitudes_.size());
}

PhaserCuda::~PhaserCuda() = default;

PhaserCuda::Batch& PhaserCuda::batch_of(int count) {
  auto& batch = batches_[count];
  if (!batch) batch = std::make_unique<Batch>(problem_.modes, count, target_.data(), stream_);
  return *batch;
}

void PhaserCuda::one_step(const Batch& batch, Step step, double beta) const {
  batch.fft.forward(batch.grid.density, batch.grid.spectrum);
  launch_put_amplitudes(batch.grid, stream_);
  batch.fft.backward(batch.grid.spectrum, batch.grid.projected);
  if (step == Step::reduction)
    launch_reduce_error(batch.grid, stream_);
  else
    launch_hybrid(batch.grid, static_cast<float>(beta), stream_);
}

void PhaserCuda::steps(Batch& batch, Step step, int count, double beta) {
  if (count < 1) return;
  cudaGraphExec_t& replay = batch.graphs[{step, count, beta}];
  if (replay == nullptr) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "GPU graph");
    for (int i = 0; i < count; ++i) one_step(batch, step, beta);
    check(cudaStreamEndCapture(stream_, &graph), "GPU graph");
    check(cudaGraphInstantiate(&replay, graph, 0), "GPU graph");
    check(cudaGraphDestroy(graph), "GPU graph");
  }
  check(cudaGraphLaunch(replay, stream_), "GPU graph");
}

// The blurred density is left without the factor of the FFTs, which the threshold does not see.
void PhaserCuda::shrink_wrap(const Batch& batch, const PhaseSettings& settings) const {
  const double decay = 2 * std::numbers::pi * std::numbers::pi * settings.blur * settings.blur;
  launch_positive(batch.grid, stream_);
  batch.fft.forward(batch.grid.projected, batch.grid.spectrum);
  launch_blur(batch.grid, static_cast<float>(decay), stream_);
  batch.fft.backward(batch.grid.spectrum, batch.grid.projected);
  launch_shrink(batch.grid, static_cast<float>(settings.threshold),
                static_cast<float>(problem_.radius * problem_.radius), stream_);
}

std::vector<double> PhaserCuda::phase(float* blocks, int count, const PhaseSettings& settings) {
  Batch& batch = batch_of(count);
  const int block = problem_.block();
  launch_targets(amplitudes_.data(), target_.data(), problem_.modes, static_cast<float>(settings.cutoff), stream_);
  launch_ball(batch.grid, static_cast<float>(problem_.radius * problem_.radius), stream_);
  check(cudaMemsetAsync(batch.grid.density, 0, batch.density.size() * sizeof(float), stream_), "GPU memory");
  launch_block_to_grid(blocks, block, batch.grid, stream_);
  for (int round = 0; round < settings.rounds; ++round) {
    steps(batch, Step::reduction, settings.reduction, 0);
    steps(batch, Step::hybrid, settings.hybrid, settings.beta);
    steps(batch, Step::reduction, settings.reduction, 0);
    shrink_wrap(batch, settings);
  }
  steps(batch, Step::reduction, settings.last_reduction, 0);
  launch_grid_to_block(batch.grid, block, blocks, stream_);
  batch.fft.forward(batch.grid.density, batch.grid.spectrum);
  launch_errors(batch.grid, stream_);
  check(cudaGetLastError(), "phasing on the GPU");
  return batch.errors.get(stream_);
}

}  // namespace cli::mtip
