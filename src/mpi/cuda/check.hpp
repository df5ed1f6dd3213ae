// Calls of CUDA: a failure becomes an Error. All work is enqueued on the default stream, as liboffgrid's is here.
#pragma once

#include <cuda_runtime_api.h>
#include <cstdint>

#include "mpi/error.hpp"

namespace offgrid::mpi::inside {

inline void check_cuda(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  (void)cudaGetLastError();  // the next call starts clean
  throw Error(result == cudaErrorMemoryAllocation ? OFFGRID_OUT_OF_MEMORY : OFFGRID_DEVICE_ERROR,
              text(what, ": ", cudaGetErrorString(result)));
}

inline void wait_for_gpu(const char* what) { check_cuda(cudaStreamSynchronize(nullptr), what); }

// Between any two memories; bytes may be 0.
inline void copy_bytes(void* to, const void* from, std::int64_t bytes) {
  if (bytes == 0) return;
  check_cuda(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, nullptr), "copy");
}

}  // namespace offgrid::mpi::inside
