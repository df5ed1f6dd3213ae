// The one place that names the backends: a device option, or where an array lies, becomes a backend.
#pragma once

#include <string>

#include "core/engine.hpp"

namespace offgrid {

// device_error where the device is not there or not built for. automatic is the CPU: nothing is known of the arrays yet.
// Where there may be a GPU, a grid that is too large for the memory of the host is then refused by set_points only.
Backend backend_for(DeviceKind device);

DeviceKind device_of(const void* array);  // cpu or cuda
std::string list_devices();               // one a line
std::string gpu_without_code();           // a GPU that counts as not there, and why; nothing where there is none such

// What plans left behind for later ones goes back to the system and to the driver.
void release_memory();

}  // namespace offgrid
