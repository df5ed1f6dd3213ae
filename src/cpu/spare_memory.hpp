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

// At least so many bytes, not initialised. Blocks from a huge page on are aligned to one and ask for them.
MemoryBlock take_memory(std::size_t bytes);
// Kept for the next who takes it where it is large but not too large, freed otherwise.
void leave_memory(MemoryBlock block) noexcept;
std::size_t spare_bytes() noexcept;  // that are kept
// Frees them.
void free_spare_memory() noexcept;

}  // namespace offgrid::cpu
