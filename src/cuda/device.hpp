// The GPUs of this machine, and where pointers point. Nothing here starts the driver before it is needed: a program that
// works on the CPU only never meets it.
#pragma once

#include <cstddef>
#include <string>

namespace offgrid::cuda {

struct Device {
  int id = 0;
  int multiprocessors = 1;
  int major = 9, minor = 0;
  std::size_t shared_bytes = 48 << 10;  // a block may have
  std::size_t memory_bytes = 0;
  std::string name;
};

Device current_device();     // device_error where there is none, or no driver
std::string device_lines();  // one a GPU, or why there is none

// Makes a device the current one of this thread, for as long as it lives.
class DeviceGuard {
 public:
  explicit DeviceGuard(int id);
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

 private:
  int before_ = -1;  // nothing to restore
};

bool is_device_pointer(const void* pointer);

// invalid_argument where the pointer is of the other kind, or of another device.
void require_device_pointer(const char* what, const void* pointer);
void require_host_pointer(const char* what, const void* pointer);

}  // namespace offgrid::cuda
