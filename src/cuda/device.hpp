// The GPUs of this machine, and where pointers point. Nothing here starts the driver before it is needed: a program that
// works on the CPU only never meets it.
#pragma once

#include <cstddef>
#include <string>

namespace offgrid::cuda {

// What the choice of a method asks of a device.
struct DeviceLimits {
  int multiprocessors = 1;
  int major = 9;                        // compute capability of the GPU
  int code = 90;                        // capability the kernels were compiled for, 10 major + minor; 0: none runs
  std::size_t shared_bytes = 48 << 10;  // of a block, at most
};

struct Device {
  int id = 0;
  int multiprocessors = 1;
  int major = 9, minor = 0;
  int code = 90;                        // capability the kernels were compiled for, 10 major + minor; 0: none runs
  std::size_t shared_bytes = 48 << 10;  // a block may have
  std::size_t memory_bytes = 0;
  std::size_t cache_bytes = 0;  // of the second-level cache
  std::string name;

  [[nodiscard]] DeviceLimits limits() const { return {multiprocessors, major, code, shared_bytes}; }
};

const Device& current_device();  // device_error where there is none, no driver, or no code for it
std::string device_lines();      // one per GPU, or why there is none

// Which GPU the library has no code for and why, or nothing. Like device_lines, it does not start work on any GPU.
std::string gpu_without_code();

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
