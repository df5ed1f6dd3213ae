// The tuned numbers of the CUDA engine. Found with `offgrid bench --device cuda` on an H200; the choices only cost speed
// elsewhere.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/design.hpp"
#include "core/summation.hpp"
#include "core/types.hpp"

namespace offgrid::cuda {

constexpr int smaller(int a, int b) { return a < b ? a : b; }
constexpr int larger(int a, int b) { return a > b ? a : b; }

// --- teams of lanes (team.cuh) ----------------------------------------------------------------------------------------
// Instructions of a warp for a point: small teams share the overhead among more points, large ones waste fewer lanes.
constexpr int team_cost(int dim, int width, int lanes) {
  const int x = smaller(width, lanes), y = dim > 1 ? larger(1, smaller(width, lanes / x)) : 1;
  const int z = dim > 2 ? larger(1, smaller(width, lanes / (x * y))) : 1;
  const auto steps = [](int cells, int taken) { return (cells + taken - 1) / taken; };
  int visits = steps(width, x);
  if (dim > 1) visits *= steps(width, y);
  if (dim > 2) visits *= steps(width, z);
  const int evaluation = steps(dim * width, lanes) * (2 * width + 10);
  return (50 + evaluation + 8 * visits) * lanes / 32;
}

constexpr int team_lanes(int dim, int width) {
  int best = 32;
  for (int lanes = 16; lanes >= 4; lanes /= 2)
    if (lanes >= width && team_cost(dim, width, lanes) <= team_cost(dim, width, best)) best = lanes;
  return best;
}

// To add in shared memory without conflicts takes a team.
constexpr int spread_lanes(int dim, int width) { return team_lanes(dim, width); }

inline constexpr int interp_threads = 256, spread_threads = 256;
inline constexpr int most_rounds = 8;          // points that a team works on one after the other
inline constexpr int enough_blocks = 132 * 8;  // to keep a large GPU busy
inline constexpr int most_tile_threads = 512;

// --- bins and tiles ---------------------------------------------------------------------------------------------------
constexpr Sizes paper_bin(int dim) {  // Section IV of the paper; it has none for 1D
  if (dim == 1) return {1024, 1, 1};
  if (dim == 2) return {32, 32, 1};
  return {16, 16, 2};
}

// Of owners (owner.cuh): cells of a tile, and points of a bin that are many for one warp.
inline constexpr int owner_tile = 8;
inline constexpr std::int64_t owner_crowd = 512;
inline constexpr int owner_crowd_threads = 256;
constexpr int owner_blocks(std::size_t real_bytes) { return real_bytes == 4 ? 16 : 12; }

inline constexpr std::int64_t paper_subproblem = 1024;
inline constexpr std::int64_t most_subproblem_points = std::int64_t{1} << 20;  // of crowded points in f64

// Of the sweep in 1D (sweep_line.cuh): points and cells of a block at most. A bin has some hundred points.
inline constexpr int line_threads = 256, line_points = 1024, line_bin = 512;
constexpr std::int64_t line_bin_for(double density) {
  std::int64_t cells = line_bin;
  while (cells > 32 && static_cast<double>(cells) * density > 800) cells /= 2;
  return cells;
}

inline constexpr std::int64_t most_record_points = std::int64_t{1} << 25;  // above it set_points spares their memory
inline constexpr std::int64_t many_points_a_pass = std::int64_t{1} << 20;  // of the sort: its tiles are larger,
inline constexpr std::size_t large_tile_bytes = 128 << 10;                 // if so much shared memory is there
// Results that are more are written in the order of the packed points, and then brought into the caller's: to gather is
// faster than to scatter, unless it waits for the tensor cores.
inline constexpr std::int64_t scattered_bytes = std::int64_t{32} << 20;     // of a vector
inline constexpr std::int64_t most_gathered_bytes = std::int64_t{1} << 30;  // of all vectors together
constexpr bool gathers_results(int dim, int width, bool f64) {
  return dim == 1 || (dim == 3 ? width <= 3 : !f64 || width <= 12);
}
// Of a digit of the sort: a single pass bears more than one of several, and a pass more the dearer it is.
inline constexpr int most_digit_bits = 11;
constexpr int most_bits_of_several(std::int64_t record_bytes) { return record_bytes <= 16 ? 9 : 10; }
inline constexpr std::int64_t most_set_points = std::int64_t{1} << 26;  // sorted together: bounds the scratch
inline constexpr std::size_t kept_scratch_bytes = std::size_t{2} << 30;
inline constexpr std::size_t roomy_tile_bytes = 56 << 10;  // several blocks a multiprocessor fit

// Error of a sum of so many terms of random sign in f32, relative to the sum.
inline double f32_sum_error(std::int64_t terms) { return 4e-8 * std::sqrt(static_cast<double>(terms)); }

// f32 strengths are added up in f64 under this tolerance, and where so many terms, or partial sums of so many, would miss
// it. allowed_error: before deconvolution amplifies it.
inline constexpr double wide_sums_tolerance = 5e-6;
inline bool needs_wide_sums(double tolerance, double allowed_error, std::int64_t terms, std::int64_t partial_sums) {
  return tolerance < wide_sums_tolerance ||
         std::hypot(f32_sum_error(terms), f32_sum_error(partial_sums)) > 0.5 * allowed_error;
}

// Adding in global memory wins where a tile would hold few points, and where there is little to do at all.
// But there each cell is one long sum, and where the points may all fall into one, f32 must bear that.
inline bool few_for_tiles(std::int64_t points, double cells, bool f64_grid, double allowed_error) {
  const auto count = static_cast<double>(points);
  if (f64_grid) return count < 0.05 * cells;
  return equal_terms_error(count, Precision::f32) < summation_share * allowed_error && (count < 0.25 * cells || count < 50'000);
}

// Owners win where points are few a cell, and tiles enough for all multiprocessors.
inline constexpr int owner_major = 8;  // compute capability that their code is compiled for, at least
constexpr bool owners_win(int dim, double points, double cells, std::int64_t vectors) {
  return dim == 3 && points < 0.1 * cells && cells * static_cast<double>(vectors) > 1e6;
}
// The sweep wins down to a few points in a thousand cells; only some GPUs have fast tensor cores for f64.
inline constexpr int sweep_major = 9;  // compute capability that its code is compiled for, at least
constexpr bool sweep_wins(std::int64_t points, double cells, int major) {  // major: the GPU's own
  return (major == 9 || major == 10) && static_cast<double>(points) >= 0.002 * cells;
}

// Integers of 64 bits hold sums this well, whatever the points: 2^24 of them in one cell leave 38 bits below the largest.
inline constexpr double fixed_point_tolerance = 1e-11;

inline constexpr double sparse_density = 0.05;  // points a cell, under which a thread a point reads faster
inline constexpr double dense_density = 2;      // and over which it does in 2D, since neighbours read the same cells

// Enough subproblems for all multiprocessors, if the points and vectors suffice. SM adds up a whole one in its precision,
// so that it must not grow; the sweep rounds once a subproblem, so that there should be few where the points are very many.
// At least four batches of points, or two where the points are very few and a window is soon added.
constexpr std::int64_t subproblem_for(Method method, int dim, std::int64_t points, std::int64_t vectors,
                                      int multiprocessors) {
  const std::int64_t share = points * vectors / (std::int64_t{16} * multiprocessors);
  const std::int64_t large = method == Method::sweep ? points / (std::int64_t{32} * multiprocessors) : 0;
  const std::int64_t most = large > 4 * paper_subproblem ? large : paper_subproblem;
  const std::int64_t least = method == Method::sweep && dim == 2 && share < 16 ? 64 : 128;
  return share < least ? least : share > most ? most : share;
}

// Bits for the place of a point in its cell, where what they lose is nothing to the tolerance; otherwise 0. The spacing
// 2^-bits of places, evenly missed, changes the sums by at most 0.91 of it in 3D.
inline int joined_fraction_bits(int cell_bits, double tolerance) {
  const int bits = 32 - cell_bits;
  return std::ldexp(1.0, -bits) <= 0.15 * tolerance ? bits : 0;
}

constexpr int tile_threads(std::size_t bytes) { return bytes <= roomy_tile_bytes ? 256 : most_tile_threads; }

// --- FFT --------------------------------------------------------------------------------------------------------------
// By lines (line_fft.cuh): values that a thread holds; the more only where that spares a stage, or fills sectors.
struct LineValues {
  int few, more;
};
constexpr LineValues line_values(std::size_t real_bytes) {
  return real_bytes == 4 ? LineValues{18, 20} : LineValues{12, 16};
}
// Threads of a block, for lines of so many: two blocks of 256 on a multiprocessor have 128 registers a thread, larger ones 96.
inline constexpr int line_blocks = 2;
constexpr int most_line_threads(std::size_t real_bytes, int of_a_line) {
  return real_bytes == 4 ? 320 : of_a_line > 128 ? 288 : 256;
}
// Factors of a stage that are read before its values are there; and numbers that a thread may hold to read all that it needs
// from tables before the values of the stage in front: more would spill.
constexpr int early_turns(std::size_t real_bytes) { return real_bytes == 4 ? 9 : 8; }
constexpr int most_held_ahead(std::size_t real_bytes) { return real_bytes == 4 ? 69 : 46; }
inline constexpr std::size_t most_line_bytes = 96 << 10;  // of shared memory, which every GPU has
inline constexpr std::int64_t enough_lines = 132;         // groups of lines: a block for every multiprocessor

// --- kernels that start early (early.cuh) -----------------------------------------------------------------------------
inline constexpr int early_major = 9;                            // compute capability that it takes
constexpr bool sweep_starts_early(int dim) { return dim == 2; }  // in 3D cells are needed soon, and it gains little
inline constexpr unsigned few_blocks = 264;                      // of lines: the next kernel finds room beside them
inline constexpr std::size_t most_cleared_by_kernel = 8 << 20;  // bytes of cells; more are cleared faster by the driver

// --- graphs (graph.hpp) -----------------------------------------------------------------------------------------------
// Executes on grids of so many cells, over all vectors of a batch, are bound by their launches, and replayed (graph.hpp).
constexpr std::int64_t most_replayed_cells(int dim, std::size_t real_bytes) {
  if (dim == 3 && real_bytes == 4) return std::int64_t{12} << 15;
  return std::int64_t{dim == 2 && real_bytes == 8 ? 3 : 4} << 15;
}

inline constexpr int times_until_replay = 2;    // executes, the one that is recorded included
inline constexpr std::size_t most_replays = 4;  // kinds of work that are known at a time

}  // namespace offgrid::cuda
