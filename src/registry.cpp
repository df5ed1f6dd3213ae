#include "registry.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "cpu/engine.hpp"
#ifdef OFFGRID_HAS_CUDA
#include "cuda/engine.hpp"
#endif

namespace offgrid {

#ifdef OFFGRID_HAS_CUDA

namespace {

// Of the GPU; nothing where none can be used.
MemoryLimit gpu_memory() {
  try {
    return cuda::backend().traits.grid_memory;
  } catch (const Error&) {
    return {0};
  }
}

}  // namespace

Backend backend_for(DeviceKind device) {
  Backend host = cpu::backend();
  if (device == DeviceKind::cuda) {
    Backend backend = cuda::backend();
    backend.traits.host_memory = host.traits.host_memory;
    return backend;
  }
  host.check_array = cuda::require_host_pointer;
  if (device == DeviceKind::automatic) {
    const MemoryLimit gpu = gpu_memory();
    if (gpu.bytes > host.traits.grid_memory.bytes) {
      host.traits.grid_memory = gpu;
      host.traits.kept_as = text("cpu, perhaps, ", gpu.bytes);
    }
  }
  return host;
}

DeviceKind device_of(const void* array) { return cuda::is_device_pointer(array) ? DeviceKind::cuda : DeviceKind::cpu; }

std::string list_devices() { return cpu::device_line() + "\n" + cuda::device_lines(); }

std::string gpu_without_code() { return cuda::gpu_without_code(); }

void release_memory() {
  cpu::release_memory();
  cuda::release_memory();
}

#else

Backend backend_for(DeviceKind device) {
  if (device == DeviceKind::cuda)
    throw Error(Status::device_error, "device = cuda: this build has no CUDA engine; use device = cpu or auto");
  return cpu::backend();
}

DeviceKind device_of(const void*) { return DeviceKind::cpu; }

std::string list_devices() { return cpu::device_line() + "\n"; }

std::string gpu_without_code() { return ""; }

void release_memory() { cpu::release_memory(); }

#endif

}  // namespace offgrid
