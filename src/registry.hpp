// The one place that names the backends: a device option becomes a backend.
#pragma once

#include <string>

#include "core/engine.hpp"

namespace offgrid {

Backend backend_for(DeviceKind device);  // device_error where the device is not there or not built for
std::string list_devices();              // one a line

}  // namespace offgrid
