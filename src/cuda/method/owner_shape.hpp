// The tiles of owners (owner_team.cuh). Tuned on an H200.
#pragma once

#include <cstddef>
#include <cstdint>

namespace offgrid::cuda {

inline constexpr int owner_tile = 8;              // cells along an axis
inline constexpr std::int64_t owner_crowd = 512;  // a bin with more points is too much for one warp
inline constexpr int owner_crowd_threads = 256;   // of a block that works on such a bin

// The least blocks per multiprocessor.
constexpr int owner_blocks(std::size_t real_bytes) { return real_bytes == 4 ? 16 : 12; }

}  // namespace offgrid::cuda
