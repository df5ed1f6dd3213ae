#include "cuda/clear.hpp"

#include "cuda/early.cuh"
#include "cuda/launch.hpp"
#include "cuda/policy.hpp"

namespace offgrid::cuda {
namespace {

constexpr int threads = 256;

// The next kernel has much to do before it needs the cells.
__global__ void __launch_bounds__(threads) clear_kernel(uint4* words, std::uint32_t count, bool half_more) {
  let_next_kernel_start();
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i < count) words[i] = {0, 0, 0, 0};
  if (i == count && half_more) *reinterpret_cast<uint2*>(words + i) = {0, 0};
}

}  // namespace

bool kernels_wait() {
  cudaFuncAttributes code{};
  call("clearing cells", [&] { return cudaFuncGetAttributes(&code, clear_kernel); });
  return code.ptxVersion >= 10 * early_major;
}

bool clear_cells(void* memory, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0 || bytes > most_cleared_by_kernel) {
    enqueue_clear("clearing cells", memory, bytes, stream);
    return false;
  }
  const auto count = static_cast<std::uint32_t>(bytes / 16);
  enqueue("clearing cells", clear_kernel, {dim3(count / threads + 1), threads, 0, stream}, static_cast<uint4*>(memory),
          count, bytes % 16 != 0);
  return true;
}

}  // namespace offgrid::cuda
