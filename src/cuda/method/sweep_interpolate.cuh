// The sweep's interpolation (sweep_team.cuh): planes that enter the window are read from the grid.
#pragma once

#include "cuda/method/sweep_team.cuh"

namespace offgrid::cuda {

// The window of a warp, in registers.
template <class T, class A, int D, int W, int V> struct SweepInterpWindow {
  using Team = SweepTeam<T, A, D, W, V>;
  using Shape = SweepShape<D, W>;

  // How many planes are fetched before they are needed, to hide their latency: as many as there are registers for.
  static constexpr int prefetched_planes = D == 2 ? 1 : Shape::m_tiles == 1 || sizeof(A) == 4 ? 2 : 1;

  // This lane's cells of a plane of the grid.
  struct Cells {
    Complex<A> value[Shape::m_tiles][Shape::octets][2];
  };

  int end_plane = -1;                                    // the plane after the window; -1: there is none yet
  std::uint32_t x[Shape::octets][2], y[Shape::m_tiles];  // this lane's cells of a plane
  double cells[Shape::m_tiles][Shape::octets][Shape::own_planes][4];
  Cells ahead[prefetched_planes];

  __device__ explicit SweepInterpWindow(const Team& team) {
#pragma unroll
    for (int o = 0; o < Shape::octets; ++o) {
      x[o][0] = team.column(8 * o + team.k);
      x[o][1] = team.column(8 * o + 4 + team.k);
    }
#pragma unroll
    for (int m = 0; m < Shape::m_tiles; ++m)
      y[m] = team.row(8 * m + (D == 2 ? (team.r >> 1) + 4 * (team.r & 1) : team.r));
    if constexpr (D == 2) {
      fetch_ahead(team, 0);
      keep(team, 0, ahead[0]);
      if constexpr (sizeof(A) == 8) wait_for_cells();
    }
  }

  // Makes the warp wait here until the cells have arrived. The hardware counts loads in flight per scoreboard register:
  // the products, which would wait for the cells, would also wait for the points that are read ahead, in every step. A
  // comparison of two cells whose outcome changes nothing is enough to wait once.
  __device__ void wait_for_cells() const {
    if (__double2hiint(cells[0][0][0][0]) == __double2loint(cells[Shape::m_tiles - 1][Shape::octets - 1][0][3]))
      asm volatile("" ::: "memory");
  }

  // In 3D, moves the window so that it begins at z_first. `ahead` holds the next planes of the column. To fill the
  // window at the beginning, or after a gap between points, more planes are fetched.
  __device__ void move_to(const Team& team, int z_first) {
    const int last = z_first + Shape::planes;
    if (last == end_plane) return;
    for (int plane = max(end_plane, z_first); plane < last; plane += prefetched_planes) {
      if (plane != end_plane) fetch_ahead(team, plane);
#pragma unroll
      for (int p = 0; p < prefetched_planes; ++p)
        if (plane + p < last) keep(team, plane + p, ahead[p]);
    }
    end_plane = last;
    fetch_ahead(team, end_plane);
  }

  __device__ void fetch_ahead(const Team& team, int z) {
    std::uint32_t plane = wrap(z, team.a.stage.grid.n[2]);
#pragma unroll
    for (int p = 0; p < prefetched_planes; ++p, plane = team.next_plane(plane)) fetch(team, z + p, plane, ahead[p]);
  }

  __device__ bool owns(const Team& team, int plane) const {
    const int slot = static_cast<int>(Team::slot_of(plane)) - team.first_plane;
    return Shape::own_planes == Shape::planes || (slot >= 0 && slot < Shape::own_planes);
  }

  __device__ void fetch(const Team& team, int z, std::uint32_t wrapped, Cells& to) const {
    if (!owns(team, z) || !team.has_vector()) return;
    const auto* plane = reinterpret_cast<const Complex<A>*>(team.a.stage.cells) + team.cells_before(wrapped);
#pragma unroll
    for (int m = 0; m < Shape::m_tiles; ++m)
#pragma unroll
      for (int o = 0; o < Shape::octets; ++o)
#pragma unroll
        for (int side = 0; side < 2; ++side) to.value[m][o][side] = __ldg(plane + (y[m] + x[o][side]));
  }

  __device__ void keep(const Team& team, int z, const Cells& from) {
    team.with_slot(z, [&](auto slot) {
#pragma unroll
      for (int m = 0; m < Shape::m_tiles; ++m)
#pragma unroll
        for (int o = 0; o < Shape::octets; ++o)
#pragma unroll
          for (int side = 0; side < 2; ++side) {
            cells[m][o][slot()][2 * side] = static_cast<double>(from.value[m][o][side].x);
            cells[m][o][slot()][2 * side + 1] = static_cast<double>(from.value[m][o][side].y);
          }
    });
  }
};

// The agent that interpolates in 3D: the column's points and their results.
template <class T, class A, int D, int W, int V> struct SweepInterpAgent {
  static constexpr int step_points = 8;
  static constexpr bool few_terms = false;
  using Team = SweepTeam<T, A, D, W, V>;
  using Shape = SweepShape<D, W>;
  using Rows = typename Team::Rows;
  using Sum = A;                               // of the sums over x and z
  static constexpr int sums_row = 2 * 32 + 8;  // rows of different y are in different banks
  static constexpr int chains =
      Shape::m_tiles == 1 ? 2 : 1;  // independent sums, because each product waits for the one before

  struct Shared {
    Rows rows[Team::buffers];
    alignas(16) Sum sums[Team::buffers][V][Shape::warps][8][sums_row];  // [y][re, im][point]
  };

  Team team;
  Shared& shared;
  SweepInterpWindow<T, A, D, W, V> window;
  std::uint32_t result_index;  // where the result of this lane's point is written

  __device__ SweepInterpAgent(const SweepArguments<T, A, W>& arguments, const Subproblem& item, Shared& memory)
      : team(arguments, item, memory.rows), shared(memory), window(team) {}

  __device__ void run() { team.run(*this); }

  __device__ void meet(const Rows&, int z_first, bool) {
    result_index = index_of_result(team.a.stage, team.packed_index(0), team.raw.index());
    window.move_to(team, z_first);
  }
  __device__ void prefetch(int) const {}
  __device__ void finish(int buffer, int count) const {
    Team::template synchronise<Shape::warps>();
    if (team.does_alone(3) && team.lane < count && team.has_vector()) write(buffer);
  }

  __device__ void multiply(const Rows& rows, int buffer, int step) {
    const int r = team.r, k = team.k;
    const RowOffsets<D> offsets = rows.offsets[Team::row_of(8 * step + r)];
    const T* x_row = Team::x_of(rows, offsets) + 8 * team.first_octet + k;
    const T* z_row = Team::z_of(rows, offsets) + team.first_plane;
    double sums[chains][Shape::m_tiles][4]{};
#pragma unroll
    for (int slot = 0; slot < Shape::own_planes; ++slot)
#pragma unroll
      for (int o = 0; o < Shape::octets; ++o) {
        const T b0 = x_row[8 * o] * z_row[slot], b1 = x_row[8 * o + 4] * z_row[slot];
#pragma unroll
        for (int m = 0; m < Shape::m_tiles; ++m)
          multiply_add(sums[(slot + o) % chains][m], window.cells[m][o][slot], static_cast<double>(b0),
                       static_cast<double>(b1));
      }
    Sum re[2], im[2];
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const T* y_row = Team::y_of(rows, rows.offsets[Team::row_of(8 * step + 2 * k + p)]) + r;
#pragma unroll
      for (int m = 0; m < Shape::m_tiles; ++m) {
        double tile_re = sums[0][m][p], tile_im = sums[0][m][2 + p];
        if constexpr (chains > 1) {
          tile_re += sums[1][m][p];
          tile_im += sums[1][m][2 + p];
        }
        const auto weight = static_cast<Sum>(y_row[8 * m]), more_re = static_cast<Sum>(tile_re),
                   more_im = static_cast<Sum>(tile_im);
        re[p] = m == 0 ? weight * more_re : fma(weight, more_re, re[p]);
        im[p] = m == 0 ? weight * more_im : fma(weight, more_im, im[p]);
      }
    }
    Sum* to = &shared.sums[buffer][team.team][team.warp][r][8 * step + 2 * k];
    *reinterpret_cast<Complex<Sum>*>(to) = {re[0], re[1]};
    *reinterpret_cast<Complex<Sum>*>(to + 32) = {im[0], im[1]};
  }

  // One lane per point: adds up over y and the warps, and writes the result.
  __device__ void write(int buffer) const {
    Sum re = 0, im = 0;
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w)
#pragma unroll
      for (int y = 0; y < 8; ++y) {
        re += shared.sums[buffer][team.team][w][y][team.lane];
        im += shared.sums[buffer][team.team][w][y][32 + team.lane];
      }
    const Complex<T> result{static_cast<T>(re), static_cast<T>(im)};
    result_at(team.a.stage, result_index, team.vector) = times_factor(team.a.stage, result_index, result);
  }
};

// The agent that interpolates in 2D, 16 points per step.
template <class T, class A, int W, int V> struct SweepInterpAgent<T, A, 2, W, V> {
  static constexpr int step_points = 16;
  static constexpr bool few_terms = sizeof(T) == 8 && W <= 12;  // for larger widths the choice costs more than it saves
  using Team = SweepTeam<T, A, 2, W, V>;
  using Shape = SweepShape<2, W>;
  using Rows = typename Team::Rows;

  struct Shared {
    Rows rows[Team::buffers];
  };

  Team team;
  SweepInterpWindow<T, A, 2, W, V> window;
  std::uint32_t result_index;  // where the result of this lane's point is written
  Complex<T> result;           // of point of_lane() of the chunk

  __device__ SweepInterpAgent(const SweepArguments<T, A, W>& arguments, const Subproblem& item, Shared& memory)
      : team(arguments, item, memory.rows), window(team) {}

  __device__ void run() { team.run(*this); }

  __device__ void meet(const Rows&, int, bool) {
    result_index = index_of_result(team.a.stage, team.packed_index(0), team.raw.index());
  }
  __device__ void prefetch(int) const {}

  __device__ void multiply(const Rows& rows, int, int step) {
    const int r = team.r, k = team.k;
    const T *x[2], *y[2];  // of points r and r + 8
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const RowOffsets<2> offsets = rows.offsets[Team::row_of(2 * step + p, r & 3) + (r >> 2)];
      x[p] = Team::x_of(rows, offsets) + k;
      y[p] = Team::y_of(rows, offsets) + k;
    }
    double sums[Shape::m_tiles][2][4]{};  // [re, im]
#pragma unroll
    for (int o = 0; o < Shape::octets; ++o) {
      const double values[4] = {static_cast<double>(x[0][8 * o]), static_cast<double>(x[1][8 * o]),
                                static_cast<double>(x[0][8 * o + 4]), static_cast<double>(x[1][8 * o + 4])};
#pragma unroll
      for (int m = 0; m < Shape::m_tiles; ++m)
#pragma unroll
        for (int part = 0; part < 2; ++part)
          multiply_add(sums[m][part], values, window.cells[m][o][0][part], window.cells[m][o][0][2 + part]);
    }
    T all[2][2];  // [point][re, im]
#pragma unroll
    for (int p = 0; p < 2; ++p)
#pragma unroll
      for (int part = 0; part < 2; ++part) {
        T sum = 0;
#pragma unroll
        for (int m = 0; m < Shape::m_tiles; ++m)
          sum = fma(y[p][8 * m + 4], static_cast<T>(sums[m][part][2 * p + 1]),
                    fma(y[p][8 * m], static_cast<T>(sums[m][part][2 * p]), sum));
        all[p][part] = sum;
      }
    const Complex<T> sum = sum_of_neighbours(all);
    if ((k & 1) == step) result = sum;
  }

  // Adds up over the 4 lanes of a point. Returns the sum of point r in the lanes k < 2, and that of point r + 8 in the
  // others.
  __device__ Complex<T> sum_of_neighbours(const T (&all)[2][2]) const {
    const bool second = team.k >= 2;
    T re = second ? all[1][0] : all[0][0], im = second ? all[1][1] : all[0][1];
    re += __shfl_xor_sync(~0u, second ? all[0][0] : all[1][0], 2);
    im += __shfl_xor_sync(~0u, second ? all[0][1] : all[1][1], 2);
    re += __shfl_xor_sync(~0u, re, 1);
    im += __shfl_xor_sync(~0u, im, 1);
    return {re, im};
  }
  __device__ int of_lane() const { return 16 * (team.k & 1) + 8 * (team.k >> 1) + team.r; }

  __device__ void finish(int, int count) const {
    const std::uint32_t to = __shfl_sync(~0u, result_index, of_lane());
    if (of_lane() < count && team.has_vector())
      result_at(team.a.stage, to, team.vector) = times_factor(team.a.stage, to, result);
  }
};

template <class T, class A, int D, int W, int V>
__global__ void __launch_bounds__(V* SweepShape<D, W>::threads, SweepShape<D, W>::tiles.template interp_blocks<A>() / V)
    sweep_interp_kernel(const __grid_constant__ SweepArguments<T, A, W> arguments) {
  using Agent = SweepInterpAgent<T, A, D, W, V>;
  extern __shared__ double sweep_memory[];
  const Subproblem item = arguments.items[blockIdx.x];
  if (blockIdx.x >= *arguments.item_count) return;
  Agent(arguments, item, *reinterpret_cast<typename Agent::Shared*>(sweep_memory)).run();
}

}  // namespace offgrid::cuda
