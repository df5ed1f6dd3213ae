// The sweep. A team of warps takes the points of a column of the grid, sorted by height, and moves a window of the grid
// along the column. The window is held in registers. For 8 points at a time the tensor cores do the products:
//
//   spread        G[(y, re/im), (x, z)] += sum_j  (c_j phi_y(y))[.., j]  (phi_x(x) phi_z(z))[j, ..]
//   interpolate   D[(y, re/im), j]       = sum_x,z G[(y, re/im), (x, z)] (phi_x(x) phi_z(z))[.., j]     then sum_y phi_y D
//
// The window is a ring of `planes` planes: plane z is always in slot z mod planes, so that nothing moves between
// registers when the window does. Planes that leave the window are added to the grid (or replaced by the next ones). In
// 2D there is one plane. All sums are of f64 (m16n8k8). For points in f32 their terms are rounded to f32 first.
//
// Kernel values lie in shared memory, one row per point and axis, between zeros that are written once:
//   x, y:  [window - w zeros][w values][window - w zeros]. Lanes read from (window - w - offset) on, which shifts the values to
//          their cells without any copying
//   z:     values at [0, w) and at [planes, planes + w), zeros elsewhere; lanes read from (planes - z0 mod planes) on
//
// What lane 4 r + k holds of the fragments of mma.m16n8k8:
//   spread   A: columns are the points k, k + 4. Rows are y = r (re | im) where a cell is added as a whole (f32), or
//               (y = r/2 | r/2 + 4, component r & 1) where its components are added one by one (f64)
//            B: rows are the points k, k + 4. The column is (x = r/2, plane r & 1) of 4 x and 2 planes, which takes fewer reads,
//               or x = r/2 + 4 (r & 1) of 8 x and one plane, if the number of planes is odd
//            C: rows as in A. Columns are (x = k, plane 0 | 1) or x = k | k + 4: 4 lanes add to neighbouring cells, whole sectors
//   interp   A: rows are y = r (re | im), columns x = k, k + 4      B: rows are x = k, k + 4, the column is the point r
//   in 3D    C: (y = r, re | im), points 2k, 2k + 1
//   interp   A: rows are the points r, r + 8, columns x = k, k + 4  B: rows are x = k, k + 4, the column is y = r/2 + 4 (r & 1),
//   in 2D       of re or im
//            C: points r, r + 8, y = k, k + 4: 4 lanes share the sums of a point instead of 8, but a full step takes 16 points
#pragma once

#include <type_traits>

#include "cuda/kernels/cells.cuh"
#include "cuda/kernels/mma.cuh"
#include "cuda/kernels/polynomials.cuh"
#include "cuda/kernels/raw_point.cuh"
#include "cuda/kernels/strengths.cuh"
#include "cuda/method/sweep_shape.hpp"

namespace offgrid::cuda {

template <int I> using Constant = std::integral_constant<int, I>;

// Calls body(i) with i as a compile-time constant, if 0 <= i < Count. It is a switch, because a chain of tests takes
// more registers.
template <int Count, class Body> __device__ void with_constant(int i, Body& body) {
  static_assert(Count <= 10);
  const auto at = [&](auto constant) {
    if constexpr (constant() < Count) body(constant);
  };
  switch (i) {
    case 0:
      return at(Constant<0>{});
    case 1:
      return at(Constant<1>{});
    case 2:
      return at(Constant<2>{});
    case 3:
      return at(Constant<3>{});
    case 4:
      return at(Constant<4>{});
    case 5:
      return at(Constant<5>{});
    case 6:
      return at(Constant<6>{});
    case 7:
      return at(Constant<7>{});
    case 8:
      return at(Constant<8>{});
    case 9:
      return at(Constant<9>{});
  }
}

template <class T, class A, int W> struct SweepArguments {
  StageArguments<T, A> stage;
  Bins columns;
  const Subproblem* items;
  const std::uint32_t* item_count;
  Polynomials<T, W> polynomials;
};

// The offsets, in bytes, from which the values of a point are read in Rows: x in the low half of a word and y in the
// high half, and z.
template <int D> struct RowOffsets { std::uint32_t xy; };
template <> struct alignas(8) RowOffsets<3> { std::uint32_t xy, z; };

// The first cell of the column, in shared memory for teams whose windows leave no registers for it.
template <bool Shared> struct SharedCorner {};
template <> struct SharedCorner<true> { std::uint32_t corner[2]; };

// What both directions share: the column, its points, a chunk of up to 32 at a time, and their kernel values. A block
// has V teams, each with a vector of its own, which evaluate the kernel together and read the same values.
template <class T, class A, int D, int W, int V> struct SweepTeam {
  using Shape = SweepShape<D, W>;
  static constexpr int block_warps = V * Shape::warps, threads = 32 * block_warps;
  static constexpr int buffers = block_warps > 1 ? 2 : 1;
  static constexpr bool shares_corner = Shape::warps > 4;

  struct alignas(16) Rows : SharedCorner<shares_corner> {
    T x[32 * Shape::x_row], y[32 * Shape::y_row], z[D == 3 ? 32 * Shape::z_row : 1];
    alignas(16) Complex<T> strength[V][32];
    alignas(16) RowOffsets<D> offsets[32];
  };

  const SweepArguments<T, A, W>& a;
  Rows* rows;
  int lane, team, warp, r, k;
  int first_octet, first_plane;  // of this warp's part of its team's window
  int vector;
  std::uint32_t first, end;  // the points that are left
  std::uint32_t corner[2];   // the first cell of the column, x and y
  RawPoint<T, D> raw;        // this lane's point of the chunk

  __device__ SweepTeam(const SweepArguments<T, A, W>& arguments, const Subproblem& item, Rows* memory)
      : a(arguments), rows(memory), lane(threadIdx.x % 32) {
    team = V == 1 ? 0 : threadIdx.x / Shape::threads;
    warp = Shape::warps == 1 ? 0 : threadIdx.x / 32 - team * Shape::warps;
    vector = blockIdx.y * V + team;
    first = item.first;
    end = item.first + item.count;
    raw.fetch(a.stage.points, packed_index(0));
    r = lane / 4;
    k = lane % 4;
    first_octet = warp % Shape::tiles.x_warps * Shape::octets;
    first_plane = warp / Shape::tiles.x_warps * Shape::own_planes;
    corner[0] = item.bin % a.columns.count[0] * a.columns.size[0];
    corner[1] = item.bin / a.columns.count[0] * a.columns.size[1];
    auto* words = reinterpret_cast<uint4*>(rows);
    for (int i = threadIdx.x; i < static_cast<int>(buffers * sizeof(Rows) / 16); i += threads) words[i] = {0, 0, 0, 0};
    synchronise();
    if constexpr (shares_corner) {
      if (does(3) && lane < buffers) {
        rows[lane].corner[0] = corner[0];
        rows[lane].corner[1] = corner[1];
      }
      __syncwarp();
    }
  }

  // Synchronises `Warps` warps: the whole block, or a single warp.
  template <int Warps = block_warps> __device__ static void synchronise() {
    if constexpr (Warps == 1)
      __syncwarp();
    else
      __syncthreads();
  }
  // The evaluation has four parts, x (0), y (1), z (2) and the rest (3), which the warps of the block share. Returns
  // whether this warp does a part.
  __device__ static bool does(int part) { return block_warps == 1 || threadIdx.x / 32 == part % block_warps; }
  // The same for parts that each team does for itself, which its own warps share.
  __device__ bool does_alone(int part) const { return Shape::warps == 1 || warp == part % Shape::warps; }
  __device__ bool has_vector() const { return V == 1 || vector < a.stage.batch; }

  // The packed index of this lane's point, or of the point that is `ahead` further on; the last point where there is
  // none.
  __device__ std::uint32_t packed_index(std::uint32_t ahead) const { return min(first + ahead + lane, end - 1); }

  // For each chunk of points, the agent brings its window to z_first (`meet`). Once the kernel values are in shared
  // memory it asks for what the next chunk needs (`prefetch`), multiplies, 8 or 16 points per step (`multiply`), and is
  // done with the chunk (`finish`).
  template <class Agent> __device__ void run(Agent& agent) {
    for (int buffer = 0; first < end; buffer ^= buffers - 1) {
      const int z0 = height(), z_first = __shfl_sync(~0u, z0, 0);
      const bool taken = first + lane < end && z0 - z_first < Shape::reach_z;
      const int count = __popc(__ballot_sync(~0u, taken));
      agent.meet(rows[buffer], z_first, taken);
      store<Agent::few_terms>(rows[buffer], taken ? z0 : z_first);
      synchronise();
      first += count;
      if (first < end) {
        raw.fetch(a.stage.points, packed_index(0));
        agent.prefetch(count);
      }
      for (int step = 0; step * Agent::step_points < count; ++step) agent.multiply(rows[buffer], buffer, step);
      agent.finish(buffer, count);
      if constexpr (buffers == 1) __syncwarp();
    }
  }

  // The row of shared memory of the chunk's point l = 8 step + j. Apart from the shifts of the points, neither stores
  // nor loads of fragments have bank conflicts. Points j and j + 4 are neighbours.
  __device__ static int row_of(int l) { return row_of(l / 8, l % 4) + (l >> 2) % 2; }
  __device__ static int row_of(int step, int j) {
    return sizeof(T) == 4 ? 8 * j + 2 * step : 4 * j + 2 * (step & 1) + 16 * (step >> 1);
  }

  template <int Window> __device__ static void store_row(const T (&values)[W], T* row) {
#pragma unroll
    for (int i = 0; i < W; ++i) row[Window - W + i] = values[i];
  }

  template <int Degree> __device__ void store_values(Rows& to, int row) const {
    T values[W];
    if (does(0)) {
      a.polynomials.template evaluate<Degree>(raw.t(a.stage.points, 0), values);
      store_row<Shape::window_x>(values, to.x + row * Shape::x_row);
    }
    if (does(1)) {
      a.polynomials.template evaluate<Degree>(raw.t(a.stage.points, 1), values);
      store_row<Shape::window_y>(values, to.y + row * Shape::y_row);
    }
    if constexpr (D == 3)
      if (does(2)) {
        a.polynomials.template evaluate<Degree>(raw.t(a.stage.points, 2), values);
#pragma unroll
        for (int i = 0; i < W; ++i)
          to.z[row * Shape::z_row + i] = to.z[row * Shape::z_row + i + Shape::planes] = values[i];
      }
  }

  // Writes the rows of this lane's point. FewTerms allows polynomials of a lower degree where these are exact.
  template <bool FewTerms> __device__ void store(Rows& to, int z0) const {
    const int row = row_of(lane);
    if (FewTerms && a.polynomials.is_low)
      store_values<Polynomials<T, W>::low_degree>(to, row);
    else
      store_values<Polynomials<T, W>::degree>(to, row);
    if (!does(3)) return;
    std::uint32_t first_x = corner[0], first_y = corner[1];
    if constexpr (shares_corner) {
      first_x = to.corner[0];
      first_y = to.corner[1];
    }
    const std::uint32_t ox = raw.cell(a.stage.points, 0) - first_x, oy = raw.cell(a.stage.points, 1) - first_y;
    const std::uint32_t x = row * Shape::x_row + Shape::window_x - W - ox,
                        y = row * Shape::y_row + Shape::window_y - W - oy;
    to.offsets[row].xy = (x | y << 16) * sizeof(T);
    if constexpr (D == 3) to.offsets[row].z = (row * Shape::z_row + Shape::planes - slot_of(z0)) * sizeof(T);
  }
  // The values of a point at all cells of the window, from the first cell on.
  __device__ static const T* x_of(const Rows& rows, const RowOffsets<D>& offsets) {
    return at(rows.x, offsets.xy & 0xffff);
  }
  __device__ static const T* y_of(const Rows& rows, const RowOffsets<D>& offsets) {
    return at(rows.y, offsets.xy >> 16);
  }
  __device__ static const T* z_of(const Rows& rows, const RowOffsets<D>& offsets) {
    if constexpr (D == 2)
      return rows.z;
    else
      return at(rows.z, offsets.z);
  }
  __device__ static const T* at(const T* values, std::uint32_t bytes) {
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(values) + bytes);
  }

  __device__ int height() const {
    if constexpr (D == 3)
      return static_cast<int>(raw.cell(a.stage.points, 2));
    else
      return 0;
  }

  // The offsets of this warp's cells in a plane of the grid, which has fewer than 2^32 cells (sweep.cpp).
  __device__ std::uint32_t column(int x) const { return wrap(corner[0] + 8 * first_octet + x, a.stage.grid.n[0]); }
  __device__ std::uint32_t row(int y) const { return wrap(corner[1] + y, a.stage.grid.n[1]) * a.stage.grid.n[0]; }
  // How many cells of the grids lie before a plane of this vector. `plane` is less than n[2].
  __device__ std::uint64_t cells_before(std::uint32_t plane) const {
    const auto& grid = a.stage.grid;
    const std::uint64_t before = vector * grid.cells;
    return D == 2 ? before : before + std::uint64_t{plane} * (grid.n[0] * grid.n[1]);
  }
  __device__ std::uint32_t next_plane(std::uint32_t plane) const {
    return plane + 1 == a.stage.grid.n[2] ? 0 : plane + 1;
  }

  __device__ static std::uint32_t slot_of(int z) { return static_cast<std::uint32_t>(z) % Shape::planes; }

  // Calls body(slot) if this warp owns the plane, with its slot as a compile-time constant, because registers cannot be
  // indexed at run time.
  template <class Body> __device__ void with_slot(int plane, Body&& body) const {
    if constexpr (D == 2)
      body(Constant<0>{});
    else
      with_constant<Shape::own_planes>(static_cast<int>(slot_of(plane)) - first_plane, body);
  }
};

}  // namespace offgrid::cuda
