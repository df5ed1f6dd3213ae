#include "mtip/cuda/slice_kernels.hpp"

#include <cstring>

namespace cli::mtip {
namespace {

constexpr int threads = 256;
constexpr unsigned all_lanes = 0xffffffffu;

unsigned blocks_for(size_t items) { return static_cast<unsigned>((items + threads - 1) / threads); }
__device__ size_t item() { return static_cast<size_t>(blockIdx.x) * threads + threadIdx.x; }

// A float whose order is that of unsigned numbers.
__host__ __device__ unsigned ordered_bits(unsigned bits) { return bits & 0x80000000u ? ~bits : bits | 0x80000000u; }
__device__ PackedMatch packed(float distance, unsigned index) {
  return static_cast<PackedMatch>(ordered_bits(__float_as_uint(distance))) << 32 | index;
}

template <class T> __global__ void make_points(PointsIn in, PointsOut<T> out) {
  const size_t i = item();
  if (i >= in.rotation_count * in.pixel_count) return;
  const double* r = in.rotations + 9 * (i / in.pixel_count);
  const double* q = in.pixels + 3 * (i % in.pixel_count);
  constexpr double turn = 6.283185307179586;
  out.x[i] = static_cast<T>(turn * (r[0] * q[0] + r[1] * q[1] + r[2] * q[2]));
  out.y[i] = static_cast<T>(turn * (r[3] * q[0] + r[4] * q[1] + r[5] * q[2]));
  out.z[i] = static_cast<T>(turn * (r[6] * q[0] + r[7] * q[1] + r[8] * q[2]));
}

__global__ void to_complex(const float* real, float2* complex, size_t count) {
  const size_t i = item();
  if (i < count) complex[i] = make_float2(real[i], 0);
}

// One thread per number of a padded row.
__global__ void lengths(const float2* values, Rows rows) {
  const size_t i = item();
  if (i >= rows.count * rows.stride) return;
  const size_t row = i / rows.stride, pixel = i % rows.stride;
  float length = 0;
  if (pixel < rows.pixels) {
    const float2 value = values[row * rows.pixels + pixel];
    length = sqrtf(value.x * value.x + value.y * value.y);
  }
  rows.values[i] = length;
}

// One thread per pixel; blockIdx.y is a piece of the rows.
__global__ void column_sums(Rows rows, double* partial) {
  const size_t pixel = item();
  if (pixel >= rows.pixels) return;
  const size_t first = rows.count * blockIdx.y / row_pieces, last = rows.count * (blockIdx.y + 1) / row_pieces;
  double sum = 0, squares = 0;
  for (size_t row = first; row < last; ++row) {
    const double value = rows.values[row * rows.stride + pixel];
    sum += value;
    squares += value * value;
  }
  partial[2 * (blockIdx.y * rows.pixels + pixel)] = sum;
  partial[2 * (blockIdx.y * rows.pixels + pixel) + 1] = squares;
}

__global__ void add_pieces(const double* partial, double* sums, size_t count) {
  const size_t i = item();
  if (i >= count) return;
  double sum = 0;
  for (size_t piece = 0; piece < row_pieces; ++piece) sum += partial[piece * count + i];
  sums[i] = sum;
}

// The sum over the block, in thread 0.
__device__ float block_sum(float value) {
  __shared__ float sums[threads / 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(all_lanes, value, step);
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  float total = 0;
  for (const float part : sums) total += part;
  return total;
}

// One block per row.
__global__ void whiten(Rows rows, Scales scales, float* norms) {
  float* row = rows.values + blockIdx.x * rows.stride;
  float norm = 0;
  for (size_t pixel = threadIdx.x; pixel < rows.pixels; pixel += threads) {
    const float z = (row[pixel] - scales.mean[pixel]) * scales.factor[pixel];
    row[pixel] = z;
    norm += z * z;
  }
  norm = block_sum(norm);
  if (threadIdx.x == 0) norms[blockIdx.x] = norm;
}

// One block per slice.
__global__ void nearest_try(Images2d images, Tries tries, PackedMatch* best) {
  const size_t image = blockIdx.x / tries.tries;
  const float* row = tries.slices.values + blockIdx.x * tries.slices.stride;
  const float* seen = images.values + image * images.stride;
  float distance = 0;
  for (size_t pixel = threadIdx.x; pixel < tries.slices.pixels; pixel += threads) {
    const float z = (row[pixel] - tries.scales.mean[pixel]) * tries.scales.factor[pixel];
    distance += z * (z - 2 * seen[pixel]);
  }
  distance = block_sum(distance);
  if (threadIdx.x == 0) atomicMin(&best[image], packed(distance, static_cast<unsigned>(blockIdx.x % tries.tries)));
}

// --- the matrix product --------------------------------------------------------------------------------------------------
// A block makes a tile of 128 images x 128 slices, a thread 8 x 8 of it: rows tile_y + 16 i and columns tile_x + 16 j. Only the
// smallest distance of each row leaves the block.
constexpr int tile = 128, depth = 16, each = 8, side = 16;
static_assert(side * side == threads && side * each == tile && depth == row_step);

struct TileMemory {
  float images[depth][tile + 4], slices[depth][tile + 4];  // transposed; the padding avoids bank conflicts
};

// Row `first + r` of a matrix, two times four numbers per thread; rows beyond the last one are zeros.
__device__ void load_tile(const float* values, size_t first, size_t count, size_t stride, size_t k, float4 (&part)[2]) {
  for (int half = 0; half < 2; ++half) {
    const size_t row = first + threadIdx.x / 4 + 64 * half;
    part[half] = row < count ? *reinterpret_cast<const float4*>(values + row * stride + k + 4 * (threadIdx.x % 4))
                             : make_float4(0, 0, 0, 0);
  }
}

__device__ void store_tile(const float4 (&part)[2], float (&to)[depth][tile + 4]) {
  const int k = 4 * (threadIdx.x % 4);
  for (int half = 0; half < 2; ++half) {
    const int row = threadIdx.x / 4 + 64 * half;
    to[k][row] = part[half].x;
    to[k + 1][row] = part[half].y;
    to[k + 2][row] = part[half].z;
    to[k + 3][row] = part[half].w;
  }
}

__device__ void multiply_tile(const TileMemory& memory, float (&sums)[each][each]) {
  const int tile_x = threadIdx.x % side, tile_y = threadIdx.x / side;
#pragma unroll
  for (int k = 0; k < depth; ++k) {
    float a[each], b[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
      a[i] = memory.images[k][tile_y + side * i];
      b[i] = memory.slices[k][tile_x + side * i];
    }
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
      for (int j = 0; j < each; ++j) sums[i][j] += a[i] * b[j];
  }
}

__device__ void keep_smallest(const float (&sums)[each][each], const Rows& slices, const float* norms,
                              const Images2d& images, PackedMatch* best) {
  const size_t first_image = static_cast<size_t>(blockIdx.y) * tile,
               first_slice = static_cast<size_t>(blockIdx.x) * tile;
  const int tile_x = threadIdx.x % side, tile_y = threadIdx.x / side;
#pragma unroll
  for (int i = 0; i < each; ++i) {
    PackedMatch smallest = no_match;
#pragma unroll
    for (int j = 0; j < each; ++j) {
      const size_t slice = first_slice + tile_x + side * j;
      if (slice < slices.count)
        smallest = min(smallest, packed(norms[slice] - 2 * sums[i][j], static_cast<unsigned>(slice)));
    }
    for (int step = side / 2; step > 0; step /= 2) smallest = min(smallest, __shfl_xor_sync(all_lanes, smallest, step));
    const size_t image = first_image + tile_y + side * i;
    if (tile_x == 0 && image < images.count) atomicMin(&best[image], smallest);
  }
}

__global__ void __launch_bounds__(threads)
    nearest(Images2d images, Rows slices, const float* norms, PackedMatch* best) {
  __shared__ TileMemory memory;
  const size_t first_image = static_cast<size_t>(blockIdx.y) * tile,
               first_slice = static_cast<size_t>(blockIdx.x) * tile;
  float sums[each][each] = {};
  float4 a[2], b[2];
  load_tile(images.values, first_image, images.count, images.stride, 0, a);
  load_tile(slices.values, first_slice, slices.count, slices.stride, 0, b);
  for (size_t k = 0; k < slices.stride; k += depth) {
    __syncthreads();
    store_tile(a, memory.images);
    store_tile(b, memory.slices);
    __syncthreads();
    if (k + depth < slices.stride) {  // the next tiles are on their way while these are multiplied
      load_tile(images.values, first_image, images.count, images.stride, k + depth, a);
      load_tile(slices.values, first_slice, slices.count, slices.stride, k + depth, b);
    }
    multiply_tile(memory, sums);
  }
  keep_smallest(sums, slices, norms, images, best);
}

}  // namespace

template <class T> void launch_points(const PointsIn& in, const PointsOut<T>& out, cudaStream_t stream) {
  make_points<T><<<blocks_for(in.rotation_count * in.pixel_count), threads, 0, stream>>>(in, out);
}
template void launch_points<float>(const PointsIn&, const PointsOut<float>&, cudaStream_t);
template void launch_points<double>(const PointsIn&, const PointsOut<double>&, cudaStream_t);

void launch_to_complex(const float* real, float2* complex, std::size_t count, cudaStream_t stream) {
  to_complex<<<blocks_for(count), threads, 0, stream>>>(real, complex, count);
}
void launch_lengths(const float2* values, const Rows& rows, cudaStream_t stream) {
  lengths<<<blocks_for(rows.count * rows.stride), threads, 0, stream>>>(values, rows);
}
void launch_column_sums(const Rows& rows, double* partial, double* sums, cudaStream_t stream) {
  column_sums<<<dim3(blocks_for(rows.pixels), row_pieces), threads, 0, stream>>>(rows, partial);
  add_pieces<<<blocks_for(2 * rows.pixels), threads, 0, stream>>>(partial, sums, 2 * rows.pixels);
}
void launch_whiten(const Rows& rows, const Scales& scales, float* norms, cudaStream_t stream) {
  whiten<<<static_cast<unsigned>(rows.count), threads, 0, stream>>>(rows, scales, norms);
}
void launch_nearest(const Images2d& images, const Rows& slices, const float* norms, PackedMatch* best,
                    cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>((slices.count + tile - 1) / tile),
                    static_cast<unsigned>((images.count + tile - 1) / tile));
  nearest<<<blocks, threads, 0, stream>>>(images, slices, norms, best);
}
void launch_nearest_try(const Images2d& images, const Tries& tries, PackedMatch* best, cudaStream_t stream) {
  nearest_try<<<static_cast<unsigned>(tries.slices.count), threads, 0, stream>>>(images, tries, best);
}

float match_distance(PackedMatch match) {
  const auto bits = static_cast<unsigned>(match >> 32);
  const unsigned back = bits & 0x80000000u ? bits & 0x7fffffffu : ~bits;
  float distance = 0;
  std::memcpy(&distance, &back, sizeof distance);
  return distance;
}

}  // namespace cli::mtip
