// The tiles of owners (owner_team.cuh). Tuned on an H200.
#pragma once

#include <cstddef>
#include <cstdint>

namespace offgrid::cuda {

inline constexpr int owner_tile = 8;              // cells along an axis
inline constexpr std::int64_t owner_crowd = 512;  // points in a bin that are too many for one warp
inline constexpr int owner_crowd_threads = 256;   // of the blocks that work on such a bin
constexpr int owner_blocks(std::size_t real_bytes) {
  return real_bytes == 4 ? 16 : 12;
}  // per multiprocessor, at least

}  // namespace offgrid::cuda
