#include "cpu/memory/spare_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <new>

#include "cpu/memory/host_memory.hpp"
#include "cpu/policy.hpp"

namespace offgrid::cpu {
namespace {

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= huge_page ? huge_page : cache_line};
}

MemoryBlock allocate(std::size_t bytes) {
  void* data = ::operator new(bytes, alignment_of(bytes));
  if (bytes >= huge_page) ::madvise(data, bytes, MADV_HUGEPAGE);  // a wish: failure costs speed only
  return {data, bytes};
}

void free_block(MemoryBlock block) noexcept { ::operator delete(block.data, alignment_of(block.bytes)); }

// Blocks in the order in which they were left. Nobody waits for the lock: who does not get it does without. So a process
// that was forked while a thread held it goes on.
class SpareMemory {
 public:
  // A block that is large enough and not much too large, or none.
  MemoryBlock take(std::size_t bytes) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return {};
    std::size_t best = count_;
    for (std::size_t i = 0; i < count_; ++i) {
      if (blocks_[i].bytes < bytes || blocks_[i].bytes / 2 > bytes) continue;
      if (best == count_ || blocks_[i].bytes < blocks_[best].bytes) best = i;
    }
    return best == count_ ? MemoryBlock{} : remove(best);
  }

  void leave(MemoryBlock block) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || block.bytes < least_kept_bytes || block.bytes > most_) return free_block(block);
    while (count_ == blocks_.size() || bytes_ + block.bytes > most_) free_block(remove(0));
    blocks_[count_++] = block;
    bytes_ += block.bytes;
  }

  std::size_t bytes() noexcept {
    const std::scoped_lock lock(mutex_);
    return bytes_;
  }

  void clear() noexcept {
    const std::scoped_lock lock(mutex_);
    while (count_ > 0) free_block(remove(count_ - 1));
  }

 private:
  MemoryBlock remove(std::size_t index) noexcept {
    const MemoryBlock block = blocks_[index];
    std::move(blocks_.begin() + index + 1, blocks_.begin() + count_, blocks_.begin() + index);
    --count_;
    bytes_ -= block.bytes;
    return block;
  }

  const std::size_t most_ = static_cast<std::size_t>(std::min(most_kept_bytes, host_memory().bytes / 16));
  std::mutex mutex_;
  std::array<MemoryBlock, 32> blocks_{};
  std::size_t count_ = 0, bytes_ = 0;
};

SpareMemory& spare_memory() {
  static auto* const all = new SpareMemory;  // plans may outlive static objects
  return *all;
}

}  // namespace

MemoryBlock take_memory(std::size_t bytes) {
  const MemoryBlock kept = bytes >= least_kept_bytes ? spare_memory().take(bytes) : MemoryBlock{};
  if (kept.data != nullptr) return kept;
  try {
    return allocate(bytes);
  } catch (const std::bad_alloc&) {
    free_spare_memory();
    return allocate(bytes);
  }
}

void leave_memory(MemoryBlock block) noexcept {
  block.bytes >= least_kept_bytes ? spare_memory().leave(block) : free_block(block);
}

std::size_t spare_bytes() noexcept { return spare_memory().bytes(); }

void free_spare_memory() noexcept { spare_memory().clear(); }

}  // namespace offgrid::cpu
