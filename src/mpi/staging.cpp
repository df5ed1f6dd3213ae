#include "mpi/staging.hpp"

#include "mpi/error.hpp"

#ifdef OFFGRID_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace offgrid::mpi::inside {

#ifdef OFFGRID_HAS_CUDA
namespace {

void check_cuda(cudaError_t result, const char* what) {
  if (result != cudaSuccess) throw Error(OFFGRID_DEVICE_ERROR, text(what, ": ", cudaGetErrorString(result)));
}

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  (void)cudaGetLastError();
  return 0;
}

}  // namespace

bool is_on_gpu(const void* array) {
  static const bool has_gpu = device_count() > 0;
  if (!has_gpu || array == nullptr) return false;
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, array) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeDevice;
}

HostView::HostView(void* array, std::int64_t bytes) : array_(array), bytes_(bytes) {
  if (bytes == 0 || !is_on_gpu(array)) return;
  copy_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
  check_cuda(cudaDeviceSynchronize(), "waiting for the GPU");
  check_cuda(cudaMemcpy(copy_.get(), array, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost),
             "copy to the host");
}

void HostView::write_back() const {
  if (!copy_) return;
  check_cuda(cudaMemcpy(array_, copy_.get(), static_cast<std::size_t>(bytes_), cudaMemcpyHostToDevice),
             "copy to the GPU");
}

int use_device(int number) {
  const int count = device_count();
  if (count == 0) return -1;
  check_cuda(cudaSetDevice(number % count), "choice of a GPU");
  return number % count;
}

#else

bool is_on_gpu(const void*) { return false; }
HostView::HostView(void* array, std::int64_t bytes) : array_(array), bytes_(bytes) {}
void HostView::write_back() const {}
int use_device(int) { return -1; }

#endif

}  // namespace offgrid::mpi::inside
