#include "mtip/cuda/phase_kernels.hpp"

namespace cli::mtip {
namespace {

constexpr int threads = 256;
constexpr float tiny = 1e-12f;

__host__ __device__ int frequency_of(int index, int size) { return index <= (size - 1) / 2 ? index : index - size; }

__device__ size_t cube_of(int size) { return static_cast<size_t>(size) * size * size; }
__device__ size_t half_cube_of(int size) { return static_cast<size_t>(size) * size * (size / 2 + 1); }

__device__ float squared_distance(size_t voxel, int size) {
  const int x = frequency_of(static_cast<int>(voxel % size), size);
  const int y = frequency_of(static_cast<int>(voxel / size % size), size);
  const int z = frequency_of(static_cast<int>(voxel / size / size), size);
  return static_cast<float>(x * x + y * y + z * z);
}

// |k| / size of a mode of the half spectrum.
__device__ float mode_radius(size_t mode, int size) {
  const int half = size / 2 + 1;
  const int x = static_cast<int>(mode % half);
  const int y = frequency_of(static_cast<int>(mode / half % size), size);
  const int z = frequency_of(static_cast<int>(mode / half / size), size);
  return sqrtf(static_cast<float>(x * x + y * y + z * z)) / size;
}

// One thread per item of one cube; blockIdx.y is the number in the batch.
__device__ size_t item() { return static_cast<size_t>(blockIdx.x) * threads + threadIdx.x; }

dim3 blocks_for(size_t items, int batch) {
  return dim3(static_cast<unsigned>((items + threads - 1) / threads), static_cast<unsigned>(batch));
}
size_t voxels(const PhaseGrid& grid) { return static_cast<size_t>(grid.size) * grid.size * grid.size; }
size_t modes(const PhaseGrid& grid) { return static_cast<size_t>(grid.size) * grid.size * (grid.size / 2 + 1); }

__global__ void set_targets(const float* amplitudes, float* target, int size, float cutoff) {
  const size_t i = item();
  if (i < half_cube_of(size)) target[i] = mode_radius(i, size) <= cutoff ? amplitudes[i] : -1.0f;
}

__global__ void set_ball(PhaseGrid grid, float radius_squared) {
  const size_t i = item(), cube = cube_of(grid.size);
  if (i < cube) grid.support[blockIdx.y * cube + i] = squared_distance(i, grid.size) <= radius_squared ? 1.0f : 0.0f;
}

// The voxel of the grid, in FFT order, of voxel i of a block with its origin at the centre.
__device__ size_t place_in_grid(size_t i, int block, int size) {
  const int half = block / 2;
  const int x = (static_cast<int>(i % block) - half + size) % size;
  const int y = (static_cast<int>(i / block % block) - half + size) % size;
  const int z = (static_cast<int>(i / block / block) - half + size) % size;
  return (static_cast<size_t>(z) * size + y) * size + x;
}

__global__ void block_to_grid(const float* blocks, int block, PhaseGrid grid) {
  const size_t i = item();
  if (i < cube_of(block))
    grid.density[blockIdx.y * cube_of(grid.size) + place_in_grid(i, block, grid.size)] =
        blocks[blockIdx.y * cube_of(block) + i];
}

__global__ void grid_to_block(PhaseGrid grid, int block, float* blocks) {
  const size_t i = item();
  if (i < cube_of(block))
    blocks[blockIdx.y * cube_of(block) + i] =
        grid.density[blockIdx.y * cube_of(grid.size) + place_in_grid(i, block, grid.size)];
}

__global__ void put_amplitudes(PhaseGrid grid) {
  const size_t i = item();
  if (i >= half_cube_of(grid.size)) return;
  float2& mode = grid.spectrum[blockIdx.y * half_cube_of(grid.size) + i];
  const float scale = 1.0f / static_cast<float>(cube_of(grid.size)), known = grid.target[i];
  const float length = sqrtf(mode.x * mode.x + mode.y * mode.y);
  const float factor = known < 0 ? scale : scale * known / fmaxf(length, tiny);
  mode.x *= factor;
  mode.y *= factor;
}

__global__ void reduce_error(PhaseGrid grid) {
  const size_t i = item(), cube = cube_of(grid.size), at = blockIdx.y * cube + i;
  if (i < cube) grid.density[at] = fmaxf(grid.projected[at], 0.0f) * grid.support[at];
}

__global__ void hybrid(PhaseGrid grid, float beta) {
  const size_t i = item(), cube = cube_of(grid.size), at = blockIdx.y * cube + i;
  if (i >= cube) return;
  const float g = grid.projected[at];
  grid.density[at] = grid.support[at] * g > 0 ? g : grid.density[at] - beta * g;
}

__global__ void positive(PhaseGrid grid) {
  const size_t i = item(), cube = cube_of(grid.size), at = blockIdx.y * cube + i;
  if (i < cube) grid.projected[at] = fmaxf(grid.density[at], 0.0f);
}

__global__ void blur(PhaseGrid grid, float decay) {
  const size_t i = item();
  if (i >= half_cube_of(grid.size)) return;
  const float radius = mode_radius(i, grid.size), factor = expf(-decay * radius * radius);
  float2& mode = grid.spectrum[blockIdx.y * half_cube_of(grid.size) + i];
  mode.x *= factor;
  mode.y *= factor;
}

// Numbers from 0 up compare like their bits. Negative ones count as 0.
__global__ void find_largest(PhaseGrid grid) {
  const size_t i = item(), cube = cube_of(grid.size);
  float value = i < cube ? fmaxf(grid.projected[blockIdx.y * cube + i], 0.0f) : 0.0f;
  for (int step = 16; step > 0; step /= 2) value = fmaxf(value, __shfl_down_sync(0xffffffffu, value, step));
  if (threadIdx.x % 32 == 0) atomicMax(reinterpret_cast<int*>(&grid.largest[blockIdx.y]), __float_as_int(value));
}

__global__ void shrink(PhaseGrid grid, float threshold, float radius_squared) {
  const size_t i = item(), cube = cube_of(grid.size), at = blockIdx.y * cube + i;
  if (i >= cube) return;
  const bool inside =
      grid.projected[at] > threshold * grid.largest[blockIdx.y] && squared_distance(i, grid.size) <= radius_squared;
  grid.support[at] = inside ? 1.0f : 0.0f;
}

// One block per cube, in a fixed order, so that errors are the same from run to run.
__global__ void amplitude_errors(PhaseGrid grid) {
  __shared__ double sums[2][threads];
  const size_t count = half_cube_of(grid.size);
  double difference = 0, total = 0;
  for (size_t i = threadIdx.x; i < count; i += threads) {
    const float known = grid.target[i];
    if (known < 0) continue;
    const float2 mode = grid.spectrum[blockIdx.x * count + i];
    const double off = sqrtf(mode.x * mode.x + mode.y * mode.y) - known;
    difference += off * off;
    total += static_cast<double>(known) * known;
  }
  sums[0][threadIdx.x] = difference;
  sums[1][threadIdx.x] = total;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    sums[0][threadIdx.x] += sums[0][threadIdx.x + half];
    sums[1][threadIdx.x] += sums[1][threadIdx.x + half];
  }
  if (threadIdx.x == 0) grid.errors[blockIdx.x] = sums[1][0] > 0 ? sqrt(sums[0][0] / sums[1][0]) : 1;
}

}  // namespace

void launch_targets(const float* amplitudes, float* target, int size, float cutoff, cudaStream_t stream) {
  const size_t count = static_cast<size_t>(size) * size * (size / 2 + 1);
  set_targets<<<blocks_for(count, 1), threads, 0, stream>>>(amplitudes, target, size, cutoff);
}
void launch_ball(const PhaseGrid& grid, float radius_squared, cudaStream_t stream) {
  set_ball<<<blocks_for(voxels(grid), grid.batch), threads, 0, stream>>>(grid, radius_squared);
}
void launch_block_to_grid(const float* blocks, int block, const PhaseGrid& grid, cudaStream_t stream) {
  const size_t count = static_cast<size_t>(block) * block * block;
  block_to_grid<<<blocks_for(count, grid.batch), threads, 0, stream>>>(blocks, block, grid);
}
void launch_grid_to_block(const PhaseGrid& grid, int block, float* blocks, cudaStream_t stream) {
  const size_t count = static_cast<size_t>(block) * block * block;
  grid_to_block<<<blocks_for(count, grid.batch), threads, 0, stream>>>(grid, block, blocks);
}
void launch_put_amplitudes(const PhaseGrid& grid, cudaStream_t stream) {
  put_amplitudes<<<blocks_for(modes(grid), grid.batch), threads, 0, stream>>>(grid);
}
void launch_reduce_error(const PhaseGrid& grid, cudaStream_t stream) {
  reduce_error<<<blocks_for(voxels(grid), grid.batch), threads, 0, stream>>>(grid);
}
void launch_hybrid(const PhaseGrid& grid, float beta, cudaStream_t stream) {
  hybrid<<<blocks_for(voxels(grid), grid.batch), threads, 0, stream>>>(grid, beta);
}
void launch_positive(const PhaseGrid& grid, cudaStream_t stream) {
  positive<<<blocks_for(voxels(grid), grid.batch), threads, 0, stream>>>(grid);
}
void launch_blur(const PhaseGrid& grid, float decay, cudaStream_t stream) {
  blur<<<blocks_for(modes(grid), grid.batch), threads, 0, stream>>>(grid, decay);
}
void launch_shrink(const PhaseGrid& grid, float threshold, float radius_squared, cudaStream_t stream) {
  (void)cudaMemsetAsync(grid.largest, 0, static_cast<size_t>(grid.batch) * sizeof(float), stream);
  find_largest<<<blocks_for(voxels(grid), grid.batch), threads, 0, stream>>>(grid);
  shrink<<<blocks_for(voxels(grid), grid.batch), threads, 0, stream>>>(grid, threshold, radius_squared);
}
void launch_errors(const PhaseGrid& grid, cudaStream_t stream) {
  amplitude_errors<<<static_cast<unsigned>(grid.batch), threads, 0, stream>>>(grid);
}

}  // namespace cli::mtip
