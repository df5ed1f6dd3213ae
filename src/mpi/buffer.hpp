// Arrays in the memory of the host or of a GPU, owned and not initialised.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace offgrid::mpi::inside {

class Memory {
 public:
  [[nodiscard]] virtual void* allocate(std::size_t bytes) const = 0;
  virtual void release(void* memory) const noexcept = 0;

 protected:
  ~Memory() = default;
};

const Memory& host_memory();  // aligned for vectors
const Memory& gpu_memory();   // of the GPU that is current when it is allocated

template <class V> class Buffer {
 public:
  Buffer() = default;
  Buffer(const Memory& memory, std::int64_t size)
      : size_(size), data_(static_cast<V*>(memory.allocate(sizeof(V) * at_least_one(size))), Release{&memory}) {}

  [[nodiscard]] V* data() const { return data_.get(); }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t bytes() const { return size_ * std::int64_t{sizeof(V)}; }

 private:
  // An empty array has an address, too: it says which memory it is in.
  static std::size_t at_least_one(std::int64_t size) {
    return static_cast<std::size_t>(std::max<std::int64_t>(1, size));
  }
  struct Release {
    const Memory* memory = nullptr;
    void operator()(V* data) const { memory->release(data); }
  };
  std::int64_t size_ = 0;
  std::unique_ptr<V, Release> data_;
};

}  // namespace offgrid::mpi::inside
