// The sweep. A team of warps takes the points of a column of the grid, sorted by height, and moves a window of the grid
// along it that lives in registers. For 8 points at a time the window is a matrix product of the tensor cores:
//
//   spread        G[(y, re/im), (x, z)] += sum_j  (c_j phi_y(y))[.., j]  (phi_x(x) phi_z(z))[j, ..]
//   interpolate   D[(y, re/im), j]       = sum_x,z G[(y, re/im), (x, z)] (phi_x(x) phi_z(z))[.., j]     then sum_y phi_y D
//
// The window has `planes` planes in a ring: plane z lives in slot z mod planes, whatever the window's base, so that nothing
// moves between registers; planes that leave are added to the grid (or replaced by the next ones). In 2D there is one.
// All products are of f64 (m16n8k8): exact to rounding for f32 as well.
//
// Kernel values lie in shared memory, a row a point and axis, between zeros that are written once:
//   x, y:  [window - w zeros][w values][window - w zeros]   read from (window - w - offset): the shift costs an address
//   z:     values at [0, w) and at [planes, planes + w), zeros elsewhere, read from (planes - z0 mod planes)
//
// Fragments of mma.m16n8k8, lane = 4 r + k:
//   spread   A: rows (y = r/2 | r/2 + 4, component r & 1), columns the points k, k + 4
//            B: rows the points k, k + 4, column x = r/2 + 4 (r & 1)
//            C: (y, x = k), (y, k + 4), (y + 4, k), (y + 4, k + 4), component r & 1: every sector of the grid whole
//   interp   A: rows y = r (re | im), columns x = k, k + 4      B: rows x = k, k + 4, column the point r
//            C: (y = r, re | im), points 2k, 2k + 1
#pragma once

#include "cuda/spread.cuh"
#include "cuda/sweep_shape.hpp"

namespace offgrid::cuda {

// Older devices have no such instruction, and are never asked to sweep (method.cpp).
__device__ inline void multiply_add(double (&c)[4], const double (&a)[4], double b0, double b1) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
#else
  __trap();
#endif
}

// The polynomials in the kernel's parameters, which are constant memory: all lanes read the same one.
// p_i(t) = even(t^2) + t odd(t^2), and p_{w-1-i} = even - t odd.
template <class T, int W> struct SweepPolynomials {
  static constexpr int degree = max_degree(W, precision_of<T>);
  T coefficients[degree + 1][(W + 1) / 2];

  __device__ void operator()(T t, T (&values)[W]) const {
    const T square = t * t;
#pragma unroll
    for (int i = 0; i < (W + 1) / 2; ++i) {
      constexpr int top_even = degree / 2 * 2, top_odd = (degree + 1) / 2 * 2 - 1;
      T even = coefficients[top_even][i], odd = coefficients[top_odd][i];
#pragma unroll
      for (int power = top_even - 2; power >= 0; power -= 2) even = fma(even, square, coefficients[power][i]);
#pragma unroll
      for (int power = top_odd - 2; power >= 1; power -= 2) odd = fma(odd, square, coefficients[power][i]);
      values[i] = fma(t, odd, even), values[W - 1 - i] = fma(-t, odd, even);
    }
  }
};

template <class T, class A, int W> struct SweepArguments {
  StageArguments<T, A> stage;
  Bins columns;
  const Subproblem* items;
  const std::uint32_t* item_count;
  SweepPolynomials<T, W> polynomials;
};

// What both directions share: the column, the points batch by batch, and their kernel values.
template <class T, class A, int D, int W> struct SweepTeam {
  using Shape = SweepShape<D, W>;
  static constexpr int buffers = Shape::warps > 1 ? 2 : 1;

  struct alignas(16) Rows {
    double x[32 * Shape::x_row], y[32 * Shape::y_row], z[D == 3 ? 32 * Shape::z_row : 1];
    double strength[64];
    uint2 base[32];  // where the rows of a point are read from: x and y, 16 bits each, and z
  };

  const SweepArguments<T, A, W>& a;
  const Subproblem& item;
  Rows* rows;
  int lane, warp, r, k, first_octet, first_plane;  // of this warp
  std::uint32_t corner[2];
  int z_base = -1;  // of the window; none yet

  __device__ SweepTeam(const SweepArguments<T, A, W>& arguments, const Subproblem& my_item, Rows* memory)
      : a(arguments), item(my_item), rows(memory), lane(threadIdx.x % 32), warp(threadIdx.x / 32) {
    r = lane / 4, k = lane % 4;
    first_octet = warp % Shape::tiles.x_warps * Shape::octets;
    first_plane = warp / Shape::tiles.x_warps * Shape::own_planes;
    corner[0] = item.bin % a.columns.count[0] * a.columns.size[0];
    corner[1] = item.bin / a.columns.count[0] * a.columns.size[1];
    auto* words = reinterpret_cast<uint4*>(rows);
    for (int i = threadIdx.x; i < static_cast<int>(buffers * sizeof(Rows) / 16); i += Shape::threads)
      words[i] = {0, 0, 0, 0};
    synchronise();
  }

  __device__ static void synchronise() {
    if constexpr (Shape::warps == 1)
      __syncwarp();
    else
      __syncthreads();
  }
  // Whether this warp does a part of the evaluation: x, y, z, and the rest.
  __device__ bool does(int part) const { return warp == part % Shape::warps; }

  // The row of shared memory of the batch's point l = 8 step + j: stores and fragment loads meet no bank twice.
  __device__ static int row_of(int l) {
    const int step = l / 8, j = l % 8;
    return 4 * (j & 3) + 2 * (step & 1) + (j >> 2) + 16 * (step >> 1);
  }

  template <int Window> __device__ static void store_row(const T (&values)[W], double* row) {
#pragma unroll
    for (int i = 0; i < W; ++i) row[Window - W + i] = static_cast<double>(values[i]);
  }

  // Writes the rows of this lane's point.
  __device__ void store(Rows& to, const RawPoint<T, D>& raw, int z0, Complex<T> strength) const {
    const int row = row_of(lane);
    T values[W];
    if (does(0)) {
      a.polynomials(raw.t(a.stage.points, 0), values);
      store_row<Shape::window_x>(values, to.x + row * Shape::x_row);
    }
    if (does(1)) {
      a.polynomials(raw.t(a.stage.points, 1), values);
      store_row<Shape::window_y>(values, to.y + row * Shape::y_row);
    }
    if constexpr (D == 3)
      if (does(2)) {
        a.polynomials(raw.t(a.stage.points, 2), values);
#pragma unroll
        for (int i = 0; i < W; ++i)
          to.z[row * Shape::z_row + i] = to.z[row * Shape::z_row + i + Shape::planes] = static_cast<double>(values[i]);
      }
    if (!does(3)) return;
    to.strength[2 * row] = static_cast<double>(strength.x), to.strength[2 * row + 1] = static_cast<double>(strength.y);
    const std::uint32_t ox = raw.cell(a.stage.points, 0) - corner[0], oy = raw.cell(a.stage.points, 1) - corner[1];
    const std::uint32_t x = row * Shape::x_row + Shape::window_x - W - ox,
                        y = row * Shape::y_row + Shape::window_y - W - oy;
    to.base[row] = {x | y << 16,
                    D == 3 ? static_cast<unsigned>(row * Shape::z_row + Shape::planes - z0 % Shape::planes) : 0};
  }

  __device__ std::uint32_t wrap(int axis, std::uint32_t place) const {
    const std::uint32_t n = a.stage.grid.n[axis];
    while (place >= n) place -= n;
    return place;
  }
  __device__ int height(const RawPoint<T, D>& raw) const {
    if constexpr (D == 3)
      return static_cast<int>(raw.cell(a.stage.points, 2));
    else
      return 0;
  }

  // Calls body(slot of this warp) for a plane that the warp owns; unrolled, as registers have no run-time index.
  template <class Body> __device__ void with_slot(int plane, Body&& body) const {
    const int slot = D == 3 ? plane % Shape::planes - first_plane : 0;
#pragma unroll
    for (int s = 0; s < Shape::own_planes; ++s)
      if (s == slot) body(s);
  }
};

}  // namespace offgrid::cuda
