// Arrays of the caller that MPI cannot reach are summed in a copy on the host. Without CUDA every array is the host's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace offgrid::mpi::inside {

// The array itself where it is the host's, or a copy of it, which write_back() copies to the GPU. Waits for the GPU.
class HostView {
 public:
  HostView(void* array, std::int64_t bytes);
  [[nodiscard]] void* data() const { return copy_ ? copy_.get() : array_; }
  void write_back() const;

 private:
  void* array_;
  std::int64_t bytes_;
  std::unique_ptr<std::byte[]> copy_;
};

bool is_on_gpu(const void* array);
int use_device(int number);  // modulo the GPUs that there are; -1 where there is none

}  // namespace offgrid::mpi::inside
