// Host memory: aligned arrays that are not initialised. Large ones have huge pages, which spreading into a 3D grid needs to
// stay within the reach of the TLB, and are left to later plans (spare_memory.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/validate.hpp"
#include "cpu/memory/memory_count.hpp"
#include "cpu/memory/spare_memory.hpp"

namespace offgrid::cpu {

template <class T> class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  explicit Buffer(std::int64_t size, MemoryCount* count = nullptr) : size_(size) {
    if (size == 0) return;
    const std::int64_t signed_bytes = checked_product("memory", size, std::int64_t{sizeof(T)});
    charge_ = Charge(signed_bytes, count);  // throws before anything is allocated
    const MemoryBlock block = take_memory(static_cast<std::size_t>(signed_bytes));
    data_ = Pointer(static_cast<T*>(block.data), Leave{block.bytes});
  }

  [[nodiscard]] T* data() const { return data_.get(); }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  T& operator[](std::int64_t index) const { return data_.get()[index]; }

 private:
  struct Leave {
    std::size_t bytes = 0;
    void operator()(T* data) const { leave_memory({data, bytes}); }
  };
  using Pointer = std::unique_ptr<T, Leave>;

  void swap(Buffer& other) noexcept {
    std::swap(charge_, other.charge_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  Charge charge_;
  Pointer data_;
  std::int64_t size_ = 0;
};

}  // namespace offgrid::cpu
