// The windows of the sweep (sweep_team.cuh), in cells, and how the warps of a team share them. Tuned on an H200: wide windows
// make large boxes and full batches, and cost registers.
#pragma once

#include "core/types.hpp"
#include "cuda/kernels/integers.hpp"

namespace offgrid::cuda {

// A warp holds m_tiles x octets x planes tiles, each of 8 (y) x 8 (x) complex cells. Warps stand side by side along x and
// along the planes.
struct SweepTiles {
  int x_warps, plane_warps, octets, m_tiles, planes;
  int blocks;                                // of a multiprocessor that spread, at least
  int interp_blocks_f32, interp_blocks_f64;  // that interpolate from such a grid
  // Fewer where sums take more registers: to a grid of f64, and in 3D to one of integers.
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

// Vectors of a batch that the teams of a block take, one each: kernel values are evaluated once for all of them. Not where
// teams would wait for each other longer than that takes: while planes are read, and where they are of several warps.
constexpr int sweep_vectors(int dim, int width, bool spreads) {
  const SweepTiles tiles = sweep_tiles(dim, width);
  return tiles.x_warps * tiles.plane_warps == 1 && (spreads || dim == 2) ? 4 : 1;
}

// In 2D the cells are needed late, so that spreading may start while they are being cleared. In 3D it gains little.
constexpr bool sweep_overlaps_clear(int dim) { return dim == 2; }

// For narrow kernels and few points, one thread per point reads faster, from points in the same order.
inline constexpr double sparse_density = 0.05;  // points per cell, under which it does;
inline constexpr double dense_density = 2;      // and over which it does in 2D, since neighbours read the same cells
constexpr bool sweep_reads(int dim, int width, bool f64, double density) {
  if (dim == 1 || density < sparse_density) return false;
  return dim == 3 ? width > 4 : f64 ? width > 6 : width > (density < dense_density ? 5 : 7);
}

template <int D, int W> struct SweepShape {
  static constexpr SweepTiles tiles = sweep_tiles(D, W);
  static constexpr int warps = tiles.x_warps * tiles.plane_warps, threads = 32 * warps;
  static constexpr int octets = tiles.octets, m_tiles = tiles.m_tiles, own_planes = tiles.planes;
  static constexpr int window_x = 8 * octets * tiles.x_warps, window_y = 8 * m_tiles;
  static constexpr int planes = own_planes * tiles.plane_warps;      // of the window, a ring; one in 2D
  static constexpr int reach_z = D == 3 ? planes - W + 1 : 1 << 30;  // z cells of the points of a batch
  // Rows of kernel values in shared memory, with zeros around them; odd lengths keep the banks apart.
  static constexpr int x_row = (2 * window_x - W) | 1, y_row = (2 * window_y - W) | 1,
                       z_row = D == 3 ? 2 * planes | 1 : 1;
};

// The boxes of a column: cells in which the points of a team begin.
constexpr Sizes sweep_box(int dim, int width) {
  const SweepTiles tiles = sweep_tiles(dim, width);
  return {8 * tiles.octets * tiles.x_warps - width + 1, 8 * tiles.m_tiles - width + 1, 1};
}

}  // namespace offgrid::cuda
