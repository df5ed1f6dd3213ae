// The heavy steps on a GPU: NUFFTs by offgrid on device arrays, FFTs by cuFFT, the rest by kernels of this folder. Images,
// slices, amplitudes and the density stay on the device.
#include <algorithm>
#include <cstdint>

#include "gpu.hpp"
#include "mtip/cuda/device.hpp"
#include "mtip/cuda/merge_cuda.hpp"
#include "mtip/cuda/phase_cuda.hpp"
#include "mtip/cuda/slice_cuda.hpp"
#include "mtip/numerics.hpp"
#include "text.hpp"

namespace cli::mtip {
namespace {

class CudaNumerics final : public Numerics {
 public:
  CudaNumerics(const NumericsProblem& problem, const NumericsData& data)
      : problem_(problem), slicer_(problem, data, stream_), merger_(problem, data, stream_), phaser_(problem, stream_) {
    const auto block = static_cast<std::size_t>(problem.block());
    block_voxels_ = block * block * block;
    density_.resize(block_voxels_);
    check(cudaMemset(density_.data(), 0, block_voxels_ * sizeof(float)), "GPU memory");
  }

  [[nodiscard]] std::string describe() const override {
    cudaDeviceProp properties{};
    int device = 0;
    check(cudaGetDevice(&device), "GPU");
    check(cudaGetDeviceProperties(&properties, device), "GPU");
    return properties.name;
  }

  void set_density(const Volume& block) override {
    stream_.wait();
    density_.set(block.values);
  }
  [[nodiscard]] Volume density() const override { return {.size = problem_.block(), .values = density_.get(stream_)}; }

  void merge(std::span<const Rotation> rotations, const MergeSettings& settings) override {
    merger_.merge(rotations, settings, phaser_.amplitudes().data());
    stream_.wait();  // so that the times of the steps are true
  }
  [[nodiscard]] std::vector<float> amplitudes() const override { return phaser_.amplitudes().get(stream_); }

  double phase(const PhaseSettings& settings) override { return phaser_.phase(density_.data(), 1, settings)[0]; }

  std::vector<double> phase_several(std::span<const std::uint64_t> seeds, const PhaseSettings& settings) override {
    std::vector<float> blocks;
    for (const std::uint64_t seed : seeds) {
      const Volume fresh = fresh_density(problem_, seed);
      blocks.insert(blocks.end(), fresh.values.begin(), fresh.values.end());
    }
    const std::vector<float> present = density_.get(stream_);
    blocks.insert(blocks.end(), present.begin(), present.end());
    DeviceArray<float> several(blocks);
    std::vector<double> errors = phaser_.phase(several.data(), static_cast<int>(seeds.size()) + 1, settings);
    const auto best = static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin());
    check(cudaMemcpy(density_.data(), several.data() + best * block_voxels_, block_voxels_ * sizeof(float),
                     cudaMemcpyDeviceToDevice),
          "copy on the GPU");
    return errors;
  }

  void slice(std::span<const Rotation> candidates, std::int64_t pixels) override {
    slicer_.slice(density_.data(), candidates, pixels);
    stream_.wait();
  }
  Matches match() override { return slicer_.match(); }
  Matches refine(std::span<const Rotation> rotations, std::span<const Rotation> offsets) override {
    return slicer_.refine(rotations, offsets);
  }

 private:
  NumericsProblem problem_;
  DeviceStream stream_;
  DeviceArray<float> density_;
  std::size_t block_voxels_ = 0;
  SlicerCuda slicer_;
  MergerCuda merger_;
  PhaserCuda phaser_;
};

}  // namespace

bool cuda_numerics_available() { return gpu::available(); }

std::unique_ptr<Numerics> make_cuda_numerics(const NumericsProblem& problem, const NumericsData& data) {
  if (!gpu::available()) throw InputError("--device cuda: no GPU that offgrid can use was found; take --device cpu");
  return std::make_unique<CudaNumerics>(problem, data);
}

}  // namespace cli::mtip
