#include <algorithm>

#include "common/half_turn.hpp"
#include "cufinufft/turn.hpp"

namespace compat {
namespace {

constexpr int block_size = 256;
constexpr std::int64_t most_blocks = 65536;

template <class R> __global__ void turn_kernel(const R* from, R* to, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t j = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; j < count; j += step)
    to[j] = half_a_turn_on(from[j]);
}

template <class R> cudaError_t launch(const R* from, R* to, std::int64_t count, cudaStream_t stream) {
  const std::int64_t blocks = std::min(most_blocks, (count + block_size - 1) / block_size);
  turn_kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(from, to, count);
  return cudaGetLastError();
}

}  // namespace

cudaError_t turn(const float* from, float* to, std::int64_t count, cudaStream_t stream) {
  return launch(from, to, count, stream);
}

cudaError_t turn(const double* from, double* to, std::int64_t count, cudaStream_t stream) {
  return launch(from, to, count, stream);
}

}  // namespace compat
