// The count of the memory that an engine holds: sorted points, grids, tables and scratch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/error.hpp"
#include "core/memory_limit.hpp"
#include "core/text.hpp"

namespace offgrid::cpu {

// What the memory of an engine adds up to, now and at most. It refuses what would exceed the limit, before anything is
// allocated. Any number of threads may add to it.
class MemoryCount {
 public:
  explicit MemoryCount(const MemoryLimit& limit) : limit_(limit) {}

  // Refuses `subject` where its bytes alone exceed the limit.
  void require(const char* subject, std::int64_t bytes) const {
    if (!limit_.allows(bytes)) throw Error(Status::out_of_memory, text(subject, ": ", limit_.refusal(bytes)));
  }

  void add(std::int64_t more) {
    const std::int64_t now = bytes_.fetch_add(more) + more;
    if (!limit_.allows(now)) {
      bytes_ -= more;
      require("memory", now);
    }
    std::int64_t peak = peak_.load();
    while (peak < now && !peak_.compare_exchange_weak(peak, now)) {
    }
  }
  void remove(std::int64_t less) noexcept { bytes_ -= less; }

  [[nodiscard]] std::int64_t limit() const { return limit_.bytes; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(bytes_.load()); }
  [[nodiscard]] std::size_t peak() const { return static_cast<std::size_t>(peak_.load()); }

 private:
  MemoryLimit limit_;
  std::atomic<std::int64_t> bytes_{0}, peak_{0};
};

// Bytes that are part of a count for as long as this lives. Without a count it is nothing.
class Charge {
 public:
  Charge() = default;
  Charge(std::int64_t bytes, MemoryCount* count) : bytes_(bytes), count_(count) {
    if (count_ != nullptr) count_->add(bytes_);
  }
  Charge(Charge&& other) noexcept : bytes_(other.bytes_), count_(std::exchange(other.count_, nullptr)) {}
  Charge& operator=(Charge&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Charge() {
    if (count_ != nullptr) count_->remove(bytes_);
  }

 private:
  std::int64_t bytes_ = 0;
  MemoryCount* count_ = nullptr;
};

// Bytes that a vector has allocated.
template <class V> std::int64_t capacity_bytes(const V& vector) {
  return static_cast<std::int64_t>(vector.capacity() * sizeof(typename V::value_type));
}

}  // namespace offgrid::cpu
