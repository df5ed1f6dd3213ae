// Whether there is a GPU that this build has code for. CUDA and offgrid are asked and not the drop-in: where there is one, a
// drop-in that makes no plan fails its tests, and does not skip them.
#pragma once

#ifdef OFFGRID_HAS_CUDA
#include <cuda_runtime_api.h>
#include <offgrid/offgrid.h>

#include <string>
#endif

namespace support {

inline bool has_gpu() {
#ifdef OFFGRID_HAS_CUDA
  static const bool there = [] {
    int gpus = 0;
    const bool found = cudaGetDeviceCount(&gpus) == cudaSuccess && gpus > 0;
    (void)cudaGetLastError();
    return found && std::string(offgrid_devices()).find("not used: ") == std::string::npos;
  }();
  return there;
#else
  return false;  // without the CUDA engine every call returns 15, as without a GPU
#endif
}

}  // namespace support
