// Where plans get their memory from, and where it goes when they are done: the next plan finds it there. Allocating and freeing
// memory by the driver takes longer than most transforms.
//   on the device   a stream-ordered pool of the library's own per GPU. It keeps a part of the GPU's memory; what is beyond
//                   that goes back to the driver
//   page-locked     single values of the host, which are never given back
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace offgrid::cuda {

// On the current device. The memory may be used on any stream at once.
void* take_device_memory(std::size_t bytes);

// No work on the device may use it any more: where that is not known, the device is waited for (see QuietDevice).
void give_back_device_memory(void* memory) noexcept;

// While one lives, this thread has waited for the device and starts no work there, so that memory is given back without
// waiting for the device each time.
class QuietDevice {
 public:
  QuietDevice() noexcept;
  QuietDevice(const QuietDevice&) = delete;
  QuietDevice& operator=(const QuietDevice&) = delete;
  ~QuietDevice();
};

// Copies to memory of the current device; done when it returns. Does not wait for anybody's stream.
void copy_to_device(const char* what, void* target, const void* source, std::size_t bytes);
// The stream of the library's own for such work, which waits for no other.
cudaStream_t set_up_stream();

inline constexpr std::size_t host_value_bytes = 64;
void* take_host_value();  // page-locked, host_value_bytes
void give_back_host_value(void* value) noexcept;

}  // namespace offgrid::cuda
