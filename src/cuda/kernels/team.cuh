// A team of lanes works on one point (GM, GM-sort and SM): its lanes evaluate the kernel together and then share the w^d
// cells among them.
// Lane l has x = l mod LX, y = (l / LX) mod LY, z = l / (LX LY), and from there steps of LX, LY, LZ:
//
//   w = 7, 3D, 32 lanes: LX = 7, LY = 4, LZ = 1, four lanes idle       y ^  21 22 23 24 25 26 27
//   cells of a plane are visited in two steps, rows 0-3 and 4-6;         |  14 15 16 17 18 19 20
//   neighbouring lanes touch neighbouring cells, and no two lanes        |   7  8  9 10 11 12 13
//   of a team the same one                                               |   0  1  2  3  4  5  6  -> x
#pragma once

#include <cstdint>

#include "cuda/kernels/polynomials.cuh"
#include "cuda/kernels/raw_point.cuh"
#include "cuda/kernels/team_size.hpp"

namespace offgrid::cuda {

// L is the number of lanes of a team.
template <int D, int W, int L> struct TeamShape {
  static constexpr int lanes = L;
  static constexpr int x_lanes = smaller(W, lanes);
  static constexpr int y_lanes = D > 1 ? larger(1, smaller(W, lanes / x_lanes)) : 1;
  static constexpr int z_lanes = D > 2 ? larger(1, smaller(W, lanes / (x_lanes * y_lanes))) : 1;
  static constexpr int busy_lanes = x_lanes * y_lanes * z_lanes;
  static constexpr int x_steps = (W + x_lanes - 1) / x_lanes;
  static constexpr int y_steps = D > 1 ? (W + y_lanes - 1) / y_lanes : 1;
  static constexpr int z_steps = D > 2 ? (W + z_lanes - 1) / z_lanes : 1;
  static constexpr int values = D * W;  // of the kernel per point, in shared memory
};

// What a lane knows of its team's point.
template <class T, int D, int W, int L> struct TeamPoint {
  using Shape = TeamShape<D, W, L>;

  std::uint32_t cell[max_dim];
  int x, y, z;  // the lane's first cell among the w^d that the point reaches
  bool busy;    // the lane has cells at all
  T kx[Shape::x_steps], ky[Shape::y_steps];
  const T* shared_kz;

  // `values` is shared memory of the team, of Shape::values numbers. All lanes of the warp call this together.
  __device__ void load(const PackedPoints<T>& points, const RawPoint<T, D>& raw,
                       const KernelCoefficients<T, W>& coefficients, T* values) {
#pragma unroll
    for (int axis = 0; axis < D; ++axis) cell[axis] = raw.cell(points, axis);
    const int lane = threadIdx.x % L;
    busy = lane < Shape::busy_lanes;
    x = lane % Shape::x_lanes;
    y = lane / Shape::x_lanes % Shape::y_lanes;
    z = lane / (Shape::x_lanes * Shape::y_lanes);
    ky[0] = T(1);
    T t[D];
#pragma unroll
    for (int axis = 0; axis < D; ++axis) t[axis] = raw.t(points, axis);
    __syncwarp();  // all lanes have read the values of the previous point
#pragma unroll
    for (int first = 0; first < D * W; first += L) {
      const int v = first + lane;
      T mine = t[0];
      if (D > 1 && v >= W) mine = t[D > 1 ? 1 : 0];
      if (D > 2 && v >= 2 * W) mine = t[D > 2 ? 2 : 0];
      if (v < D * W) values[v] = coefficients(v % W, mine);
    }
    __syncwarp();
#pragma unroll
    for (int s = 0; s < Shape::x_steps; ++s) kx[s] = has_x(s) ? values[x + s * Shape::x_lanes] : T(0);
    if constexpr (D > 1)
#pragma unroll
      for (int s = 0; s < Shape::y_steps; ++s) ky[s] = has_y(s) ? values[W + y + s * Shape::y_lanes] : T(0);
    shared_kz = values + 2 * W;
  }

  __device__ bool has_x(int step) const { return busy && (W % Shape::x_lanes == 0 || x + step * Shape::x_lanes < W); }
  __device__ bool has_y(int step) const { return D < 2 || W % Shape::y_lanes == 0 || y + step * Shape::y_lanes < W; }

  // Calls visit(offset, x step, ky kz) for every cell of the lane. at(axis, i) returns the offset, in elements, of the
  // i-th of the w cells along an axis: in the periodic grid or in a tile, as the caller decides.
  template <class At, class Visit> __device__ void for_cells(At at, Visit visit) const {
    using Offset = decltype(at(0, 0));
    Offset px[Shape::x_steps];
#pragma unroll
    for (int s = 0; s < Shape::x_steps; ++s) px[s] = at(0, x + s * Shape::x_lanes);
    if constexpr (D == 1) {
      visit_row(Offset(0), px, T(1), visit);
    } else {
      Offset py[Shape::y_steps];
#pragma unroll
      for (int s = 0; s < Shape::y_steps; ++s) py[s] = at(1, y + s * Shape::y_lanes);
      if constexpr (D == 2) {
        visit_plane(Offset(0), px, py, T(1), visit);
      } else {
#pragma unroll 1
        for (int s = 0; s < Shape::z_steps; ++s) {
          const int iz = z + s * Shape::z_lanes;
          if (W % Shape::z_lanes != 0 && iz >= W) break;
          visit_plane(at(2, iz), px, py, shared_kz[busy ? iz : 0], visit);
        }
      }
    }
  }

  template <class Offset, class Visit>
  __device__ void visit_plane(Offset pz, const Offset* px, const Offset* py, T weight, Visit& visit) const {
#pragma unroll
    for (int s = 0; s < Shape::y_steps; ++s)
      if (has_y(s)) visit_row(pz + py[s], px, ky[s] * weight, visit);
  }

  template <class Offset, class Visit>
  __device__ void visit_row(Offset row, const Offset* px, T weight, Visit& visit) const {
#pragma unroll
    for (int s = 0; s < Shape::x_steps; ++s)
      if (has_x(s)) visit(row + px[s], s, weight);
  }
};

}  // namespace offgrid::cuda
