// The CUDA backend as the registry sees it.
#pragma once

#include <string>

#include "core/engine.hpp"

namespace offgrid::cuda {

Backend backend();           // device_error where there is no GPU or no driver
std::string device_lines();  // one a GPU, or why there is none

bool is_device_pointer(const void* pointer);
void require_host_pointer(const char* what, const void* pointer);

}  // namespace offgrid::cuda
