// Memory of a GPU for the tests; never called where there is none.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

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

// An array of the host or of a GPU, for tests that see the C interface only.
enum class Side { host, gpu };

template <class V> class PlacedArray {
 public:
  PlacedArray(Side side, std::vector<V> values) : values_(std::move(values)) {
    if (side == Side::gpu) memory_ = copy_to_gpu(values_.data(), values_.size() * sizeof(V));
  }
  [[nodiscard]] V* data() { return memory_ ? static_cast<V*>(memory_.get()) : values_.data(); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] const std::vector<V>& values() {
    if (memory_) copy_from_gpu(values_.data(), memory_.get(), values_.size() * sizeof(V));
    return values_;
  }

 private:
  std::vector<V> values_;
  std::shared_ptr<void> memory_;  // on a GPU
};

}  // namespace support
