// The few calls of the CUDA runtime that libcufinufft needs itself. Without the CUDA engine every one of them is refused with
// FINUFFT_ERR_CUDA_FAILURE. No part of CUDA is needed to load the library: its runtime is linked in, and finds the driver by
// itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/plan.hpp"

namespace compat {

// Makes a GPU the current one of this thread, for as long as it lives.
class GpuGuard {
 public:
  explicit GpuGuard(int id);
  GpuGuard(const GpuGuard&) = delete;
  GpuGuard& operator=(const GpuGuard&) = delete;
  ~GpuGuard();

 private:
  [[maybe_unused]] int before_ = -1;  // nothing to restore
};

// Shared memory that one block of this GPU may have.
std::size_t shared_bytes_of(int id);

// Waits for what was enqueued on the stream, unless the caller is capturing it: then nothing runs, and a wait would break the
// capture.
void wait_for(void* stream);

// Coordinates on the GPU, half a turn on: those of a spreadinterponly plan (common/plan.hpp). The memory is freed in the order
// of the stream.
class TurnedAxis {
 public:
  TurnedAxis() = default;
  TurnedAxis(const void* axis, std::int64_t count, offgrid_precision precision, void* stream);
  TurnedAxis(const TurnedAxis&) = delete;
  TurnedAxis& operator=(const TurnedAxis&) = delete;
  TurnedAxis(TurnedAxis&& other) noexcept;
  TurnedAxis& operator=(TurnedAxis&& other) noexcept;
  ~TurnedAxis();
  [[nodiscard]] const void* data() const { return memory_; }

 private:
  void* memory_ = nullptr;
  void* stream_ = nullptr;
};

}  // namespace compat
