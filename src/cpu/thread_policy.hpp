// How many threads a piece of work deserves, and whether the threads of a plan share one vector or take a vector each.
// All numbers are nanoseconds on one core, rounded; found with `offgrid bench --threads 1` on a Zen 4 core (f64). They
// only decide how work is shared, so that a factor of two costs little.
#pragma once

#include <algorithm>
#include <cstdint>

namespace offgrid::cpu {

// Waking a thread and waiting for it takes microseconds, and much longer where other programs use its core. A thread is
// woken for at least this much work.
inline constexpr double worth_waking = 20e3;

inline constexpr double cell_time = 0.5;             // per cell of a grid that is cleared, copied or added to
inline constexpr double fft_point_time = 2;          // per point of a line, in one pass over an axis
inline constexpr double fold_point_time = 10;        // per point that is folded, and counted or written to its place
inline constexpr double look_point_time = 0.5;       // per point that is only read
inline constexpr double factor_time = 3;             // per deconvolution factor
inline constexpr double phase_time = 5;              // per factor of a point (factors.hpp),
inline constexpr double factor_term_time = 1;        // and per term of its series
inline constexpr double copy_time = 1;               // per point or value that becomes one of another precision,
inline constexpr std::int64_t copied_chunk = 16384;  // so many of them at a time

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

// Vectors that are transformed by one thread each, from beginning to end, so that no thread waits for another between the
// stages of a vector. `together` vectors share the kernel values of their points.
struct VectorShares {
  std::int64_t vectors = 0;  // the first ones of an execute; all threads work on each of the others
  std::int64_t together = 1;
  int threads = 1;
  [[nodiscard]] std::int64_t grids() const { return vectors == 0 ? 0 : together * threads; }
};

struct VectorCase {
  std::int64_t transforms = 1;
  std::int64_t batch = 1;       // vectors that one thread would best work on together
  std::int64_t most_grids = 1;  // that there may be at a time
  std::int64_t grid_bytes = 0;  // of one vector
  int dim = 1;
  int threads = 1;
  double nanoseconds = 0;  // for one vector
};

// A larger grid is worked on by all threads: together such grids would leave the last-level cache, and take memory that a
// caller does not expect.
inline constexpr std::int64_t largest_own_grid = std::int64_t{8} << 20;

// For one vector that all threads share: its stages, each of which ends when its last thread does.
constexpr double shared_vector_time(const VectorCase& c) {
  const int stages = c.dim == 3 ? 10 : 5;
  const int team = threads_for(c.nanoseconds / stages, c.threads);
  return team == 1 ? c.nanoseconds : c.nanoseconds / team + stages * worth_waking;
}

constexpr std::int64_t rounds_of(std::int64_t vectors, std::int64_t at_once) {
  return (vectors + at_once - 1) / at_once;
}

// For vectors of which each has one thread.
constexpr double own_vectors_time(const VectorCase& c, std::int64_t vectors) {
  const std::int64_t at_once = std::min<std::int64_t>(c.threads, c.most_grids);
  return static_cast<double>(rounds_of(vectors, at_once)) * c.nanoseconds + worth_waking;
}

// Whole rounds of one vector per thread; then one more round, or all threads on each of the rest.
constexpr VectorShares share_vectors(const VectorCase& c) {
  const std::int64_t at_once = std::min<std::int64_t>(c.threads, c.most_grids);
  if (at_once < 2 || c.transforms < 2 || c.grid_bytes > largest_own_grid) return {};
  const double shared = shared_vector_time(c);
  const std::int64_t rest = c.transforms % at_once;
  const bool own_rest = own_vectors_time(c, rest) <= static_cast<double>(rest) * shared;
  VectorShares shares;
  shares.vectors = own_rest ? c.transforms : c.transforms - rest;
  if (own_vectors_time(c, shares.vectors) > static_cast<double>(shares.vectors) * shared) return {};
  const std::int64_t most_together = std::min(c.batch, c.most_grids / at_once);
  const std::int64_t rounds = rounds_of(shares.vectors, at_once * most_together);
  shares.together = rounds_of(shares.vectors, at_once * rounds);  // so that all threads have equally much to do
  shares.threads = static_cast<int>(std::min(at_once, rounds_of(shares.vectors, shares.together)));
  return shares;
}

}  // namespace offgrid::cpu
