// A team of lanes works on one point: its lanes evaluate the kernel together and then share the w^d cells among them.
// Lane l has x = l mod LX, y = (l / LX) mod LY, z = l / (LX LY), and from there steps of LX, LY, LZ:
//
//   w = 7, 3D, 32 lanes: LX = 7, LY = 4, LZ = 1, four lanes idle       y ^  21 22 23 24 25 26 27
//   cells of a plane are visited in two steps, rows 0-3 and 4-6;         |  14 15 16 17 18 19 20
//   neighbouring lanes touch neighbouring cells, and no two lanes        |   7  8  9 10 11 12 13
//   of a team the same one                                               |   0  1  2  3  4  5  6  -> x
#pragma once

#include <cstdint>

#include "core/polynomial.hpp"
#include "cuda/points.hpp"
#include "cuda/policy.hpp"

namespace offgrid::cuda {

template <class T> struct ComplexOf;
template <> struct ComplexOf<float> { using type = float2; };
template <> struct ComplexOf<double> { using type = double2; };
template <class T> using Complex = typename ComplexOf<T>::type;

template <int D, int W> struct TeamShape {
  static constexpr int lanes = team_lanes(D, W);
  static constexpr int x_lanes = smaller(W, lanes);
  static constexpr int y_lanes = D > 1 ? larger(1, smaller(W, lanes / x_lanes)) : 1;
  static constexpr int z_lanes = D > 2 ? larger(1, smaller(W, lanes / (x_lanes * y_lanes))) : 1;
  static constexpr int busy_lanes = x_lanes * y_lanes * z_lanes;
  static constexpr int x_steps = (W + x_lanes - 1) / x_lanes;
  static constexpr int y_steps = D > 1 ? (W + y_lanes - 1) / y_lanes : 1;
  static constexpr int z_steps = D > 2 ? (W + z_lanes - 1) / z_lanes : 1;
};

// The polynomials, in shared memory because lanes look up different pieces.
template <class T, int W> struct KernelCoefficients {
  static constexpr int degree = max_degree(W, precision_of<T>);
  T values[(degree + 1) * W];

  __device__ void load(const T* from) {
    for (int i = threadIdx.x; i < (degree + 1) * W; i += blockDim.x) values[i] = from[i];
  }
  __device__ T operator()(int piece, T t) const {
    T sum = values[degree * W + piece];
#pragma unroll
    for (int power = degree - 1; power >= 0; --power) sum = fma(sum, t, values[power * W + piece]);
    return sum;
  }
};

// The first cell along an axis that point i reaches.
template <class T> __device__ std::uint32_t cell_of(const PackedPoints<T>& points, std::int64_t i, int axis) {
  std::uint64_t packed = points.low[i];
  if (points.high != nullptr) packed |= std::uint64_t{points.high[i]} << 32;
  const int bits = points.shift[axis + 1] - points.shift[axis];
  return static_cast<std::uint32_t>(packed >> points.shift[axis]) & (bits >= 32 ? ~0u : (1u << bits) - 1);
}

// What a lane knows of its team's point.
template <class T, int D, int W> struct TeamPoint {
  using Shape = TeamShape<D, W>;

  std::uint32_t cell[max_dim];
  int x, y, z;  // the lane's first cell of the window
  bool busy;
  T kx[Shape::x_steps], ky[Shape::y_steps];
  const T* kz;

  // values: D * W numbers of shared memory that belong to the team. All lanes of the warp call it together.
  __device__ void load(const PackedPoints<T>& points, std::int64_t i, const KernelCoefficients<T, W>& kernel, T* values) {
    const int lane = threadIdx.x % Shape::lanes;
    for (int axis = 0; axis < D; ++axis) cell[axis] = cell_of(points, i, axis);
    __syncwarp();  // the values of the point before have been read
    for (int v = lane; v < D * W; v += Shape::lanes) values[v] = kernel(v % W, points.t[v / W][i]);
    __syncwarp();
    busy = lane < Shape::busy_lanes;
    x = lane % Shape::x_lanes, y = lane / Shape::x_lanes % Shape::y_lanes, z = lane / (Shape::x_lanes * Shape::y_lanes);
    for (int s = 0; s < Shape::x_steps; ++s) kx[s] = has_x(s) ? values[x + s * Shape::x_lanes] : T(0);
    if constexpr (D > 1)
      for (int s = 0; s < Shape::y_steps; ++s) ky[s] = has_y(s) ? values[W + y + s * Shape::y_lanes] : T(0);
    else
      ky[0] = T(1);
    kz = D > 2 ? values + 2 * W : nullptr;
  }

  __device__ bool has_x(int step) const { return busy && (W % Shape::x_lanes == 0 || x + step * Shape::x_lanes < W); }
  __device__ bool has_y(int step) const { return D < 2 || W % Shape::y_lanes == 0 || y + step * Shape::y_lanes < W; }

  // visit(place, x step, ky kz) for every cell of the lane. at(axis, i): where the i-th cell of the window along an axis
  // lies, in elements; wrapped around or relative to a tile, as the caller likes.
  template <class At, class Visit> __device__ void for_cells(At at, Visit visit) const {
    using Place = decltype(at(0, 0));
    Place px[Shape::x_steps], py[Shape::y_steps];
    for (int s = 0; s < Shape::x_steps; ++s) px[s] = at(0, x + s * Shape::x_lanes);
    for (int s = 0; s < Shape::y_steps; ++s) py[s] = D > 1 ? at(1, y + s * Shape::y_lanes) : Place(0);
#pragma unroll 1
    for (int sz = 0; sz < Shape::z_steps; ++sz) {
      const int iz = z + sz * Shape::z_lanes;
      if (D > 2 && W % Shape::z_lanes != 0 && iz >= W) break;
      const T weight = D > 2 ? kz[busy ? iz : 0] : T(1);
      const Place pz = D > 2 ? at(2, iz) : Place(0);
#pragma unroll
      for (int sy = 0; sy < Shape::y_steps; ++sy) {
        if (!has_y(sy)) continue;
#pragma unroll
        for (int sx = 0; sx < Shape::x_steps; ++sx)
          if (has_x(sx)) visit(pz + py[sy] + px[sx], sx, ky[sy] * weight);
      }
    }
  }
};

// Places in the whole grid, wrapped around. Place: 32 bits where they suffice for the grid.
template <class Place> struct GridPlaces {
  const GridShape& grid;
  const std::uint32_t* cell;
  __device__ Place operator()(int axis, int i) const {
    std::uint32_t wrapped = cell[axis] + static_cast<std::uint32_t>(i);  // n < 2^31
    if (wrapped >= grid.n[axis]) wrapped -= grid.n[axis];
    if (axis == 0) return wrapped;
    return (axis == 1 ? Place{wrapped} : Place{wrapped} * grid.n[1]) * grid.n[0];
  }
};

// Calls body(Place{}) with the type that holds any place of the grid.
template <class Body> void with_place(const GridShape& grid, Body&& body) {
  if (grid.cells <= ~std::uint32_t{0})
    body(std::uint32_t{});
  else
    body(std::uint64_t{});
}

}  // namespace offgrid::cuda
