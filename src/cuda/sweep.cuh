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

#include "core/dispatch.hpp"
#include "cuda/check.hpp"
#include "cuda/spread.cuh"
#include "cuda/sweep.hpp"
#include "cuda/sweep_shape.hpp"

namespace offgrid::cuda {

__device__ inline void multiply_add(double (&c)[4], const double (&a)[4], double b0, double b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
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
    for (int i = threadIdx.x; i < static_cast<int>(buffers * sizeof(Rows) / 16); i += Shape::threads) words[i] = {0, 0, 0, 0};
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

  template <int Length, int Window> __device__ static void store_row(const T (&values)[W], double* row) {
#pragma unroll
    for (int i = 0; i < W; ++i) row[Window - W + i] = static_cast<double>(values[i]);
  }

  // Writes the rows of this lane's point.
  __device__ void store(Rows& to, const RawPoint<T, D>& raw, int z0, Complex<T> strength) const {
    const int row = row_of(lane);
    T values[W];
    if (does(0)) {
      a.polynomials(raw.t[0], values);
      store_row<Shape::x_row, Shape::window_x>(values, to.x + row * Shape::x_row);
    }
    if (does(1)) {
      a.polynomials(raw.t[1], values);
      store_row<Shape::y_row, Shape::window_y>(values, to.y + row * Shape::y_row);
    }
    if constexpr (D == 3)
      if (does(2)) {
        a.polynomials(raw.t[2], values);
#pragma unroll
        for (int i = 0; i < W; ++i)
          to.z[row * Shape::z_row + i] = to.z[row * Shape::z_row + i + Shape::planes] = static_cast<double>(values[i]);
      }
    if (!does(3)) return;
    to.strength[2 * row] = static_cast<double>(strength.x), to.strength[2 * row + 1] = static_cast<double>(strength.y);
    const std::uint32_t ox = raw.cell(a.stage.points, 0) - corner[0], oy = raw.cell(a.stage.points, 1) - corner[1];
    const std::uint32_t x = row * Shape::x_row + Shape::window_x - W - ox, y = row * Shape::y_row + Shape::window_y - W - oy;
    to.base[row] = {x | y << 16, D == 3 ? static_cast<unsigned>(row * Shape::z_row + Shape::planes - z0 % Shape::planes) : 0};
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

// --- spreading --------------------------------------------------------------------------------------------------------
template <class T, class A, int D, int W> struct SweepSpreadAgent {
  using Team = SweepTeam<T, A, D, W>;
  using Shape = SweepShape<D, W>;

  Team team;
  int vector;
  double window[Shape::m_tiles][Shape::octets][Shape::own_planes][4];

  __device__ SweepSpreadAgent(const SweepArguments<T, A, W>& arguments, const Subproblem& item, typename Team::Rows* rows,
                              int of_vector)
      : team(arguments, item, rows), vector(of_vector) {
#pragma unroll
    for (int i = 0; i < Shape::m_tiles * Shape::octets * Shape::own_planes * 4; ++i) (&window[0][0][0][0])[i] = 0;
  }

  __device__ void run() {
    const auto& stage = team.a.stage;
    const std::uint32_t end = team.item.first + team.item.count;
    std::uint32_t first = team.item.first;
    RawPoint<T, D> raw;
    raw.fetch(stage.points, min(first + team.lane, end - 1));
    Complex<T> strength = strength_of(stage, raw.index, vector);
    for (int buffer = 0; first < end; buffer ^= Team::buffers - 1) {
      auto& rows = team.rows[buffer];
      int z0 = team.height(raw);
      const int z_first = __shfl_sync(~0u, z0, 0);
      const bool taken = first + team.lane < end && z0 - z_first < Shape::reach_z;
      const int count = __popc(__ballot_sync(~0u, taken));
      if (!taken) z0 = z_first, strength = {0, 0};
      team.store(rows, raw, z0, strength);
      Team::synchronise();
      first += count;
      if (first < end) raw.fetch(stage.points, min(first + team.lane, end - 1));
      slide(z_first);
      for (int step = 0; step < (count + 7) / 8; ++step) add_points(rows, step);
      if (first < end) strength = strength_of(stage, raw.index, vector);  // by now the index is here
      if constexpr (Shape::warps == 1) __syncwarp();
    }
    for (int plane = team.z_base; plane < team.z_base + Shape::planes; ++plane) flush(plane);
  }

  __device__ void slide(int z_first) {
    if (team.z_base >= 0)
      for (int plane = team.z_base; plane < min(z_first, team.z_base + Shape::planes); ++plane) flush(plane);
    team.z_base = z_first;
  }

  __device__ void add_points(const typename Team::Rows& rows, int step) {
    const int r = team.r, k = team.k, row = 4 * k + 2 * (step & 1) + 16 * (step >> 1);
    const uint2 base0 = rows.base[row], base1 = rows.base[row + 1];
    const int x = (r >> 1) + 4 * (r & 1) + 8 * team.first_octet, y = r >> 1;
    const double *x0 = rows.x + (base0.x & 0xffff) + x, *x1 = rows.x + (base1.x & 0xffff) + x;
    const double *y0 = rows.y + (base0.x >> 16) + y, *y1 = rows.y + (base1.x >> 16) + y;
    const double *z0 = rows.z + base0.y + team.first_plane, *z1 = rows.z + base1.y + team.first_plane;
    const double c0 = rows.strength[2 * row + (r & 1)], c1 = rows.strength[2 * row + 2 + (r & 1)];
    double left[Shape::m_tiles][4];
#pragma unroll
    for (int m = 0; m < Shape::m_tiles; ++m) {
      left[m][0] = c0 * y0[8 * m], left[m][1] = c0 * y0[8 * m + 4];
      left[m][2] = c1 * y1[8 * m], left[m][3] = c1 * y1[8 * m + 4];
    }
#pragma unroll
    for (int slot = 0; slot < Shape::own_planes; ++slot)
#pragma unroll
      for (int o = 0; o < Shape::octets; ++o) {
        const double b0 = D == 3 ? x0[8 * o] * z0[slot] : x0[8 * o], b1 = D == 3 ? x1[8 * o] * z1[slot] : x1[8 * o];
#pragma unroll
        for (int m = 0; m < Shape::m_tiles; ++m) multiply_add(window[m][o][slot], left[m], b0, b1);
      }
  }

  __device__ void flush(int plane) {
    const auto& grid = team.a.stage.grid;
    A* cells = reinterpret_cast<A*>(team.a.stage.cells + vector * grid.cells) + (team.r & 1);
    const std::uint64_t z = D == 3 ? team.wrap(2, static_cast<std::uint32_t>(plane)) : 0;
    team.with_slot(plane, [&](int slot) {
#pragma unroll
      for (int m = 0; m < Shape::m_tiles; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const std::uint32_t y = team.wrap(1, team.corner[1] + 8 * m + 4 * half + (team.r >> 1));
          const std::uint64_t row = (z * grid.n[1] + y) * grid.n[0];
#pragma unroll
          for (int o = 0; o < Shape::octets; ++o)
#pragma unroll
            for (int side = 0; side < 2; ++side) {
              const std::uint32_t x = team.wrap(0, team.corner[0] + 8 * (team.first_octet + o) + 4 * side + team.k);
              double& value = window[m][o][slot][2 * half + side];
              atomicAdd(cells + 2 * (row + x), static_cast<A>(value));
              value = 0;
            }
        }
    });
  }
};

template <class T, class A, int D, int W>
__global__ void __launch_bounds__(SweepShape<D, W>::threads, SweepShape<D, W>::tiles.blocks)
    sweep_spread_kernel(const __grid_constant__ SweepArguments<T, A, W> arguments) {
  using Team = SweepTeam<T, A, D, W>;
  extern __shared__ double sweep_memory[];
  if (blockIdx.x >= *arguments.item_count) return;
  const Subproblem item = arguments.items[blockIdx.x];
  auto* rows = reinterpret_cast<typename Team::Rows*>(sweep_memory);
  SweepSpreadAgent<T, A, D, W>(arguments, item, rows, blockIdx.y).run();
}

// --- interpolation ----------------------------------------------------------------------------------------------------
template <class T, class A, int D, int W> struct SweepInterpAgent {
  using Team = SweepTeam<T, A, D, W>;
  using Shape = SweepShape<D, W>;

  struct Shared {
    typename Team::Rows rows[Team::buffers];
    double sums[Team::buffers][Shape::warps][8][2][32];  // [warp][y][re, im][point]
  };

  // Planes that are fetched before the kernel is evaluated, to hide their latency, in as many registers as are free.
  static constexpr int early_planes = D == 2 ? 1 : Shape::m_tiles * Shape::octets == 1 ? 3 : 1;

  Team team;
  Shared& shared;
  int vector;
  double window[Shape::m_tiles][Shape::octets][Shape::own_planes][4];

  __device__ SweepInterpAgent(const SweepArguments<T, A, W>& arguments, const Subproblem& item, Shared& memory, int of_vector)
      : team(arguments, item, memory.rows), shared(memory), vector(of_vector) {}

  __device__ void run() {
    const auto& stage = team.a.stage;
    const std::uint32_t end = team.item.first + team.item.count;
    std::uint32_t first = team.item.first;
    RawPoint<T, D> raw;
    raw.fetch(stage.points, min(first + team.lane, end - 1));
    for (int buffer = 0; first < end; buffer ^= Team::buffers - 1) {
      auto& rows = team.rows[buffer];
      int z0 = team.height(raw);
      const int z_first = __shfl_sync(~0u, z0, 0);
      const bool taken = first + team.lane < end && z0 - z_first < Shape::reach_z;
      const int count = __popc(__ballot_sync(~0u, taken));
      if (!taken) z0 = z_first;
      const std::uint32_t index = raw.index;
      const int next = team.z_base < 0 ? z_first : max(team.z_base + Shape::planes, z_first);
      const int last = z_first + Shape::planes;
      Cells ahead[early_planes];
#pragma unroll
      for (int p = 0; p < early_planes; ++p)
        if (next + p < last) fetch(next + p, ahead[p]);
      team.z_base = z_first;
      team.store(rows, raw, z0, {0, 0});
#pragma unroll
      for (int p = 0; p < early_planes; ++p)
        if (next + p < last) keep(next + p, ahead[p]);
      for (int plane = next + early_planes; plane < last; ++plane) {
        Cells now;
        fetch(plane, now);
        keep(plane, now);
      }
      Team::synchronise();
      first += count;
      if (first < end) raw.fetch(stage.points, min(first + team.lane, end - 1));
      for (int step = 0; step < (count + 7) / 8; ++step) read_points(rows, buffer, step);
      Team::synchronise();
      if (team.does(3) && team.lane < count) write(buffer, index);
      if constexpr (Shape::warps == 1) __syncwarp();
    }
  }

  // A plane of the grid, as far as it is this lane's.
  struct Cells { Complex<A> value[Shape::m_tiles][Shape::octets][2]; };

  __device__ bool owns(int plane) const {
    const int slot = plane % Shape::planes - team.first_plane;
    return D == 2 || (slot >= 0 && slot < Shape::own_planes);
  }

  __device__ void fetch(int plane, Cells& to) const {
    if (!owns(plane)) return;
    const auto& grid = team.a.stage.grid;
    const auto* cells = reinterpret_cast<const Complex<A>*>(team.a.stage.cells) + vector * grid.cells;
    const std::uint64_t z = D == 3 ? team.wrap(2, static_cast<std::uint32_t>(plane)) : 0;
#pragma unroll
    for (int m = 0; m < Shape::m_tiles; ++m) {
      const std::uint32_t y = team.wrap(1, team.corner[1] + 8 * m + team.r);
      const Complex<A>* row = cells + (z * grid.n[1] + y) * grid.n[0];
#pragma unroll
      for (int o = 0; o < Shape::octets; ++o)
#pragma unroll
        for (int side = 0; side < 2; ++side)
          to.value[m][o][side] = __ldg(row + team.wrap(0, team.corner[0] + 8 * (team.first_octet + o) + 4 * side + team.k));
    }
  }

  __device__ void keep(int plane, const Cells& from) {
    team.with_slot(plane, [&](int slot) {
#pragma unroll
      for (int m = 0; m < Shape::m_tiles; ++m)
#pragma unroll
        for (int o = 0; o < Shape::octets; ++o)
#pragma unroll
          for (int side = 0; side < 2; ++side) {
            window[m][o][slot][2 * side] = static_cast<double>(from.value[m][o][side].x);
            window[m][o][slot][2 * side + 1] = static_cast<double>(from.value[m][o][side].y);
          }
    });
  }

  __device__ void read_points(const typename Team::Rows& rows, int buffer, int step) {
    const int r = team.r, k = team.k;
    const uint2 base = rows.base[Team::row_of(8 * step + r)];
    const double* x = rows.x + (base.x & 0xffff) + 8 * team.first_octet + k;
    const double* z = rows.z + base.y + team.first_plane;
    double sums[Shape::m_tiles][4]{};
#pragma unroll
    for (int slot = 0; slot < Shape::own_planes; ++slot)
#pragma unroll
      for (int o = 0; o < Shape::octets; ++o) {
        const double b0 = D == 3 ? x[8 * o] * z[slot] : x[8 * o], b1 = D == 3 ? x[8 * o + 4] * z[slot] : x[8 * o + 4];
#pragma unroll
        for (int m = 0; m < Shape::m_tiles; ++m) multiply_add(sums[m], window[m][o][slot], b0, b1);
      }
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const double* y = rows.y + (rows.base[Team::row_of(8 * step + 2 * k + p)].x >> 16) + r;
      double re = 0, im = 0;
#pragma unroll
      for (int m = 0; m < Shape::m_tiles; ++m) re = fma(y[8 * m], sums[m][p], re), im = fma(y[8 * m], sums[m][2 + p], im);
      shared.sums[buffer][team.warp][r][0][8 * step + 2 * k + p] = re;
      shared.sums[buffer][team.warp][r][1][8 * step + 2 * k + p] = im;
    }
  }

  // A lane a point: the sum over y and the warps.
  __device__ void write(int buffer, std::uint32_t index) {
    double re = 0, im = 0;
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w)
#pragma unroll
      for (int y = 0; y < 8; ++y) re += shared.sums[buffer][w][y][0][team.lane], im += shared.sums[buffer][w][y][1][team.lane];
    const auto& stage = team.a.stage;
    reinterpret_cast<Complex<T>*>(stage.strengths)[vector * stage.stride + stage.points.first + index] = {static_cast<T>(re),
                                                                                                         static_cast<T>(im)};
  }
};

template <class T, class A, int D, int W>
__global__ void __launch_bounds__(SweepShape<D, W>::threads, SweepShape<D, W>::tiles.interp_blocks)
    sweep_interp_kernel(const __grid_constant__ SweepArguments<T, A, W> arguments) {
  using Agent = SweepInterpAgent<T, A, D, W>;
  extern __shared__ double sweep_memory[];
  if (blockIdx.x >= *arguments.item_count) return;
  const Subproblem item = arguments.items[blockIdx.x];
  Agent(arguments, item, *reinterpret_cast<typename Agent::Shared*>(sweep_memory), blockIdx.y).run();
}

// --- launchers --------------------------------------------------------------------------------------------------------
template <class T, class A, int W>
SweepArguments<T, A, W> sweep_arguments(const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& columns) {
  SweepArguments<T, A, W> arguments{stage, columns, set.items.data(), set.item_count.data(), {}};
  for (int power = 0; power <= SweepPolynomials<T, W>::degree; ++power)
    for (int piece = 0; piece < (W + 1) / 2; ++piece)
      arguments.polynomials.coefficients[power][piece] = stage.kernel.host_coefficients[power * W + piece];
  return arguments;
}

template <class T, class A, int W, class Kernel>
void launch_sweep(Kernel kernel, int threads, std::size_t bytes, const StageArguments<T, A>& stage, const PointSet<T>& set,
                  const Bins& columns, cudaStream_t stream) {
  call("shared memory", [&] {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  });
  const dim3 blocks(static_cast<unsigned>(set.max_items), static_cast<unsigned>(stage.batch));
  kernel<<<blocks, threads, bytes, stream>>>(sweep_arguments<T, A, W>(stage, set, columns));
  check_launch("sweep");
}

template <class T, class A>
void sweep_spread(int dim, const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& columns,
                  cudaStream_t stream) {
  if (set.max_items == 0) return;
  dispatch<2, 3>(dim, [&](auto d) {
    dispatch<min_width, max_width>(stage.kernel.width, [&](auto w) {
      using Team = SweepTeam<T, A, d(), w()>;
      launch_sweep<T, A, w()>(sweep_spread_kernel<T, A, d(), w()>, SweepShape<d(), w()>::threads,
                              Team::buffers * sizeof(typename Team::Rows), stage, set, columns, stream);
    });
  });
}

template <class T, class A>
void sweep_interpolate(int dim, const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& columns,
                       cudaStream_t stream) {
  if (set.max_items == 0) return;
  dispatch<2, 3>(dim, [&](auto d) {
    dispatch<min_width, max_width>(stage.kernel.width, [&](auto w) {
      launch_sweep<T, A, w()>(sweep_interp_kernel<T, A, d(), w()>, SweepShape<d(), w()>::threads,
                              sizeof(typename SweepInterpAgent<T, A, d(), w()>::Shared), stage, set, columns, stream);
    });
  });
}

}  // namespace offgrid::cuda
