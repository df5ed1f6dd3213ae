// Memory of a GPU for the tests; never called where there is none.
#pragma once

#include <memory>
#include <stdexcept>

#ifdef OFFGRID_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace support {

#ifdef OFFGRID_HAS_CUDA

inline void check_gpu(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

inline void fill_gpu(void* to, const void* from, std::size_t bytes) {
  check_gpu(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
  check_gpu(cudaDeviceSynchronize());  // it may return before the copy is done, and the tests' streams do not wait
}

inline std::shared_ptr<void> copy_to_gpu(const void* from, std::size_t bytes) {
  void* memory = nullptr;
  check_gpu(cudaMalloc(&memory, bytes > 0 ? bytes : 1));
  std::shared_ptr<void> owner(memory, [](void* old) { (void)cudaFree(old); });
  fill_gpu(memory, from, bytes);
  return owner;
}

inline void copy_from_gpu(void* to, const void* from, std::size_t bytes) {
  check_gpu(cudaDeviceSynchronize());
  check_gpu(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

#else

inline std::shared_ptr<void> copy_to_gpu(const void*, std::size_t) { throw std::logic_error("built without CUDA"); }
inline void copy_from_gpu(void*, const void*, std::size_t) { throw std::logic_error("built without CUDA"); }

#endif

}  // namespace support
