// The tuned numbers of the engine itself; those of the methods, the sort and the FFT are in their rooms. Found with
// `offgrid bench --device cuda` on an H200; elsewhere they only cost speed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace offgrid::cuda {

inline constexpr std::size_t kept_scratch_bytes = std::size_t{2} << 30;  // of the sort, for the next set_points
// Factors of at most this many bytes, and of half of the L2 cache, stay in that cache, so that kernels that meet points in the
// order of the sort multiply by them. A random read of more costs more than a kernel of its own that reads them in order.
inline constexpr std::size_t most_factor_bytes = std::size_t{24} << 20;
inline constexpr std::int64_t most_subproblem_points = std::int64_t{1} << 20;  // of crowded points in f64

// Executes on grids of at most this many cells, over all vectors of a batch, are bound by their launches, and are recorded
// and replayed (launch/graph.hpp).
constexpr std::int64_t most_replayed_cells(int dim, std::size_t real_bytes) {
  if (dim == 3 && real_bytes == 4) return std::int64_t{13} << 15;
  return std::int64_t{dim == 2 && real_bytes == 8 ? 3 : 4} << 15;
}
// The same for convolutions, which have more kernels per cell. Found with bench/gram_time.py: 256 x 256 modes are bound by
// launches, 1024 x 1024 are not.
inline constexpr std::int64_t most_replayed_convolution_cells = std::int64_t{1} << 22;
inline constexpr int times_until_replay = 2;    // executes, the one that is recorded included
inline constexpr std::size_t most_replays = 4;  // kinds of work that are known at a time

}  // namespace offgrid::cuda
