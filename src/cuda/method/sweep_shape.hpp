// The windows of the sweep (sweep_team.cuh), in cells, and how the warps of a team share them. Tuned on an H200: large
// windows have large boxes, whose points fill the chunks, but they take registers.
#pragma once

#include "core/types.hpp"
#include "cuda/kernels/integers.hpp"

namespace offgrid::cuda {

// A warp holds m_tiles (y) x octets (x) x planes tiles, each of 8 x 8 complex cells of a plane. A team has x_warps
// warps side by side along x, times plane_warps along the planes.
struct SweepTiles {
  int x_warps, plane_warps, octets, m_tiles, planes;
  int blocks;                                // the least blocks per multiprocessor that spread to a grid of f32
  int interp_blocks_f32, interp_blocks_f64;  // the same, that interpolate from a grid of f32 or f64
  // There are fewer blocks where sums take more registers: to a grid of f64, and in 3D to one of integers.
  template <class A> constexpr int spread_blocks(bool integers) const {
    return sizeof(A) == 4 ? blocks : smaller(blocks, integers && planes > 1 ? 12 : 16);
  }
  template <class A> constexpr int interp_blocks() const {
    return sizeof(A) == 4 ? interp_blocks_f32 : interp_blocks_f64;
  }
};

constexpr SweepTiles sweep_tiles(int dim, int width) {
  if (dim == 2 && width <= 8) return {1, 1, 2, 2, 1, width <= 6 ? 16 : 20, 16, 12};
  if (dim == 2 && width <= 13) return {1, 1, 2, 2, 1, 12, 12, 12};
  if (dim == 2) return width == 14 ? SweepTiles{1, 1, 3, 2, 1, 8, 8, 8} : SweepTiles{1, 1, 3, 3, 1, 8, 8, 8};
  if (width <= 6) return {1, 1, 1, 1, 8, 16, 16, 12};
  if (width <= 8) return {1, 1, 1, 2, width + 1, 8, 8, 8};
  if (width <= 14) return {2, 2, 1, 2, (width + 2) / 2, 2, 2, 2};
  return width == 15 ? SweepTiles{3, 4, 1, 2, 4, 1, 1, 1} : SweepTiles{3, 2, 1, 2, 9, 1, 1, 1};
}

// How many vectors a block takes, one per team: the kernel values are then evaluated once for all of them. It is one
// where teams would wait for each other longer than the evaluation takes: while planes are read, and where a team has
// several warps.
constexpr int sweep_vectors(int dim, int width, bool spreads) {
  const SweepTiles tiles = sweep_tiles(dim, width);
  return tiles.x_warps * tiles.plane_warps == 1 && (spreads || dim == 2) ? 4 : 1;
}

// In 2D the cells are needed late, so that spreading may start while they are still being cleared. In 3D this gains
// little.
constexpr bool sweep_overlaps_clear(int dim) { return dim == 2; }

// Whether the sweep interpolates itself. For small widths and few points one thread per point is faster, with the
// points in the same order.
inline constexpr double sparse_density = 0.05;  // points per cell, below which one thread per point is faster
inline constexpr double dense_density = 2;  // above which it is in 2D, because neighbouring points read the same cells
constexpr bool sweep_reads(int dim, int width, bool f64, double density) {
  if (dim == 1 || density < sparse_density) return false;
  return dim == 3 ? width > 4 : f64 ? width > 6 : width > (density < dense_density ? 5 : 7);
}

template <int D, int W> struct SweepShape {
  static constexpr SweepTiles tiles = sweep_tiles(D, W);
  static constexpr int warps = tiles.x_warps * tiles.plane_warps, threads = 32 * warps;
  static constexpr int octets = tiles.octets, m_tiles = tiles.m_tiles, own_planes = tiles.planes;
  static constexpr int window_x = 8 * octets * tiles.x_warps, window_y = 8 * m_tiles;
  static constexpr int planes = own_planes * tiles.plane_warps;  // of the window, which is a ring of them; one in 2D
  static constexpr int reach_z =
      D == 3 ? planes - W + 1 : 1 << 30;  // the z cells from which the points of a chunk may be
  // The lengths of rows of kernel values in shared memory, with zeros around the values. Odd lengths avoid bank
  // conflicts.
  static constexpr int x_row = (2 * window_x - W) | 1, y_row = (2 * window_y - W) | 1,
                       z_row = D == 3 ? 2 * planes | 1 : 1;
};

// The box of a column: the cells x, y in which its points begin.
constexpr Sizes sweep_box(int dim, int width) {
  const SweepTiles tiles = sweep_tiles(dim, width);
  return {8 * tiles.octets * tiles.x_warps - width + 1, 8 * tiles.m_tiles - width + 1, 1};
}

}  // namespace offgrid::cuda
