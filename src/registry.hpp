// The one place that names the backends: a device option, or where an array lies, becomes a backend.
#pragma once

#include <string>

#include "core/engine.hpp"

namespace offgrid {

// device_error where the device is not there or not built for. automatic is the CPU with the memory of the GPU, where there is
// one that has more: for plans that the host has no memory for, before it is known where their points are. It starts the
// driver.
Backend backend_for(DeviceKind device);

DeviceKind device_of(const void* array);  // cpu or cuda
std::string list_devices();               // one per line
std::string gpu_without_code();           // a GPU that counts as not there, and why; nothing where there is none such

// What plans left behind for later ones goes back to the system and to the driver.
void release_memory();

}  // namespace offgrid
