// Replaces operator new and delete in all their forms for this program: a counter, and a failure at a chosen call.
#include "allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "offgrid/offgrid.h"

namespace {

std::atomic<long> live_count{0}, live_bytes{0}, call_count{0};
std::atomic<long> until_failure{0};  // 0: never
std::atomic<std::size_t> largest_request{0};

bool must_fail() {
  ++call_count;
  if (until_failure.load(std::memory_order_relaxed) <= 0) return false;
  return until_failure.fetch_sub(1) == 1;
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  std::size_t largest = largest_request.load();
  while (largest < size && !largest_request.compare_exchange_weak(largest, size)) {
  }
  if (must_fail()) return nullptr;
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* memory = whole < size ? nullptr : std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (memory != nullptr) ++live_count, live_bytes += static_cast<long>(malloc_usable_size(memory));
  return memory;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

void release(void* memory) noexcept {
  if (memory != nullptr) --live_count, live_bytes -= static_cast<long>(malloc_usable_size(memory));
  std::free(memory);
}

constexpr std::size_t plain = alignof(std::max_align_t);
std::size_t number(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace

namespace support::allocations {

long live() { return live_count; }
long bytes() { return live_bytes; }
long calls() { return call_count; }
std::size_t largest() { return largest_request; }
void forget_largest() { largest_request = 0; }
void fail_from_now(long n) { until_failure = n; }
bool see_the_library() {
  const long before = calls();
  offgrid_options options = nullptr;
  if (offgrid_options_create(&options) == OFFGRID_OK) offgrid_options_destroy(options);
  return calls() > before;
}
bool disarm() { return until_failure.exchange(0) <= 0; }

}  // namespace support::allocations

void* operator new(std::size_t size) { return allocate_or_throw(size, plain); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, plain); }
void* operator new(std::size_t size, std::align_val_t a) { return allocate_or_throw(size, number(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return allocate_or_throw(size, number(a)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, plain); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, plain); }
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(size, number(a));
}
void* operator new[](std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(size, number(a));
}

void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept { release(memory); }
