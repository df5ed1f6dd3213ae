#include "gpu.hpp"

#include <complex>
#include <offgrid/offgrid.hpp>

namespace nb = nanobind;

#ifdef OFFGRID_HAS_CUDA

#include <cuda_runtime_api.h>

namespace {

void check(const char* what, cudaError_t status) {
  if (status == cudaSuccess) return;
  const auto kind = status == cudaErrorMemoryAllocation ? OFFGRID_OUT_OF_MEMORY : OFFGRID_DEVICE_ERROR;
  throw offgrid::Error(kind, std::string(what) + ": " + cudaGetErrorString(status));
}

struct Block {
  void* memory;
  cudaStream_t stream;
};

void free_block(void* raw) noexcept {
  auto* block = static_cast<Block*>(raw);
  (void)cudaFreeAsync(block->memory, block->stream);
  delete block;
}

}  // namespace

GpuGuard::GpuGuard(int gpu) {
  if (gpu < 0) return;
  int now = 0;
  check("current GPU", cudaGetDevice(&now));
  if (now == gpu) return;
  check("change of GPU", cudaSetDevice(gpu));
  before_ = now;
}

GpuGuard::~GpuGuard() {
  if (before_ >= 0) (void)cudaSetDevice(before_);
}

nb::ndarray<nb::array_api> gpu_empty(const Sizes& shape, const std::string& dtype, int gpu, std::uintptr_t stream) {
  const GpuGuard guard(gpu);
  const bool single = dtype == "complex64";
  std::size_t bytes = single ? 8 : 16;
  for (const std::size_t size : shape) bytes *= size;
  auto* block = new Block{nullptr, reinterpret_cast<cudaStream_t>(stream)};
  const nb::capsule owner(block, free_block);
  check("memory for the result", cudaMallocAsync(&block->memory, bytes ? bytes : 1, block->stream));
  const auto type = single ? nb::dtype<std::complex<float>>() : nb::dtype<std::complex<double>>();
  return {block->memory, shape.size(), shape.data(), owner, nullptr, type, nb::device::cuda::value, gpu};
}

void gpu_wait(int gpu, std::uintptr_t stream) {
  const GpuGuard guard(gpu);
  check("wait for the GPU", cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream)));
}

#else

GpuGuard::GpuGuard(int gpu) {
  if (gpu >= 0) throw offgrid::Error(OFFGRID_DEVICE_ERROR, "this offgrid was built without its CUDA engine");
}

GpuGuard::~GpuGuard() = default;

nb::ndarray<nb::array_api> gpu_empty(const Sizes&, const std::string&, int gpu, std::uintptr_t) {
  const GpuGuard guard(gpu);
  return {};
}

void gpu_wait(int gpu, std::uintptr_t) { const GpuGuard guard(gpu); }

#endif
