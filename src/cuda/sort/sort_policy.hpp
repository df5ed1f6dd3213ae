// The tuned numbers of the sort. Found with `offgrid bench --device cuda` on an H200; elsewhere they only cost speed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace offgrid::cuda {

inline constexpr std::int64_t most_set_points = std::int64_t{1}
                                                << 26;  // sorted together; this bounds the scratch memory
inline constexpr std::int64_t most_record_points = std::int64_t{1} << 28;  // for more points set_points moves indices
inline constexpr std::int64_t many_points_per_pass = std::int64_t{1}
                                                     << 20;  // from here on the tiles of the sort are larger,
inline constexpr std::size_t large_tile_bytes = 128 << 10;   // if a block may have this much shared memory

// A digit of a single pass may have more bits than one of several passes, and a pass that moves larger records more bits,
// because it costs more.
inline constexpr int most_digit_bits = 11;
constexpr int most_bits_of_several(std::int64_t record_bytes) { return record_bytes <= 16 ? 9 : 10; }

// Results of more bytes than this per vector are written in the order of the packed points and then brought into the
// caller's order: gathering is faster than scattering, unless tensor cores hide the time of the scattered writes.
inline constexpr std::int64_t scattered_bytes = std::int64_t{32} << 20;
inline constexpr std::int64_t most_gathered_bytes = std::int64_t{1} << 30;  // of all vectors together
constexpr bool gathers_results(int dim, int width, bool f64) {
  return dim == 1 || (dim == 3 ? width <= 3 : !f64 || width <= 12);
}

// Bits for the position t of a point in its cell in a joined record (kernels/points.hpp), or 0 where rounding to them
// would show in the tolerance. Positions that are rounded to multiples of 2^-bits change the sums by at most 0.91 of
// that in 3D.
inline int joined_fraction_bits(int cell_bits, double tolerance) {
  constexpr int most = 30;  // steps are counted in an int
  const int bits = std::min(32 - cell_bits, most);
  return std::ldexp(1.0, -bits) <= 0.15 * tolerance ? bits : 0;
}

}  // namespace offgrid::cuda
