// The CUDA backend as the registry sees it, with device.hpp.
#pragma once

#include "core/engine.hpp"
#include "cuda/device.hpp"

namespace offgrid::cuda {

Backend backend();      // device_error where there is no GPU or no driver
void release_memory();  // that is kept for later plans, on all devices

}  // namespace offgrid::cuda
