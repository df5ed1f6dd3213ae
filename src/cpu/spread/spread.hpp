// Spreading: every point adds strength * kernel to the w^d cells around it.
//   grid[l] += sum_j c_j phi(l_1 - g_j1) .. phi(l_d - g_jd)
// Threads take blocks; blocks of one colour share no cell, so nothing is locked. A block that holds so many points that
// it would keep the others waiting is shared: each thread spreads its part into a tile, and the tiles are added in
// order. A tile is a copy of a block's cells with the grid's strides.
#pragma once

#include <complex>
#include <vector>

#include "cpu/sort/sort.hpp"
#include "cpu/spread/kernel_eval.hpp"
#include "cpu/spread/layout.hpp"
#include "cpu/vectors.hpp"

namespace offgrid::cpu {

// Who spreads what, for a number of threads: made once by set_points.
struct SpreadSchedule {
  std::vector<std::vector<std::int64_t>> colours;  // blocks of each colour, the largest first
  std::vector<std::int64_t> shared;                // blocks that all threads share
  std::int64_t tile_cells = 0;

  // Points go to the grid by way of scratch tiles where a sum must not have more than part_points terms (crowding.hpp),
  // or where neighbours take turns to add to one of several tiles, because one would have to wait for the other's store.
  // Where the sums of parts must be added up in twice the precision, each is carried in two numbers.
  std::int64_t part_points = 0;
  int copies = 1;
  bool careful = false;

  [[nodiscard]] std::int64_t room() const { return tile_cells * (1 + copies + (careful ? 2 : 0)); }  // cells per thread
  [[nodiscard]] std::int64_t list_bytes() const {
    std::int64_t total = capacity_bytes(colours) + capacity_bytes(shared);
    for (const auto& colour : colours) total += capacity_bytes(colour);
    return total;
  }
};

struct ScheduleCase {
  int threads = 1;
  std::int64_t part_points = 0;
  bool careful = false;
};
SpreadSchedule make_schedule(const SortedPoints& points, const Layout& layout, const ScheduleCase& wanted);

// Adds to the grids, which hold zeros or earlier sums. grids.tiles: threads x schedule.room() cells.
template <class T>
void spread(const SortedPoints& points, const SpreadSchedule& schedule, const KernelTable<T>& table,
            const StrengthVectors<const std::complex<T>>& strengths, const GridVectors<std::complex<T>>& grids);

}  // namespace offgrid::cpu
