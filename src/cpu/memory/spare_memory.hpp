// Memory that plans left behind for later ones. The system clears fresh pages one by one when they are first touched, which
// takes as long as sorting the points that are then written there.
#pragma once

#include <cstddef>

namespace offgrid::cpu {

inline constexpr std::size_t cache_line = 64;
inline constexpr std::size_t huge_page = std::size_t{2} << 20;

struct MemoryBlock {
  void* data = nullptr;
  std::size_t bytes = 0;
};

// Returns at least `bytes` bytes, not initialised. Blocks of a huge page or more are aligned to one and ask for huge
// pages.
MemoryBlock take_memory(std::size_t bytes);
// Keeps the block for the next take_memory if it is large but not too large, and frees it otherwise.
void leave_memory(MemoryBlock block) noexcept;
std::size_t spare_bytes() noexcept;  // that are kept
// Frees them.
void free_spare_memory() noexcept;

}  // namespace offgrid::cpu
