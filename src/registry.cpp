#include "registry.hpp"

#include "core/error.hpp"
#include "cpu/engine.hpp"
#ifdef OFFGRID_HAS_CUDA
#include "cuda/engine.hpp"
#endif

namespace offgrid {

#ifdef OFFGRID_HAS_CUDA

Backend backend_for(DeviceKind device) {
  if (device == DeviceKind::cuda) return cuda::backend();
  Backend backend = cpu::backend();
  backend.check_array = cuda::require_host_pointer;
  return backend;
}

DeviceKind device_of(const void* array) { return cuda::is_device_pointer(array) ? DeviceKind::cuda : DeviceKind::cpu; }

std::string list_devices() { return cpu::device_line() + "\n" + cuda::device_lines(); }

std::string gpu_without_code() { return cuda::gpu_without_code(); }

#else

Backend backend_for(DeviceKind device) {
  if (device == DeviceKind::cuda)
    throw Error(Status::device_error, "device = cuda: this build has no CUDA engine; use device = cpu or auto");
  return cpu::backend();
}

DeviceKind device_of(const void*) { return DeviceKind::cpu; }

std::string list_devices() { return cpu::device_line() + "\n"; }

std::string gpu_without_code() { return ""; }

#endif

}  // namespace offgrid
