#include "cuda/launch/clear.hpp"

#include "cuda/launch/dependent_launch.cuh"
#include "cuda/launch/enqueue.hpp"

namespace offgrid::cuda {
namespace {

constexpr int threads = 256;
constexpr int dependent_launch_major = 9;                // the least compute capability that has it
constexpr std::size_t most_cleared_by_kernel = 8 << 20;  // bytes; the driver's memset is faster for more

// The next kernel is let start at once, because it has much to do before it needs the cells.
__global__ void __launch_bounds__(threads) clear_kernel(uint4* words, std::uint32_t count, bool half_more) {
  let_next_kernel_start();
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i < count) words[i] = {0, 0, 0, 0};
  if (i == count && half_more) *reinterpret_cast<uint2*>(words + i) = {0, 0};
}

// Whether an error says that the library holds machine code for other GPUs only, and no PTX that this driver can
// compile or may compile.
bool is_missing_code(cudaError_t found) {
  return found == cudaErrorNoKernelImageForDevice || found == cudaErrorInvalidDeviceFunction ||
         found == cudaErrorInvalidKernelImage || found == cudaErrorUnsupportedPtxVersion ||
         found == cudaErrorJitCompilationDisabled;
}

}  // namespace

int code_capability() {
  cudaFuncAttributes code{};
  cudaError_t found = cudaSuccess;
  call("code for this GPU", [&] {
    found = cudaFuncGetAttributes(&code, clear_kernel);
    return is_missing_code(found) ? cudaSuccess : found;
  });
  (void)cudaGetLastError();
  return found == cudaSuccess ? code.ptxVersion : 0;
}

bool has_dependent_launch() { return code_capability() >= 10 * dependent_launch_major; }

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
