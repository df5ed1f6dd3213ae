// How a grid lies in memory: [n3 + w-1][n2 + w-1][row_stride] complex cells. A point's cells run on past the end of an
// axis into the padding instead of wrapping; halo.hpp adds the padding back (type 1) or fills it (type 2).
#pragma once

#include <cstdint>

#include "core/design.hpp"
#include "core/validate.hpp"

namespace offgrid::cpu {

struct Layout {
  int dim = 1, width = 2;
  Sizes grid{1, 1, 1};    // cells an axis without padding
  Sizes padded{1, 1, 1};  // rows and planes with padding; padded[0] is the row stride
  std::int64_t plane_stride = 1;
  std::int64_t cells = 1;  // of one grid, padding included

  // A row of w cells is read and written in aligned vectors of up to 4 cells: they end less than this after its first cell.
  static constexpr std::int64_t row_reach = 24;
};

// Planes whose distance is near a multiple of 128 KiB, the size of a way of a second-level cache, fall into the same few of its
// sets: on 70^3 cells in f64 spreading took 1.2 times as long as on 72^3. Of both precisions.
inline bool planes_collide(std::int64_t plane_stride) {
  constexpr std::int64_t way = 128 << 10, apart = 3 << 10;
  for (const std::int64_t cell_bytes : {8, 16}) {
    const std::int64_t offset = plane_stride * cell_bytes % way;
    if (plane_stride * cell_bytes >= way - apart && (offset < apart || offset > way - apart)) return true;
  }
  return false;
}

// A row stride of an odd number of steps, each one or two cache lines, spreads neighbouring rows over the sets of a cache.
// It counts in cells, so that both precisions share it.
inline Layout make_layout(const Design& design) {
  Layout layout{design.dim(), design.window.width, design.grid, {1, 1, 1}, 1, 1};
  constexpr std::int64_t step = 8;
  const std::int64_t steps = (design.grid[0] + Layout::row_reach + step - 1) / step;
  layout.padded[0] = (steps | 1) * step;
  for (int axis = 1; axis < layout.dim; ++axis) layout.padded[axis] = design.grid[axis] + layout.width - 1;
  if (layout.dim == 3)
    while (planes_collide(checked_product("grid", layout.padded[0], layout.padded[1]))) ++layout.padded[1];
  layout.plane_stride = checked_product("grid", layout.padded[0], layout.padded[1]);
  layout.cells = checked_product("grid", layout.plane_stride, layout.padded[2]);
  return layout;
}

}  // namespace offgrid::cpu
