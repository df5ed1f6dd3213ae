// The sweep's spreading (sweep_team.cuh): planes that leave the window are added to the grid.
#pragma once

#include "cuda/sweep_team.cuh"

namespace offgrid::cuda {

template <class T, class A, int D, int W> struct SweepSpreadAgent {
  using Team = SweepTeam<T, A, D, W>;
  using Shape = SweepShape<D, W>;

  Team team;
  int vector;
  double window[Shape::m_tiles][Shape::octets][Shape::own_planes][4];

  __device__ SweepSpreadAgent(const SweepArguments<T, A, W>& arguments, const Subproblem& item,
                              typename Team::Rows* rows, int of_vector)
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

}  // namespace offgrid::cuda
