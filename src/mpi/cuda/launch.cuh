// One kernel for all: body(plane, i) for planes x length places, as many threads as there are places.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mpi/cuda/check.hpp"

namespace offgrid::mpi::inside {

inline constexpr int launch_threads = 256;

template <class Body>
__global__ void __launch_bounds__(launch_threads) places_kernel(std::int64_t planes, std::int64_t length, Body body) {
  for (std::int64_t plane = blockIdx.y; plane < planes; plane += gridDim.y)
    for (std::int64_t i = std::int64_t{blockIdx.x} * launch_threads + threadIdx.x; i < length;
         i += std::int64_t{gridDim.x} * launch_threads)
      body(plane, i);
}

template <class Body> void launch(const char* what, std::int64_t planes, std::int64_t length, Body body) {
  if (planes == 0 || length == 0) return;
  constexpr std::int64_t most_across = std::int64_t{1} << 20, most_planes = 65535;
  const std::int64_t across = std::min((length + launch_threads - 1) / launch_threads, most_across);
  const dim3 blocks(static_cast<unsigned>(across), static_cast<unsigned>(std::min(planes, most_planes)));
  places_kernel<<<blocks, launch_threads>>>(planes, length, body);
  check_cuda(cudaGetLastError(), what);
}

}  // namespace offgrid::mpi::inside
