#include "cpu/spread/spread.hpp"

#include <algorithm>
#include <array>

#include "cpu/spread/point_run.hpp"
#include "cpu/spread/tile.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

// Spreads one sorted set.
template <class T> class Spreader {
 public:
  using Complex = std::complex<T>;

  Spreader(const SortedPoints& points, const SpreadSchedule& schedule, const SpreadRun<T>& run,
           const GridVectors<Complex>& grids)
      : points_(points), schedule_(schedule), run_(run), grids_(grids), layout_(*grids.layout) {}

  void spread_colours() const {
    for (const auto& colour : schedule_.colours)
      parallel_for(work_on(points_in(colour) * run_.batch), static_cast<std::int64_t>(colour.size()),
                   [&](std::int64_t i, int thread) {
                     const Block& block = points_.blocks[colour[i]];
                     add_points(block, points_of(block), run_to(block, {0, run_.batch}), scratch(thread));
                   });
  }

  void spread_shared() const {
    const bool enough_vectors = run_.batch % grids_.threads == 0 || run_.batch >= std::int64_t{4} * grids_.threads;
    for (const std::int64_t b : schedule_.shared) {
      if (enough_vectors) {
        share_vectors(points_.blocks[b]);
        continue;
      }
      for (std::int64_t vector = 0; vector < run_.batch; ++vector) share_points(points_.blocks[b], vector);
    }
  }

 private:
  [[nodiscard]] std::int64_t points_in(const std::vector<std::int64_t>& blocks) const {
    std::int64_t total = 0;
    for (const std::int64_t b : blocks) total += points_.blocks[b].points;
    return total;
  }
  [[nodiscard]] Work work_on(std::int64_t points) const {
    return {grids_.threads, point_time(layout_.dim, layout_.width) * static_cast<double>(points)};
  }

  // Part `index` of `parts` of a block's points.
  static Range points_of(const Block& block, std::int64_t parts = 1, std::int64_t index = 0) {
    const Range range = part_of(block.points, parts, index);
    return {block.first_point + range.begin, block.first_point + range.end};
  }

  [[nodiscard]] Complex* tile(std::int64_t part) const { return grids_.tiles + part * schedule_.room(); }
  [[nodiscard]] Complex* scratch(std::int64_t part) const { return tile(part) + schedule_.tile_cells; }

  // To a block of the grids of vectors [begin, end).
  SpreadRun<T> run_to(const Block& block, Range vectors) const {
    SpreadRun<T> run = run_;
    run.strengths += vectors.begin * run.strength_stride;
    run.batch = vectors.size();
    run.cells = grids_.data + vectors.begin * layout_.cells + block.first_cell;
    return run;
  }

  void share_vectors(const Block& block) const {
    parallel_for(work_on(block.points * run_.batch), grids_.threads, [&](std::int64_t part, int) {
      const Range vectors = part_of(run_.batch, grids_.threads, part);
      add_points(block, points_of(block), run_to(block, vectors), scratch(part));
    });
  }

  // The first part of the points into the grid, the others into tiles, which are then added in their order.
  void share_points(const Block& block, std::int64_t vector) const {
    const std::int64_t parts = grids_.threads;
    const SpreadRun<T> run = run_to(block, {vector, vector + 1});
    parallel_for(work_on(block.points), parts, [&](std::int64_t part, int) {
      const Range mine = points_of(block, parts, part);
      SpreadRun<T> to_tile = run;
      to_tile.cells = tile(part);
      if (part > 0) clear_tile(area_of<T>(points_, layout_, block, mine), to_tile.cells);
      add_points(block, mine, part > 0 ? to_tile : run, scratch(part));
    });
    const double adding = cell_time * static_cast<double>(parts * schedule_.tile_cells);
    parallel_for({grids_.threads, adding}, parts, [&](std::int64_t share, int) {
      for (std::int64_t part = 1; part < parts; ++part)
        add_tile<T>(area_of<T>(points_, layout_, block, points_of(block, parts, part)), {tile(part)}, run.cells,
                    {share, parts});
    });
  }

  // Points [begin, end) of the block to run.cells.
  void add_points(const Block& block, Range range, const SpreadRun<T>& run, Complex* scratch) const {
    if (schedule_.copies == 1 && range.size() <= schedule_.part_points) {
      spread_points(range, run);
      return;
    }
    const TileCopies<T> tile{scratch, schedule_.tile_cells, schedule_.copies};
    SpreadRun<T> part_run = run;
    part_run.batch = 1;
    part_run.cells = scratch;
    part_run.copy_stride = schedule_.copies > 1 ? tile.stride : 0;
    const TileArea whole = area_of<T>(points_, layout_, block, range);
    const TwiceTile<T> sums{scratch + tile.count * tile.stride, scratch + (tile.count + 1) * tile.stride};
    for (std::int64_t vector = 0; vector < run.batch; ++vector, part_run.strengths += run.strength_stride) {
      Complex* target = run.cells + vector * run.cell_stride;
      if (schedule_.careful) clear_tile(whole, sums);
      for (Range part{range.begin, 0}; part.begin < range.end; part.begin = part.end) {
        part.end = part.begin + std::min(schedule_.part_points, range.end - part.begin);
        const TileArea area = area_of<T>(points_, layout_, block, part);
        for (int copy = 0; copy < tile.count; ++copy) clear_tile(area, scratch + copy * tile.stride);
        spread_points(part, part_run);
        schedule_.careful ? add_tile(area, tile, sums) : add_tile(area, tile, target);
      }
      if (schedule_.careful) add_tile(whole, sums, target);
    }
  }

  void spread_points(Range range, SpreadRun<T> run) const {
    run.points += range.begin * packed_size<T>(layout_.dim);
    run.count = range.size();
    spread_run(run);
  }

  const SortedPoints& points_;
  const SpreadSchedule& schedule_;
  const SpreadRun<T>& run_;  // of all points and vectors
  const GridVectors<Complex>& grids_;
  const Layout& layout_;
};

}  // namespace

SpreadSchedule make_schedule(const SortedPoints& points, const Layout& layout, const ScheduleCase& wanted) {
  SpreadSchedule schedule;
  schedule.colours.resize(4);
  schedule.part_points = wanted.part_points;
  schedule.copies = points.clustered ? row_copies : 1;
  schedule.careful = wanted.careful;
  std::array<std::int64_t, 4> colour_points{};
  for (const Block& block : points.blocks) colour_points[block.colour] += block.points;
  bool by_tile = schedule.copies > 1;
  for (std::int64_t b = 0; b < static_cast<std::int64_t>(points.blocks.size()); ++b) {
    const Block& block = points.blocks[b];
    const std::int64_t fair_share = std::max(dense_block_points, colour_points[block.colour] / wanted.threads);
    const bool share = wanted.threads > 1 && block.points > fair_share;
    (share ? schedule.shared : schedule.colours[block.colour]).push_back(b);
    by_tile = by_tile || share || block.points > schedule.part_points;
  }
  if (by_tile) schedule.tile_cells = tile_cells(points, layout);
  for (auto& colour : schedule.colours)
    std::stable_sort(colour.begin(), colour.end(),
                     [&](std::int64_t a, std::int64_t b) { return points.blocks[a].points > points.blocks[b].points; });
  return schedule;
}

template <class T>
void spread(const SortedPoints& points, const SpreadSchedule& schedule, const KernelTable<T>& table,
            const StrengthVectors<const std::complex<T>>& strengths, const GridVectors<std::complex<T>>& grids) {
  const Layout& layout = *grids.layout;
  const SpreadRun<T> run{&table,       layout.dim,     layout.width,     points.packed.data(),
                         points.count, strengths.data, strengths.stride, strengths.batch,
                         grids.data,   layout.cells,   layout.padded[0], layout.plane_stride};
  const Spreader<T> spreader(points, schedule, run, grids);
  spreader.spread_colours();
  spreader.spread_shared();
}

template void spread(const SortedPoints&, const SpreadSchedule&, const KernelTable<float>&,
                     const StrengthVectors<const std::complex<float>>&, const GridVectors<std::complex<float>>&);
template void spread(const SortedPoints&, const SpreadSchedule&, const KernelTable<double>&,
                     const StrengthVectors<const std::complex<double>>&, const GridVectors<std::complex<double>>&);

}  // namespace offgrid::cpu
