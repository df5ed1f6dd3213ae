#include "registry.hpp"

#include "core/error.hpp"
#include "cpu/engine.hpp"

namespace offgrid {

Backend backend_for(DeviceKind device) {
  if (device == DeviceKind::cuda)
    throw Error(Status::device_error, "device = cuda: this build has no CUDA engine; use device = cpu or auto");
  return cpu::backend();
}

std::string list_devices() { return cpu::device_line() + "\n"; }

}  // namespace offgrid
