#include "mpi/gpu.hpp"

#include <cstring>

#include "mpi/buffer.hpp"
#include "mpi/cuda/check.hpp"

namespace offgrid::mpi::inside {
namespace {

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  (void)cudaGetLastError();
  return 0;
}

cudaPointerAttributes attributes_of(const void* array) {
  cudaPointerAttributes attributes{};
  attributes.type = cudaMemoryTypeUnregistered;
  if (array == nullptr || !has_gpu()) return attributes;
  if (cudaPointerGetAttributes(&attributes, array) == cudaSuccess) return attributes;
  (void)cudaGetLastError();
  attributes.type = cudaMemoryTypeUnregistered;
  return attributes;
}

class GpuMemory final : public Memory {
 public:
  void* allocate(std::size_t bytes) const override {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, bytes), "memory of the GPU");
    return memory;
  }
  void release(void* memory) const noexcept override { (void)cudaFree(memory); }
};

}  // namespace

bool has_gpu() {
  static const bool answer = device_count() > 0;
  return answer;
}

void wait_for_gpu() { check_cuda(cudaDeviceSynchronize(), "waiting for the GPU"); }

Place place_of(const void* array) {
  return attributes_of(array).type == cudaMemoryTypeDevice ? Place::gpu : Place::host;
}

void require_place(Place place, const char* what, const void* array) {
  if (array == nullptr) return;
  const cudaPointerAttributes attributes = attributes_of(array);
  const bool is_gpus = attributes.type == cudaMemoryTypeDevice;
  if (place == Place::host && is_gpus)
    throw Error(OFFGRID_INVALID_ARGUMENT,
                text(what, ": the array is on a GPU, expected one of the host, as the points"));
  if (place == Place::host) return;
  if (!is_gpus && attributes.type != cudaMemoryTypeManaged)
    throw Error(OFFGRID_INVALID_ARGUMENT,
                text(what, ": the array is the host's, expected one on the GPU, as the points"));
  if (is_gpus && attributes.device != current_gpu())
    throw Error(OFFGRID_INVALID_ARGUMENT, text(what, ": the array is on GPU ", attributes.device,
                                               ", but this rank works on GPU ", current_gpu()));
}

int use_device(int number) {
  const int count = device_count();
  if (count == 0) return -1;
  check_cuda(cudaSetDevice(number % count), "choice of a GPU");
  return number % count;
}

int current_gpu() {
  int device = -1;
  if (has_gpu()) check_cuda(cudaGetDevice(&device), "current GPU");
  return device;
}

std::array<std::int64_t, 2> name_of_current_gpu() {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, current_gpu()), "properties of the GPU");
  std::array<std::int64_t, 2> name{};
  static_assert(sizeof name == sizeof properties.uuid);
  std::memcpy(name.data(), &properties.uuid, sizeof name);
  return name;
}

OnGpu::OnGpu(int device) {
  if (device < 0 || device == current_gpu()) return;
  before_ = current_gpu();
  check_cuda(cudaSetDevice(device), "choice of a GPU");
}
OnGpu::~OnGpu() {
  if (before_ >= 0) (void)cudaSetDevice(before_);
}

const Memory& gpu_memory() {
  static const GpuMemory memory;
  return memory;
}

}  // namespace offgrid::mpi::inside
