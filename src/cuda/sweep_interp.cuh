// The sweep's interpolation (sweep_team.cuh): planes that enter the window are read from the grid.
#pragma once

#include "cuda/sweep_team.cuh"

namespace offgrid::cuda {

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

  __device__ SweepInterpAgent(const SweepArguments<T, A, W>& arguments, const Subproblem& item, Shared& memory,
                              int of_vector)
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
  struct Cells {
    Complex<A> value[Shape::m_tiles][Shape::octets][2];
  };

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
          to.value[m][o][side] =
              __ldg(row + team.wrap(0, team.corner[0] + 8 * (team.first_octet + o) + 4 * side + team.k));
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
      for (int m = 0; m < Shape::m_tiles; ++m)
        re = fma(y[8 * m], sums[m][p], re), im = fma(y[8 * m], sums[m][2 + p], im);
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
      for (int y = 0; y < 8; ++y)
        re += shared.sums[buffer][w][y][0][team.lane], im += shared.sums[buffer][w][y][1][team.lane];
    const auto& stage = team.a.stage;
    reinterpret_cast<Complex<T>*>(stage.strengths)[vector * stage.stride + stage.points.first + index] = {
        static_cast<T>(re), static_cast<T>(im)};
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

}  // namespace offgrid::cuda
