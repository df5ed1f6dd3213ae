#include "cpu/spread/interp.hpp"

#include <algorithm>

#include "cpu/spread/point_run.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {

// Points only read the grid, so the sorted points are cut into even pieces wherever blocks begin and end; into several per
// thread, because one thread may be slower than another.
template <class T>
void interpolate(const SortedPoints& points, const KernelTable<T>& table,
                 const GridVectors<const std::complex<T>>& grids, const StrengthVectors<std::complex<T>>& strengths) {
  const Layout& layout = *grids.layout;
  const double time =
      point_time(layout.dim, layout.width) * static_cast<double>(points.count) * static_cast<double>(strengths.batch);
  const int threads = threads_for(time, grids.threads);
  const std::int64_t pieces = threads == 1 ? 1 : std::max<std::int64_t>(4 * threads, points.count / item_points);
  parallel_for({threads, time}, pieces, [&](std::int64_t piece, int) {
    const Range range = part_of(points.count, pieces, piece);
    auto block = std::upper_bound(points.blocks.begin(), points.blocks.end(), range.begin,
                                  [](std::int64_t p, const Block& b) { return p < b.first_point + b.points; });
    for (std::int64_t p = range.begin; p < range.end; ++block) {
      const std::int64_t end = std::min(range.end, block->first_point + block->points);
      interpolate_run(InterpRun<T>{&table, layout.dim, layout.width,
                                   points.packed.data() + p * packed_size<T>(layout.dim), end - p, strengths.data,
                                   strengths.stride, strengths.batch, grids.data + block->first_cell, layout.cells,
                                   layout.padded[0], layout.plane_stride});
      p = end;
    }
  });
}

template void interpolate(const SortedPoints&, const KernelTable<float>&, const GridVectors<const std::complex<float>>&,
                          const StrengthVectors<std::complex<float>>&);
template void interpolate(const SortedPoints&, const KernelTable<double>&,
                          const GridVectors<const std::complex<double>>&, const StrengthVectors<std::complex<double>>&);

}  // namespace offgrid::cpu
