// How many threads a piece of work deserves.
// All numbers are nanoseconds on one core, rounded; found with `offgrid bench --threads 1` on a Zen 4 core (f64). They
// only decide how work is shared, so that a factor of two costs little.
#pragma once

#include <algorithm>
#include <cstdint>

namespace offgrid::cpu {

// Waking a thread and waiting for it takes microseconds, and much longer where other programs use its core. A thread is
// woken for at least this much work.
inline constexpr double worth_waking = 20e3;

inline constexpr double cell_time = 0.5;        // a cell of a grid: cleared, copied or added to
inline constexpr double fft_point_time = 2;     // a point of a line, in one pass over an axis
inline constexpr double fold_point_time = 10;   // a point: folded, and counted or written to its place
inline constexpr double look_point_time = 0.5;  // a point that is only read

// A point that is spread or interpolated.
constexpr double point_time(int dim, int width) {
  constexpr double fixed = 10, cell = 0.25;
  double cells = 1;
  for (int axis = 0; axis < dim; ++axis) cells *= width;
  return fixed + cell * cells;
}

constexpr int threads_for(double nanoseconds, int most) {
  return std::max(1, static_cast<int>(std::min<double>(most, nanoseconds / worth_waking)));
}

}  // namespace offgrid::cpu
