// Phasing on a GPU: phase_cpu.hpp's steps for several densities at once, as CUDA graphs of all steps of a kind in a row.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "mtip/cuda/device.hpp"
#include "mtip/cuda/phase_kernels.hpp"
#include "mtip/numerics.hpp"

namespace cli::mtip {

class PhaserCuda {
 public:
  PhaserCuda(const NumericsProblem& problem, const DeviceStream& stream);
  ~PhaserCuda();
  PhaserCuda(const PhaserCuda&) = delete;
  PhaserCuda& operator=(const PhaserCuda&) = delete;

  // In the order of RealFft's spectrum of size M, on the device; to be filled.
  [[nodiscard]] DeviceArray<float>& amplitudes() { return amplitudes_; }
  [[nodiscard]] const DeviceArray<float>& amplitudes() const { return amplitudes_; }

  // blocks: [batch, block, block, block] on the device, replaced. Returns the relative errors of the amplitudes.
  std::vector<double> phase(float* blocks, int batch, const PhaseSettings& settings);

 private:
  struct Batch;  // grids, FFT and graphs for as many densities at once
  enum class Step { reduction, hybrid };

  Batch& batch_of(int count);
  void one_step(const Batch& batch, Step step, double beta) const;
  void steps(Batch& batch, Step step, int count, double beta);
  void shrink_wrap(const Batch& batch, const PhaseSettings& settings) const;

  NumericsProblem problem_;
  const DeviceStream& stream_;
  DeviceArray<float> amplitudes_, target_;
  std::map<int, std::unique_ptr<Batch>> batches_;
};

}  // namespace cli::mtip
