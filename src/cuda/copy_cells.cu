#include "cuda/copy_cells.hpp"

#include <algorithm>

#include "cuda/launch/enqueue.hpp"

namespace offgrid::cuda {
namespace {

constexpr int threads = 256;
constexpr std::int64_t most_blocks = 4096;

__global__ void __launch_bounds__(threads) narrow_kernel(const double2* from, float2* to, std::int64_t count) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * threads)
    to[i] = {static_cast<float>(from[i].x), static_cast<float>(from[i].y)};
}

}  // namespace

template <class T>
void copy_cells(const std::complex<T>* from, std::complex<T>* to, std::int64_t count, cudaStream_t stream) {
  const std::size_t bytes = sizeof(std::complex<T>) * static_cast<std::size_t>(count);
  call("copying cells", [&] { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream); });
}

void copy_cells(const std::complex<double>* from, std::complex<float>* to, std::int64_t count, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(std::clamp<std::int64_t>((count + threads - 1) / threads, 1, most_blocks));
  enqueue("copying cells", narrow_kernel, {dim3(blocks), threads, 0, stream}, reinterpret_cast<const double2*>(from),
          reinterpret_cast<float2*>(to), count);
}

template void copy_cells(const std::complex<float>*, std::complex<float>*, std::int64_t, cudaStream_t);
template void copy_cells(const std::complex<double>*, std::complex<double>*, std::int64_t, cudaStream_t);

}  // namespace offgrid::cuda
