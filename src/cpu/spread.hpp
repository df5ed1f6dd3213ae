// Spreading: every point adds strength * kernel to the w^d cells around it.
//   grid[l] += sum_j c_j phi(l_1 - g_j1) .. phi(l_d - g_jd)
// Threads take blocks; blocks of one colour share no cell, so nothing is locked. A block that holds so many points that
// it would keep the others waiting is shared: each thread spreads its part into a tile, and the tiles are added in
// order.
#pragma once

#include <complex>
#include <vector>

#include "cpu/kernel_eval.hpp"
#include "cpu/layout.hpp"
#include "cpu/sort.hpp"
#include "cpu/vectors.hpp"

namespace offgrid::cpu {

// A part of a shared block. Its tile is a copy of the block's cells with the grid's strides; only columns
// [x_begin, x_end) of it are used.
struct SharedPart {
  std::int64_t first_point, points;
  std::int64_t x_begin, x_end;
};

struct SharedBlock {
  std::int64_t block;
  std::vector<std::int64_t> rows;  // first cells of the rows that its points reach, from the block's first cell
  std::vector<SharedPart> parts;
};

// Who spreads what, for a number of threads: made once by set_points.
struct SpreadSchedule {
  std::vector<std::vector<std::int64_t>> colours;  // blocks of each colour, the largest first
  std::vector<SharedBlock> shared;
  std::int64_t tile_cells = 0;  // of one part's tile; 0 where no block is shared
};

struct ScheduleCase {
  int threads = 1;
  bool crowded = false;
};
template <class T>
SpreadSchedule make_schedule(const SortedPoints& points, const Layout& layout, const ScheduleCase& wanted);

// Adds to the grids, which hold zeros or earlier sums. grids.tiles: threads x schedule.tile_cells cells.
template <class T>
void spread(const SortedPoints& points, const SpreadSchedule& schedule, const KernelTable<T>& table,
            const StrengthVectors<const std::complex<T>>& strengths, const GridVectors<std::complex<T>>& grids);

}  // namespace offgrid::cpu
