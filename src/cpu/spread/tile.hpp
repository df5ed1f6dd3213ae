// The cells that points of a block can reach, and tiles: copies of a block's cells with the grid's strides, of which
// only those cells are used.
#pragma once

#include <algorithm>
#include <complex>
#include <cstring>
#include <span>

#include "cpu/range.hpp"
#include "cpu/sort/sort.hpp"
#include "cpu/spread/layout.hpp"

namespace offgrid::cpu {

// Rows and planes from the block's first cell on, and in each row some columns.
struct TileArea {
  std::int64_t rows = 1, planes = 1;
  std::int64_t row_stride = 0, plane_stride = 0;
  Range interval{0, 0};              // the columns of sorted points
  std::span<const Range> columns{};  // those of points in order
};

inline std::int64_t tile_cells(const SortedPoints& points, const Layout& layout) {
  const std::int64_t side = points.block_side + layout.width - 1;
  if (points.in_order) return layout.cells;
  if (layout.dim == 1) return points.block_side + Layout::row_reach;
  return layout.dim == 2 ? side * layout.padded[0] : side * layout.plane_stride;
}

template <class T> std::int64_t column_of(const SortedPoints& points, const Layout& layout, std::int64_t p) {
  std::uint32_t cell = 0;
  std::memcpy(&cell, points.packed.data() + p * packed_size<T>(layout.dim) + layout.dim * sizeof(T), sizeof(cell));
  return layout.dim == 1 ? cell : cell % layout.padded[0];
}

// What points [begin, end) of the block reach. They are sorted by boxes, and boxes along x.
template <class T> TileArea area_of(const SortedPoints& points, const Layout& layout, const Block& block, Range range) {
  const std::int64_t side = points.block_side + layout.width - 1;
  const std::int64_t y = block.first_cell / layout.padded[0] % layout.padded[1],
                     z = block.first_cell / layout.plane_stride;
  TileArea area{std::min(side, layout.padded[1] - y), std::min(side, layout.padded[2] - z), layout.padded[0],
                layout.plane_stride};
  if (points.in_order) {
    area.columns = points.columns;
  } else if (range.size() > 0) {
    const std::int64_t first = column_of<T>(points, layout, range.begin),
                       last = column_of<T>(points, layout, range.end - 1) | (points.box_side - 1),
                       end = layout.dim == 1 ? layout.cells - block.first_cell : layout.padded[0];
    area.interval = {first & -points.box_side, std::min(last + Layout::row_reach, end)};
  }
  return area;
}

// body(cells) for the intervals of cells of share `index` of `shares`. A single row is cut, of several each takes some.
struct Share {
  std::int64_t index = 0, shares = 1;
};
template <class F> void for_each_interval(const TileArea& area, Share share, F&& body) {
  const std::span<const Range> columns = area.columns.empty() ? std::span(&area.interval, 1) : area.columns;
  const std::int64_t rows = area.rows * area.planes;
  for (std::int64_t row = rows == 1 ? 0 : share.index; row < rows; row += rows == 1 ? 1 : share.shares) {
    const std::int64_t cell = row % area.rows * area.row_stride + row / area.rows * area.plane_stride;
    for (const Range& range : columns) {
      const Range part = rows == 1 ? part_of(range.size(), share.shares, share.index) : Range{0, range.size()};
      body(Range{cell + range.begin + part.begin, cell + range.begin + part.end});
    }
  }
}

template <class T> void clear_tile(const TileArea& area, std::complex<T>* tile) {
  for_each_interval(area, {}, [&](Range cells) { std::fill(tile + cells.begin, tile + cells.end, std::complex<T>{}); });
}

// target += the tile and its copies
template <class T> struct TileCopies {
  const std::complex<T>* cells;
  std::int64_t stride = 0;
  int count = 1;
};
template <class T>
void add_tile(const TileArea& area, const TileCopies<T>& tile, std::complex<T>* target, Share share = {}) {
  for_each_interval(area, share, [&](Range cells) {
    for (std::int64_t x = cells.begin; x < cells.end; ++x) {
      std::complex<T> sum = tile.cells[x];
      for (int copy = 1; copy < tile.count; ++copy) sum += tile.cells[x + copy * tile.stride];
      target[x] += sum;
    }
  });
}

// A tile in twice the working precision: what it holds is high + low, and low is smaller than a unit in the last place of high.
template <class T> struct TwiceTile { std::complex<T>*high, *low; };

template <class T> void clear_tile(const TileArea& area, const TwiceTile<T>& tile) {
  clear_tile(area, tile.high);
  clear_tile(area, tile.low);
}

// high + low += value, without a rounding error in high + value (Knuth's two-sum).
template <class T> void add_twice(T value, T& high, T& low) {
  const T sum = high + value, added = sum - high;
  low += (high - (sum - added)) + (value - added);
  high = sum;
}

template <class T> void add_tile(const TileArea& area, const TileCopies<T>& tile, const TwiceTile<T>& target) {
  for_each_interval(area, {}, [&](Range cells) {
    for (int copy = 0; copy < tile.count; ++copy) {
      const T* source = reinterpret_cast<const T*>(tile.cells + copy * tile.stride);
      T *high = reinterpret_cast<T*>(target.high), *low = reinterpret_cast<T*>(target.low);
      for (std::int64_t i = 2 * cells.begin; i < 2 * cells.end; ++i) add_twice(source[i], high[i], low[i]);
    }
  });
}

template <class T> void add_tile(const TileArea& area, const TwiceTile<T>& tile, std::complex<T>* target) {
  for_each_interval(area, {}, [&](Range cells) {
    for (std::int64_t x = cells.begin; x < cells.end; ++x) target[x] += tile.high[x] + tile.low[x];
  });
}

}  // namespace offgrid::cpu
