// Where plans get their memory from, and where it goes when they are done: the next plan finds it there. The driver takes
// longer to allocate and to free memory than most transforms last.
//   on the device   blocks of a few sizes. Those that are idle are kept, up to a part of the GPU's memory per GPU; what is
//                   beyond that goes back to the driver, and all of it does where the driver has no memory left
//   page-locked     single values of the host, which are never given back
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace offgrid::cuda {

// On the current device. The memory may be used on any stream at once.
void* take_device_memory(std::size_t bytes);

// `bytes` as it was taken. No work on the device may use it any more: where that is not known, the device is waited for.
void give_back_device_memory(void* memory, std::size_t bytes) noexcept;

// All idle blocks of all devices go back to the driver.
void free_idle_device_memory();

// Waits for the device. While one lives, this thread starts no work there, so that memory is given back without waiting for
// the device each time.
class QuietDevice {
 public:
  QuietDevice() noexcept;
  QuietDevice(const QuietDevice&) = delete;
  QuietDevice& operator=(const QuietDevice&) = delete;
  ~QuietDevice();
};

// The stream of the library's own on the current device, which waits for no other; and copies on it, done when it returns.
cudaStream_t set_up_stream();
void copy_to_device(const char* what, void* target, const void* source, std::size_t bytes);

inline constexpr std::size_t host_value_bytes = 64;
void* take_host_value();  // page-locked, host_value_bytes
void give_back_host_value(void* value) noexcept;

}  // namespace offgrid::cuda
