// The tuned numbers of the CPU engine. Found with `offgrid bench` and bench/compare_finufft.py on a Zen 4 core
// (32 KiB L1, 1 MiB L2); the choices only cost speed elsewhere.
#pragma once

#include <cstdint>

#include "core/design.hpp"
#include "core/types.hpp"

namespace offgrid::cpu {

// Points are sorted into boxes of grid cells. A box with its halo should stay in the first-level cache; more boxes than
// max_boxes would make the counting sort miss the cache itself.
struct SortPolicy {
  Sizes box_log2{};  // sides of a box, powers of two
  std::int64_t max_boxes = 1 << 16;
  std::int64_t max_points = (std::int64_t{1} << 32) - 1;  // of one sorted set: its indices have 32 bits
};

constexpr SortPolicy sort_policy(int dim) {
  if (dim == 1) return {{10, 0, 0}};
  if (dim == 2) return {{4, 3, 0}};
  return {{3, 2, 2}};
}

// Blocks of boxes that one thread spreads at a time. A block reaches width - 1 cells into the next one, never further.
constexpr int block_log2(int dim, int width) {
  if (dim == 1) return 13;
  return width <= 9 ? 3 : 4;
}

inline constexpr std::int64_t fold_chunk = 256;        // points folded at a time, in first-level cache
inline constexpr std::int64_t min_part_points = 4096;  // fewer points than this are not shared by threads when sorting
inline constexpr std::int64_t max_spare_bytes = std::int64_t{256}
                                                << 20;    // memory that set_points may keep for its next call
inline constexpr std::int64_t item_points = 4096;         // points in a unit of work, unless a block is dense
inline constexpr std::int64_t dense_block_points = 8192;  // a block under this is never shared by threads
inline constexpr int chunk_points = 16;                   // points whose kernel values are held at a time

// Cycles of one core, for the choice of sigma and width.
inline BackendTraits cost_traits(int vector_bytes) {
  BackendTraits traits{"cpu", vector_bytes / 4, vector_bytes / 8};
  traits.point = 20, traits.kernel_axis = 0.7, traits.row_vector = 2, traits.fft = 4, traits.cell = 16;
  traits.batch_bytes = std::int64_t{8} << 20;
  return traits;
}

}  // namespace offgrid::cpu
