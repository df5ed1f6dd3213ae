// The few calls of the CUDA runtime that the extension needs itself; without the CUDA engine, none is made.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <vector>

// Makes a GPU the current one of this thread, for as long as it lives. -1: nothing.
class GpuGuard {
 public:
  explicit GpuGuard(int gpu);
  GpuGuard(const GpuGuard&) = delete;
  GpuGuard& operator=(const GpuGuard&) = delete;
  ~GpuGuard();

 private:
  int before_ = -1;  // nothing to restore
};

// Memory of a GPU as an object with DLPack, for kinds of arrays that cannot be written in place. The memory is freed in
// the order of the stream that it was allocated on. `dtype`: complex64 or complex128.
using Sizes = std::vector<std::size_t>;
nanobind::ndarray<nanobind::array_api> gpu_empty(const Sizes& shape, const std::string& dtype, int gpu,
                                                 std::uintptr_t stream);

// Waits until the stream has done its work.
void gpu_wait(int gpu, std::uintptr_t stream);
