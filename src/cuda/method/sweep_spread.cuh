// The sweep's spreading (sweep_team.cuh): planes that leave the window are added to the grid.
#pragma once

#include "cuda/launch/dependent_launch.cuh"
#include "cuda/method/sweep_team.cuh"

namespace offgrid::cuda {

template <int D> __device__ void wait_for_clear() {
  if constexpr (sweep_overlaps_clear(D)) wait_for_previous_kernel();
}

// What the cells of the grid hold while points are added: integers where the order of additions must not matter
// (integer_sums.hpp). Each kind has kernels of its own, because a test at run time takes registers, and costs a third
// of the speed.
enum class CellSums { numbers, integers };

// The window of a warp, in registers.
template <class T, class A, int D, int W, int V, CellSums Sums> struct SweepSpreadWindow {
  using Team = SweepTeam<T, A, D, W, V>;
  using Shape = SweepShape<D, W>;
  using Rows = typename Team::Rows;
  static constexpr bool whole_cells = sizeof(A) == 4;  // both components of a cell are added at once
  static constexpr int halves = whole_cells ? 1 : 2;   // of the 8 y of a tile
  // A tile has `depth` planes and tile_x cells along x; a quad is 4 cells along x.
  static constexpr int depth = Shape::own_planes % 2 == 0 ? 2 : 1, tile_x = 8 / depth;
  static constexpr int x_tiles = Shape::octets * depth, z_tiles = Shape::own_planes / depth, quads = 2 * Shape::octets;

  std::uint32_t x[quads], y[Shape::m_tiles][halves];  // this lane's cells of a plane
  double sums[Shape::m_tiles][x_tiles][z_tiles][4];

  __device__ explicit SweepSpreadWindow(const Team& team) {
#pragma unroll
    for (int quad = 0; quad < quads; ++quad) x[quad] = team.column(4 * quad + team.k);
#pragma unroll
    for (int m = 0; m < Shape::m_tiles; ++m)
#pragma unroll
      for (int half = 0; half < halves; ++half)
        y[m][half] = team.row(8 * m + (whole_cells ? team.r : 4 * half + (team.r >> 1)));
#pragma unroll
    for (int i = 0; i < Shape::m_tiles * x_tiles * z_tiles * 4; ++i) (&sums[0][0][0][0])[i] = 0;
  }

  struct alignas(2 * sizeof(RowOffsets<D>)) OffsetsOfTwo {
    RowOffsets<D> first, second;
  };

  // Adds 8 points.
  __device__ void multiply(const Team& team, const Rows& rows, int step) {
    const int r = team.r, row = Team::row_of(step, team.k);
    const auto [first, second] = *reinterpret_cast<const OffsetsOfTwo*>(&rows.offsets[row]);
    const int x_cell = (depth == 2 ? r >> 1 : (r >> 1) + 4 * (r & 1)) + 8 * team.first_octet;
    const int z_cell = (depth == 2 ? r & 1 : 0) + team.first_plane, y_cell = whole_cells ? r : r >> 1;
    const T *x0 = Team::x_of(rows, first) + x_cell, *x1 = Team::x_of(rows, second) + x_cell;
    const T *z0 = Team::z_of(rows, first) + z_cell, *z1 = Team::z_of(rows, second) + z_cell;
    double left[Shape::m_tiles][4];
    fill(left, r & 1, &rows.strength[team.team][row], Team::y_of(rows, first) + y_cell,
         Team::y_of(rows, second) + y_cell);
#pragma unroll
    for (int i = 0; i < z_tiles; ++i)
#pragma unroll
      for (int o = 0; o < x_tiles; ++o) {
        T b0 = x0[tile_x * o], b1 = x1[tile_x * o];
        if constexpr (D == 3) {
          b0 *= z0[depth * i];
          b1 *= z1[depth * i];
        }
#pragma unroll
        for (int m = 0; m < Shape::m_tiles; ++m)
          multiply_add(sums[m][o][i], left[m], static_cast<double>(b0), static_cast<double>(b1));
      }
  }

  // Fills the left factor with strengths times phi_y, of two points.
  __device__ void fill(double (&left)[Shape::m_tiles][4], int part, const Complex<T>* c, const T* y0,
                       const T* y1) const {
    const T c0 = part == 1 ? c[0].y : c[0].x, c1 = part == 1 ? c[1].y : c[1].x;
#pragma unroll
    for (int m = 0; m < Shape::m_tiles; ++m)
      if constexpr (whole_cells) {
        left[m][0] = static_cast<double>(c[0].x * y0[8 * m]);
        left[m][1] = static_cast<double>(c[0].y * y0[8 * m]);
        left[m][2] = static_cast<double>(c[1].x * y1[8 * m]);
        left[m][3] = static_cast<double>(c[1].y * y1[8 * m]);
      } else {
        left[m][0] = static_cast<double>(c0 * y0[8 * m]);
        left[m][1] = static_cast<double>(c0 * y0[8 * m + 4]);
        left[m][2] = static_cast<double>(c1 * y1[8 * m]);
        left[m][3] = static_cast<double>(c1 * y1[8 * m + 4]);
      }
  }

  // Adds the planes [z_first, z_end) to the grid, where z_first < n[2], and sets them to zero.
  __device__ void flush(const Team& team, int z_first, int z_end) {
    std::uint32_t plane = z_first;
    for (int z = z_first; z < z_end; ++z, plane = team.next_plane(plane)) flush_plane(team, z, plane);
  }
  __device__ void flush_plane(const Team& team, int z, std::uint32_t wrapped) {
    const auto& stage = team.a.stage;
    if (!team.has_vector()) return;
    std::uint64_t before = team.cells_before(wrapped);
    asm("" : "+l"(before));  // without this the compiler computes it anew in the code of each slot
    auto* plane = reinterpret_cast<Complex<A>*>(stage.cells) + before;
    const double scale = Sums == CellSums::integers ? 1 / stage.units[team.vector] : 1;
    team.with_slot(z, [&](auto slot) {
#pragma unroll
      for (int m = 0; m < Shape::m_tiles; ++m)
#pragma unroll
        for (int quad = 0; quad < quads; ++quad) {
          double* tile = sums[m][depth == 2 ? quad : quad / 2][slot() / depth] + (depth == 2 ? slot() % 2 : quad % 2);
          if constexpr (Sums == CellSums::integers) {
            tile[0] *= scale;
            tile[2] *= scale;
          }
          add_cells(plane, team.r & 1, m, quad, tile[0], tile[2]);
          tile[0] = tile[2] = 0;
        }
    });
  }

  // Adds the real and imaginary part of a cell, or the same part of two cells.
  __device__ void add_cells(Complex<A>* plane, int part, int m, int quad, double c0, double c2) const {
    if constexpr (whole_cells &&
                  D == 2) {  // crowded windows would wait for each other even at cells that get only zeros
      add_if_any(plane + (y[m][0] + x[quad]), static_cast<A>(c0), static_cast<A>(c2));
    } else if constexpr (whole_cells) {
      add(plane + (y[m][0] + x[quad]), static_cast<A>(c0), static_cast<A>(c2));
    } else {
      add_part(&plane[y[m][0] + x[quad]].x + part, c0);
      add_part(&plane[y[m][1] + x[quad]].x + part, c2);
    }
  }
  __device__ static void add_part(A* to, double value) {
    if constexpr (Sums == CellSums::numbers)
      atomicAdd(to, value);
    else
      atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(__double2ll_rn(value)));
  }
};

// The agent that spreads: the column's points and their strengths.
template <class T, class A, int D, int W, int V, CellSums Sums> struct SweepSpreadAgent {
  static constexpr int step_points = 8;
  static constexpr bool few_terms = D == 2 && sizeof(T) == 8;  // elsewhere the products take most of the time
  using Team = SweepTeam<T, A, D, W, V>;
  using Shape = SweepShape<D, W>;
  using Rows = typename Team::Rows;

  Team team;
  SweepSpreadWindow<T, A, D, W, V, Sums> window;
  int z_base = -1;             // the first plane of the window; -1: none yet
  std::uint32_t index, later;  // the indices of this lane's point and of the point 32 further on
  Complex<T> strength;

  __device__ SweepSpreadAgent(const SweepArguments<T, A, W>& arguments, const Subproblem& item, Rows* rows)
      : team(arguments, item, rows), window(team) {
    index = index_of(0);
    later = index_of(32);
    strength = strength_of_index();
  }

  __device__ void run() {
    team.run(*this);
    wait_for_clear<D>();
    window.flush(team, z_base, z_base + Shape::planes);
  }

  __device__ void meet(Rows& rows, int z_first, bool taken) {
    if (team.does_alone(3)) rows.strength[team.team][Team::row_of(team.lane)] = taken ? strength : Complex<T>{0, 0};
    if (D == 3 && z_base >= 0) window.flush(team, z_base, min(z_first, z_base + Shape::planes));
    z_base = z_first;
  }

  // The indices were read one chunk earlier, so that the address of a strength is known at once.
  __device__ void prefetch(int count) {
    const int from = (team.lane + count) % 32;
    const std::uint32_t near = __shfl_sync(~0u, index, from), far = __shfl_sync(~0u, later, from);
    index = team.lane + count < 32 ? near : far;
    later = index_of(32);
    strength = strength_of_index();
  }
  __device__ std::uint32_t index_of(std::uint32_t ahead) const {
    return team.a.stage.points.index(team.packed_index(ahead));
  }
  __device__ Complex<T> strength_of_index() const {
    return team.has_vector() ? strength_of(team.a.stage, index, team.vector) : Complex<T>{0, 0};
  }

  __device__ void multiply(const Rows& rows, int, int step) { window.multiply(team, rows, step); }
  __device__ void finish(int, int) const {}
};

template <class T, class A, int D, int W, int V, CellSums Sums>
__global__ void __launch_bounds__(V* SweepShape<D, W>::threads,
                                  SweepShape<D, W>::tiles.template spread_blocks<A>(Sums == CellSums::integers) / V)
    sweep_spread_kernel(const __grid_constant__ SweepArguments<T, A, W> arguments) {
  using Team = SweepTeam<T, A, D, W, V>;
  extern __shared__ double sweep_memory[];
  const Subproblem item = arguments.items[blockIdx.x];
  if (blockIdx.x >= *arguments.item_count) return wait_for_clear<D>();
  auto* rows = reinterpret_cast<typename Team::Rows*>(sweep_memory);
  SweepSpreadAgent<T, A, D, W, V, Sums>(arguments, item, rows).run();
}

}  // namespace offgrid::cuda
