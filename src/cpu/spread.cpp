#include "cpu/spread.hpp"

#include <algorithm>

#include "core/dispatch.hpp"
#include "cpu/point_run.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

template <class T> using Strengths = StrengthVectors<const std::complex<T>>;
template <class T> using Grids = GridVectors<std::complex<T>>;

// The columns of its block that points [first, last) reach.
template <class T, int D> Range columns(const SortedPoints& points, const Layout& layout, Range range) {
  std::int64_t low = layout.cells, high = 0;
  for (std::int64_t p = range.begin; p < range.end; ++p) {
    const std::int64_t cell = points.points<T, D>()[p].cell;
    const std::int64_t x = D == 1 ? cell : cell % layout.padded[0];
    low = std::min(low, x), high = std::max(high, x);
  }
  constexpr std::int64_t aligned = ~std::int64_t{7};  // rows are written in aligned vectors
  return {low & aligned, high + Layout::row_reach};
}

// The rows of the grid that a block's points reach, as cells counted from the block's first one.
std::vector<std::int64_t> rows_of(const SortedPoints& points, const Layout& layout, const Block& block) {
  const std::int64_t side = points.block_side + layout.width - 1;
  const std::int64_t y = block.first_cell / layout.padded[0] % layout.padded[1],
                     z = block.first_cell / layout.plane_stride;
  std::vector<std::int64_t> rows;
  for (std::int64_t k = 0; k < std::min(side, layout.padded[2] - z); ++k)
    for (std::int64_t j = 0; j < std::min(side, layout.padded[1] - y); ++j)
      rows.push_back(k * layout.plane_stride + j * layout.padded[0]);
  return rows;
}

// A block cut into one part a thread, with the columns that each part can reach.
template <class T, int D>
SharedBlock share(const SortedPoints& points, const Layout& layout, std::int64_t b, std::int64_t parts) {
  const Block& block = points.blocks[b];
  SharedBlock shared{b, rows_of(points, layout, block), {}};
  const std::int64_t last_column = layout.dim == 1 ? layout.cells - block.first_cell : layout.padded[0];
  for (std::int64_t part = 0; part < parts; ++part) {
    const Range range = part_of(block.points, parts, part);
    const Range mine{block.first_point + range.begin, block.first_point + range.end};
    const Range reached = columns<T, D>(points, layout, mine);
    shared.parts.push_back({mine.begin, mine.size(), reached.begin, std::min(reached.end, last_column)});
  }
  return shared;
}

std::int64_t tile_span(const SortedPoints& points, const Layout& layout) {
  const std::int64_t side = points.block_side + layout.width - 1;
  if (layout.dim == 1) return points.block_side + Layout::row_reach;
  return layout.dim == 2 ? side * layout.padded[0] : side * layout.plane_stride;
}

template <class T>
SpreadRun<T> run_of(const SortedPoints& points, const KernelTable<T>& table, const Strengths<T>& strengths,
                    const Layout& layout, Range range) {
  return {
      &table,       layout.dim,     layout.width,     points.packed.data() + range.begin * packed_size<T>(layout.dim),
      range.size(), strengths.data, strengths.stride, strengths.batch,
      nullptr,      layout.cells,   layout.padded[0], layout.plane_stride};
}

// Parts [first, last) of one vector of a shared block: each into its tile, then row by row the tiles in their order.
template <class T>
void spread_parts(const SharedBlock& shared, const SpreadRun<T>& run, const Grids<T>& grids, std::int64_t tile_cells,
                  Range parts) {
  const std::vector<std::int64_t>& rows = shared.rows;
  parallel_for(grids.threads, parts.size(), [&](std::int64_t tile, int) {
    const SharedPart& part = shared.parts[parts.begin + tile];
    SpreadRun<T> mine = run;
    mine.batch = 1;
    mine.cells = grids.tiles + tile * tile_cells;
    for (const std::int64_t row : rows)
      std::fill(mine.cells + row + part.x_begin, mine.cells + row + part.x_end, std::complex<T>{});
    mine.points += part.first_point * packed_size<T>(run.dim);
    mine.count = part.points;
    spread_run(mine);
  });
  parallel_for(grids.threads, static_cast<std::int64_t>(rows.size()), [&](std::int64_t r, int) {
    for (std::int64_t tile = 0; tile < parts.size(); ++tile) {
      const SharedPart& part = shared.parts[parts.begin + tile];
      const std::complex<T>* source = grids.tiles + tile * tile_cells + rows[r];
      for (std::int64_t x = part.x_begin; x < part.x_end; ++x) run.cells[rows[r] + x] += source[x];
    }
  });
}

}  // namespace

template <class T>
SpreadSchedule make_schedule(const SortedPoints& points, const Layout& layout, const ScheduleCase& wanted) {
  SpreadSchedule schedule;
  schedule.colours.resize(4);
  const std::int64_t fair_share = std::max(dense_block_points, points.count / (2 * wanted.threads));
  const std::int64_t largest = wanted.crowded ? careful_part_points : wanted.threads > 1 ? fair_share : points.count;
  for (std::int64_t b = 0; b < static_cast<std::int64_t>(points.blocks.size()); ++b) {
    const Block& block = points.blocks[b];
    if (block.points <= largest) {
      schedule.colours[block.colour].push_back(b);
      continue;
    }
    const std::int64_t parts = wanted.crowded ? block.points / careful_part_points + 1 : wanted.threads;
    dispatch<1, max_dim>(layout.dim,
                         [&](auto dim) { schedule.shared.push_back(share<T, dim()>(points, layout, b, parts)); });
    schedule.tile_cells = tile_span(points, layout);
  }
  for (auto& colour : schedule.colours)
    std::stable_sort(colour.begin(), colour.end(),
                     [&](std::int64_t a, std::int64_t b) { return points.blocks[a].points > points.blocks[b].points; });
  return schedule;
}

template <class T>
void spread(const SortedPoints& points, const SpreadSchedule& schedule, const KernelTable<T>& table,
            const Strengths<T>& strengths, const Grids<T>& grids) {
  const Layout& layout = *grids.layout;
  const auto run_block = [&](const Block& block) {
    SpreadRun<T> run = run_of(points, table, strengths, layout, {block.first_point, block.first_point + block.points});
    run.cells = grids.data + block.first_cell;
    return run;
  };
  for (const auto& colour : schedule.colours)
    parallel_for(grids.threads, static_cast<std::int64_t>(colour.size()),
                 [&](std::int64_t i, int) { spread_run(run_block(points.blocks[colour[i]])); });
  for (const SharedBlock& shared : schedule.shared) {
    for (std::int64_t vector = 0; vector < strengths.batch; ++vector) {
      SpreadRun<T> run = run_block(points.blocks[shared.block]);
      run.points = points.packed.data();
      run.strengths += vector * strengths.stride;
      run.cells += vector * layout.cells;
      const auto parts = static_cast<std::int64_t>(shared.parts.size());
      for (std::int64_t first = 0; first < parts; first += grids.threads)
        spread_parts(shared, run, grids, schedule.tile_cells, {first, std::min(first + grids.threads, parts)});
    }
  }
}

template SpreadSchedule make_schedule<float>(const SortedPoints&, const Layout&, const ScheduleCase&);
template SpreadSchedule make_schedule<double>(const SortedPoints&, const Layout&, const ScheduleCase&);
template void spread(const SortedPoints&, const SpreadSchedule&, const KernelTable<float>&, const Strengths<float>&,
                     const Grids<float>&);
template void spread(const SortedPoints&, const SpreadSchedule&, const KernelTable<double>&, const Strengths<double>&,
                     const Grids<double>&);

}  // namespace offgrid::cpu
