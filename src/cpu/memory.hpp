// Host memory: aligned arrays that are not initialised. Large ones ask for huge pages, which spreading into a 3D grid
// needs to stay within the reach of the TLB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "core/validate.hpp"
#include "cpu/memory_count.hpp"

namespace offgrid::cpu {

inline constexpr std::size_t cache_line = 64;
inline constexpr std::size_t huge_page = std::size_t{2} << 20;

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
    const auto bytes = static_cast<std::size_t>(signed_bytes);
    const std::size_t alignment = bytes >= huge_page ? huge_page : cache_line;
    data_ = Pointer(static_cast<T*>(::operator new (bytes, std::align_val_t{alignment})), Free{alignment});
    if (alignment == huge_page) ::madvise(data_.get(), bytes, MADV_HUGEPAGE);  // a wish: failure costs speed only
  }

  [[nodiscard]] T* data() const { return data_.get(); }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  T& operator[](std::int64_t index) const { return data_.get()[index]; }

 private:
  struct Free {
    std::size_t alignment = cache_line;
    void operator()(T* data) const { ::operator delete (data, std::align_val_t{alignment}); }
  };
  using Pointer = std::unique_ptr<T, Free>;

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
