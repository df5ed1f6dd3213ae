#include "cuda/plan_memory.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/check.hpp"

namespace offgrid::cuda {
namespace {

constexpr std::size_t kept_part = 16;  // the pool keeps 1/16 of the GPU's memory

// What plans share on one device. It lives as long as the process: the driver takes its memory back.
struct DevicePool {
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;  // null: this device has none, and the driver allocates
};

int current_id() {
  int id = 0;
  call("current device", [&] { return cudaGetDevice(&id); });
  return id;
}

cudaMemPool_t make_pool(int id) {
  int supported = 0;
  call("memory pool", [&] { return cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, id); });
  if (supported == 0) return nullptr;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, id};
  cudaMemPool_t pool = nullptr;
  call("memory pool", [&] { return cudaMemPoolCreate(&pool, &properties); });
  std::size_t free = 0, total = 0;
  call("memory pool", [&] { return cudaMemGetInfo(&free, &total); });
  unsigned long long kept = total / kept_part;
  call("memory pool", [&] { return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept); });
  return pool;
}

const DevicePool& pool_of_current_device() {
  static std::mutex mutex;
  static std::map<int, DevicePool> pools;
  const int id = current_id();
  const std::scoped_lock lock(mutex);
  if (const auto found = pools.find(id); found != pools.end()) return found->second;
  DevicePool made;
  call("stream", [&] { return cudaStreamCreateWithFlags(&made.stream, cudaStreamNonBlocking); });
  made.pool = make_pool(id);
  return pools.emplace(id, made).first->second;
}

thread_local int quiet_devices = 0;

}  // namespace

// The allocation is ordered on a stream where nothing else runs for long, so that waiting for it takes microseconds.
void* take_device_memory(std::size_t bytes) {
  const DevicePool& device = pool_of_current_device();
  void* memory = nullptr;
  if (device.pool == nullptr) {
    call("device memory", [&] { return cudaMalloc(&memory, bytes); });
    return memory;
  }
  call("device memory", [&] { return cudaMallocFromPoolAsync(&memory, bytes, device.pool, device.stream); });
  if (const cudaError_t result = cudaStreamSynchronize(device.stream); result != cudaSuccess) {
    (void)cudaFreeAsync(memory, device.stream);
    check(result, "device memory");
  }
  return memory;
}

void give_back_device_memory(void* memory) noexcept try {
  if (memory == nullptr) return;
  const DevicePool& device = pool_of_current_device();
  if (device.pool == nullptr) {
    (void)cudaFree(memory);
    return;
  }
  if (quiet_devices == 0) (void)cudaDeviceSynchronize();
  (void)cudaFreeAsync(memory, device.stream);
} catch (...) {
  (void)cudaFree(memory);  // it was made to fail by a test, or the device is lost
}

QuietDevice::QuietDevice() noexcept {
  (void)cudaDeviceSynchronize();
  ++quiet_devices;
}
QuietDevice::~QuietDevice() { --quiet_devices; }

cudaStream_t set_up_stream() { return pool_of_current_device().stream; }

void copy_to_device(const char* what, void* target, const void* source, std::size_t bytes) {
  const cudaStream_t stream = set_up_stream();
  call(what, [&] { return cudaMemcpyAsync(target, source, bytes, cudaMemcpyHostToDevice, stream); });
  call(what, [&] { return cudaStreamSynchronize(stream); });
}

namespace {

std::mutex host_values_mutex;
std::vector<void*>& host_values() {
  static auto* values = new std::vector<void*>;  // plans may outlive static objects
  return *values;
}

}  // namespace

void* take_host_value() {
  constexpr std::size_t together = 64;
  const std::scoped_lock lock(host_values_mutex);
  std::vector<void*>& free = host_values();
  if (free.empty()) {
    void* memory = nullptr;
    call("page-locked memory",
         [&] { return cudaHostAlloc(&memory, together * host_value_bytes, cudaHostAllocPortable); });
    for (std::size_t i = 0; i < together; ++i) free.push_back(static_cast<std::byte*>(memory) + i * host_value_bytes);
  }
  void* value = free.back();
  free.pop_back();
  return value;
}

void give_back_host_value(void* value) noexcept {
  if (value == nullptr) return;
  const std::scoped_lock lock(host_values_mutex);
  host_values().push_back(value);  // there was room for it before
}

}  // namespace offgrid::cuda
