// The agents, kernels and launchers of owner.hpp; compiled once for each pair of precisions.
#pragma once

#include "core/dispatch.hpp"
#include "cuda/check.hpp"
#include "cuda/method/owner.hpp"
#include "cuda/method/owner_team.cuh"

namespace offgrid::cuda {

// The agent that spreads. Lane 4 r + k holds the cells with y = r and x = x_stride k, x_stride k + x_apart of the
// planes z and z + 4.
template <class T, class A, int D, int W> struct OwnerSpread {
  using Team = OwnerTeam<T, A, D, W>;
  // In f32 a lane writes two neighbouring cells at once. In f64 neighbouring lanes write neighbouring cells, which fill
  // sectors.
  static constexpr int x_stride = sizeof(A) == 4 ? 2 : 1, x_apart = sizeof(A) == 4 ? 1 : 4;

  static constexpr int z_steps = D == 3 ? 4 : 1, numbers = 8 * z_steps;
  double sums[z_steps][2][4]{};  // [z][x][(re | im) of z, z + 4]

  __device__ explicit OwnerSpread(const Team&) {}

  __device__ void meet(const Team& team, std::uint32_t, std::uint32_t index, bool taken) const {
    const Complex<T> strength = strength_of(team.a.stage, index, team.vector);
    team.shared.strength[team.lane] = taken ? strength : Complex<T>{0, 0};
  }

  __device__ void multiply(const Team& team, int first, int) {
    const int j = first + team.k, r = team.r, x = r / 2 * x_stride, z = 16 + 4 * (r & 1);
    const auto p = [&](int cell) { return team.value(j, cell); };
    const auto q = [&](int cell) { return team.value(j + 4, cell); };
    const Complex<T> c0 = team.shared.strength[j], c1 = team.shared.strength[j + 4];
    const T y0 = p(8 + r), y1 = q(8 + r), x0[2] = {p(x), p(x + x_apart)}, x1[2] = {q(x), q(x + x_apart)};
    const T z0[4] = {p(z), p(z + 1), p(z + 2), p(z + 3)}, z1[4] = {q(z), q(z + 1), q(z + 2), q(z + 3)};
    const double left[4] = {static_cast<double>(c0.x * y0), static_cast<double>(c0.y * y0),
                            static_cast<double>(c1.x * y1), static_cast<double>(c1.y * y1)};
#pragma unroll
    for (int i = 0; i < z_steps; ++i)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        multiply_add(sums[i][h], left, static_cast<double>(x0[h] * z0[i]), static_cast<double>(x1[h] * z1[i]));
  }

  // Adds the sums of all warps to those of the first one. `memory` has room for 32 x 32 numbers.
  __device__ void join(const Team& team, double* memory) {
    for (std::uint32_t warp = 1; warp < blockDim.x / 32; ++warp) {
#pragma unroll
      for (int i = 0; i < numbers; ++i)
        if (threadIdx.x / 32 == warp) memory[32 * i + team.lane] = (&sums[0][0][0])[i];
      __syncthreads();
#pragma unroll
      for (int i = 0; i < numbers; ++i)
        if (threadIdx.x < 32) (&sums[0][0][0])[i] += memory[32 * i + team.lane];
      __syncthreads();
    }
  }

  // Writes the cells, or adds to those that the points of an earlier set have written.
  __device__ void finish(const Team& team) const {
    const bool adds = team.a.stage.points.first > 0, pairs = team.a.stage.grid.n[0] % 2 == 0;
    const int x = x_stride * team.k, end = team.cells_x();
    if (threadIdx.x >= 32) return;
    team.for_rows([&](Complex<A>* row, int i) {
      alignas(16) Complex<A> sum[2];
#pragma unroll
      for (int h = 0; h < 2; ++h)
        sum[h] = {static_cast<A>(sums[i % z_steps][h][i / 4]), static_cast<A>(sums[i % z_steps][h][i / 4 + 2])};
      if (sizeof(A) == 4 && pairs && !adds) {
        if (x < end) *reinterpret_cast<float4*>(row + x) = *reinterpret_cast<const float4*>(sum);
        return;
      }
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        Complex<A>* cell = row + x + h * x_apart;
        if (x + h * x_apart >= end) continue;
        if (adds) {
          sum[h].x += cell->x;
          sum[h].y += cell->y;
        }
        *cell = sum[h];
      }
    });
  }
};

// The agent that interpolates. Lane 4 r + k holds the cells with y = r and x = k, k + 4 of all planes.
template <class T, class A, int D, int W> struct OwnerRead {
  using Team = OwnerTeam<T, A, D, W>;

  double cells[8][4]{};  // [z][re, im of x | of x + 4]

  __device__ explicit OwnerRead(const Team& team) {
    if (team.total == 0) return;
    const int end = team.cells_x();
    team.for_rows([&](const Complex<A>* row, int i) {
#pragma unroll
      for (int h = 0; h < 2; ++h)
        if (team.k + 4 * h < end) {
          const Complex<A> cell = row[team.k + 4 * h];
          cells[i][2 * h] = cell.x;
          cells[i][2 * h + 1] = cell.y;
        }
    });
  }

  __device__ void meet(const Team& team, std::uint32_t packed, std::uint32_t, bool) const {
    team.shared.packed[team.lane] = packed;
  }

  __device__ void multiply(const Team& team, int first, int count) const {
    const int r = team.r, k = team.k;
    const T x0 = team.value(first + r, k), x1 = team.value(first + r, k + 4);
    T z[owner_tile];
#pragma unroll
    for (int i = 0; i < owner_tile; ++i) z[i] = team.value(first + r, 16 + i);
    double sums[2][4]{};  // [even or odd planes][(re | im) of the points 2k, 2k + 1]
#pragma unroll
    for (int i = 0; i < owner_tile; ++i)
      multiply_add(sums[i % 2], cells[i], static_cast<double>(x0 * z[i]), static_cast<double>(x1 * z[i]));
    // The sum over y, that is over r: in each step a lane keeps one of two sums, and exchanges the other with a lane
    // that keeps that one.
    const auto y0 = static_cast<double>(team.value(first + 2 * k, 8 + r));
    const auto y1 = static_cast<double>(team.value(first + 2 * k + 1, 8 + r));
    const double re = halved((sums[0][0] + sums[1][0]) * y0, (sums[0][1] + sums[1][1]) * y1, r & 4, 16);
    const double im = halved((sums[0][2] + sums[1][2]) * y0, (sums[0][3] + sums[1][3]) * y1, r & 4, 16);
    double sum = halved(re, im, r & 2, 8);
    sum += __shfl_xor_sync(~0u, sum, 4);
    const int point = first + 2 * k + r / 4;
    if (r % 2 != 0 || point >= count) return;
    Complex<double>* to = team.a.sums + team.vector * team.a.stage.points.count + team.shared.packed[point];
    atomicAdd(&to->x + (r >> 1 & 1), sum);
  }
  __device__ static double halved(double low, double high, bool keeps_high, int apart) {
    return (keeps_high ? high : low) + __shfl_xor_sync(~0u, keeps_high ? low : high, apart);
  }

  __device__ void join(const Team&, double*) const {}
  __device__ void finish(const Team&) const {}
};

// The tile that lies `beyond` tiles behind that of a bin, across the period.
__device__ inline uint3 owner_tile_at(const Bins& tiles, std::uint32_t bin, uint3 beyond) {
  const std::uint32_t *n = tiles.count, plane = bin / n[0];
  return {(bin % n[0] + beyond.x) % n[0], (plane % n[1] + beyond.y) % n[1], (plane / n[1] + beyond.z) % n[2]};
}

// One block of one warp per tile. Tiles that a crowded bin reaches are left to owner_crowd_kernel.
template <template <class, class, int, int> class Agent, class T, class A, int D, int W>
__global__ void __launch_bounds__(32, owner_blocks(sizeof(T)))
    owner_kernel(const __grid_constant__ OwnerArguments<T, A, W> a) {
  using Team = OwnerTeam<T, A, D, W>;
  __shared__ typename Team::Shared shared;
  Team team(a, shared, owner_tile_at(a.tiles, blockIdx.x, {0, 0, 0}));
  if (team.gather() != no_bin) return;
  Agent<T, A, D, W> agent(team);
  team.run(agent);
  agent.finish(team);
}

// The crowded bins are divided among the blocks along x; each block along z has one of the tiles that the points of a
// bin may reach.
template <template <class, class, int, int> class Agent, class T, class A, int D, int W>
__global__ void __launch_bounds__(owner_crowd_threads, 1)
    owner_crowd_kernel(const __grid_constant__ OwnerArguments<T, A, W> a) {
  using Team = OwnerTeam<T, A, D, W>;
  extern __shared__ double owner_memory[];  // 1024 numbers to join sums, and then the memory of each warp
  __shared__ std::uint32_t crowded[owner_crowd_threads], count;
  const uint3 beyond{blockIdx.z % a.reach, blockIdx.z / a.reach % a.reach, blockIdx.z / (a.reach * a.reach)};
  const std::uint32_t* tiles = a.tiles.count;
  if (*a.densest <= a.crowd || beyond.x >= tiles[0] || beyond.y >= tiles[1] || beyond.z >= tiles[2]) return;
  auto& shared = reinterpret_cast<typename Team::Shared*>(owner_memory + 1024)[threadIdx.x / 32];
  for (std::uint32_t first = blockIdx.x; first < *a.item_count; first += gridDim.x * blockDim.x) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const std::uint32_t i = first + gridDim.x * threadIdx.x;
    if (i < *a.item_count &&
        a.items[i].first == a.bin_first[a.items[i].bin] + a.crowd)  // only crowded bins have a second item
      crowded[atomicAdd(&count, 1)] = a.items[i].bin;
    __syncthreads();
    for (std::uint32_t c = 0; c < count; ++c) {
      Team team(a, shared, owner_tile_at(a.tiles, crowded[c], beyond));
      if (team.gather() != crowded[c]) continue;  // the tile is not reached, or is done for another crowded bin
      Agent<T, A, D, W> agent(team);
      team.run(agent);
      agent.join(team, owner_memory);
      agent.finish(team);
    }
    __syncthreads();
  }
}

template <template <class, class, int, int> class Agent, int D, class T, class A>
void launch_owners(const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& tiles, std::int64_t crowd,
                   Complex<double>* sums, cudaStream_t stream) {
  dispatch<min_width, max_width>(stage.kernel.width, [&](auto w) {
    OwnerArguments<T, A, w()> arguments{.stage = stage,
                                        .tiles = tiles,
                                        .bin_first = set.bin_first.data(),
                                        .item_count = set.item_count.data(),
                                        .densest = set.densest.data(),
                                        .items = set.items.data(),
                                        .crowd = static_cast<std::uint32_t>(crowd),
                                        .reach = 1,
                                        .sums = sums,
                                        .polynomials = polynomials_of<w()>(stage.kernel)};
    for (int axis = 0; axis < D; ++axis) {
      const std::uint32_t part = stage.grid.n[axis] % owner_tile != 0;  // the last tile is a partial one
      arguments.reach = std::max(arguments.reach, std::min((w() + 6) / owner_tile + 1 + part, tiles.count[axis]));
    }
    const auto vectors = static_cast<unsigned>(stage.batch), blocks = static_cast<unsigned>(tiles.total());
    owner_kernel<Agent, T, A, D, w()><<<dim3(blocks, vectors), 32, 0, stream>>>(arguments);
    const auto kernel = owner_crowd_kernel<Agent, T, A, D, w()>;
    constexpr std::size_t join_bytes = 1024 * sizeof(double);
    constexpr std::size_t bytes =
        join_bytes + owner_crowd_threads / 32 * sizeof(typename OwnerTeam<T, A, D, w()>::Shared);
    ask_for_shared(kernel, bytes, sizeof(std::uint32_t) * (owner_crowd_threads + 1));
    const std::uint32_t reach = arguments.reach * arguments.reach * arguments.reach;
    kernel<<<dim3(std::max(1U, 64 / vectors), vectors, reach), owner_crowd_threads, bytes, stream>>>(arguments);
  });
  check_launch("owners");
}

template <class T, class A>
void spread_owned(int dim, const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& tiles,
                  std::int64_t crowd, cudaStream_t stream) {
  dispatch<1, 3>(dim, [&](auto d) { launch_owners<OwnerSpread, d()>(stage, set, tiles, crowd, nullptr, stream); });
}

inline constexpr int deliver_threads = 256;

// One thread per point rounds its sums, one of each vector, and writes them to its place in the caller's arrays.
template <class T>
__global__ void __launch_bounds__(deliver_threads)
    deliver_kernel(const __grid_constant__ StageArguments<T, T> stage, const Complex<double>* sums) {
  const std::int64_t i = std::int64_t{blockIdx.x} * deliver_threads + threadIdx.x;
  if (i >= stage.points.count) return;
  const std::uint32_t index = stage.points.index(static_cast<std::uint32_t>(i));
  for (int vector = 0; vector < stage.batch; ++vector) {
    const Complex<double> sum = sums[vector * stage.points.count + i];
    const Complex<T> result{static_cast<T>(sum.x), static_cast<T>(sum.y)};
    result_at(stage, index, vector) = times_factor(stage, index, result);
  }
}

template <class T>
void interpolate_owned(const StageArguments<T, T>& stage, const PointSet<T>& set, const Bins& tiles, std::int64_t crowd,
                       std::complex<double>* sums, cudaStream_t stream) {
  auto* memory = reinterpret_cast<Complex<double>*>(sums);
  const auto blocks = static_cast<unsigned>((stage.points.count + deliver_threads - 1) / deliver_threads);
  const std::size_t bytes = sizeof(Complex<double>) * static_cast<std::size_t>(stage.points.count * stage.batch);
  call("clearing sums", [&] { return cudaMemsetAsync(memory, 0, bytes, stream); });
  launch_owners<OwnerRead, 3>(stage, set, tiles, crowd, memory, stream);
  deliver_kernel<T><<<blocks, deliver_threads, 0, stream>>>(stage, memory);
  check_launch("results");
}

}  // namespace offgrid::cuda
