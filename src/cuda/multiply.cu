#include <algorithm>

#include "cuda/kernels/complex.cuh"
#include "cuda/launch/clear.hpp"
#include "cuda/launch/dependent_launch.cuh"
#include "cuda/multiply.hpp"

namespace offgrid::cuda {
namespace {

constexpr int threads = 256;
constexpr std::int64_t blocks_per_multiprocessor = 16;
constexpr std::int64_t most_rows = 65535;  // of blocks

// What a product is of, as kernels have it.
template <class T> struct DeviceProduct {
  const Complex<T>* from;
  const T* real;
  const Complex<T>* complex;
  Complex<T>* to;
  std::int64_t count, vectors;
  T sign;                    // of the factors' imaginary parts
  std::uint32_t few_blocks;  // launches of at most this many blocks leave room for the next kernel
};

// Blocks: x elements, y vectors. A thread reads a factor once for all of its vectors.
template <class T>
__global__ void __launch_bounds__(threads) product_kernel(const __grid_constant__ DeviceProduct<T> p) {
  if (gridDim.x * gridDim.y <= p.few_blocks) let_next_kernel_start();
  wait_for_previous_kernel();
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < p.count; i += step) {
    Complex<T> by{1, 0};
    if (p.real != nullptr)
      by.x = p.real[i];
    else if (p.complex != nullptr)
      by = {p.complex[i].x, p.sign * p.complex[i].y};
    for (std::int64_t vector = blockIdx.y; vector < p.vectors; vector += gridDim.y) {
      const std::int64_t at = vector * p.count + i;
      if (p.from == nullptr) {
        p.to[at] = by;
        continue;
      }
      const Complex<T> value = p.from[at];
      if (p.complex != nullptr)
        p.to[at] = times<T>(value, by);
      else
        p.to[at] = {value.x * by.x, value.y * by.x};
    }
  }
}

}  // namespace

template <class T> void multiply(const Product<T>& product, const Queue& queue) {
  if (product.count == 0 || product.vectors == 0) return;
  const std::int64_t most = blocks_per_multiprocessor * queue.multiprocessors;
  const std::int64_t x = std::min((product.count + threads - 1) / threads, most);
  const std::int64_t y = std::clamp<std::int64_t>(most / x, 1, std::min(product.vectors, most_rows));
  const DeviceProduct<T> on_device{reinterpret_cast<const Complex<T>*>(product.from),
                                   product.real,
                                   reinterpret_cast<const Complex<T>*>(product.complex),
                                   reinterpret_cast<Complex<T>*>(product.to),
                                   product.count,
                                   product.vectors,
                                   product.conjugate ? T(-1) : T(1),
                                   static_cast<std::uint32_t>(2 * queue.multiprocessors)};
  const Launch launch{dim3(static_cast<unsigned>(x), static_cast<unsigned>(y)), threads, 0, queue.stream,
                      has_dependent_launch()};
  enqueue("product", product_kernel<T>, launch, on_device);
}

template void multiply(const Product<float>&, const Queue&);
template void multiply(const Product<double>&, const Queue&);

}  // namespace offgrid::cuda
