#include "mtip/cuda/merge_kernels.hpp"

namespace cli::mtip {
namespace {

constexpr int threads = 256;
enum Scalar { rr = 0, alpha = 1, beta = 2, end = 3 };

unsigned blocks_for(size_t items) { return static_cast<unsigned>((items + threads - 1) / threads); }
__device__ size_t item() { return static_cast<size_t>(blockIdx.x) * threads + threadIdx.x; }
__host__ __device__ size_t cube_of(int size) { return static_cast<size_t>(size) * size * size; }

struct Voxel {
  int x, y, z;
};
__device__ Voxel voxel_of(size_t i, int size) {
  return {static_cast<int>(i % size), static_cast<int>(i / size % size), static_cast<int>(i / size / size)};
}
__device__ size_t index_of(Voxel v, int size) { return (static_cast<size_t>(v.z) * size + v.y) * size + v.x; }
__device__ bool in_ball(Voxel v, int size) {
  const int half = size / 2, x = v.x - half, y = v.y - half, z = v.z - half;
  return x * x + y * y + z * z <= half * half;
}

__global__ void strengths(StrengthsIn in, double2* out) {
  const size_t i = item();
  if (i >= in.images * in.pixels) return;
  const size_t pixel = i % in.pixels;
  const double weight = in.radius[pixel];
  out[i] = make_double2(weight, weight * in.intensities[i / in.pixels * in.stride + pixel] / in.scale);
}

// -n has the opposite index.
__global__ void split_kernel(const double2* modes, size_t count, double* kernel) {
  const size_t i = item();
  if (i < count) kernel[i] = (modes[i].x + modes[count - 1 - i].x) / 2;
}
__global__ void split_right_side(const double2* modes, int size, double scale, double* right_side) {
  const size_t i = item();
  if (i >= cube_of(size)) return;
  const int width = 2 * size - 1, margin = (size - 1) / 2;
  const Voxel v = voxel_of(i, size);
  const size_t at = index_of({v.x + margin, v.y + margin, v.z + margin}, width);
  right_side[i] = scale * (modes[at].y + modes[cube_of(width) - 1 - at].y) / 2;
}

__global__ void wrap_kernel(const double* kernel, int size, float* space, int n) {
  const size_t i = item();
  const int width = 2 * size - 1;
  if (i >= cube_of(width)) return;
  const Voxel v = voxel_of(i, width);
  const auto wrapped = [&](int k) { return (k - (size - 1) + n) % n; };
  space[index_of({wrapped(v.x), wrapped(v.y), wrapped(v.z)}, n)] = static_cast<float>(kernel[i]);
}

__global__ void real_part(const float2* spectrum, float* real, size_t count, float scale) {
  const size_t i = item();
  if (i < count) real[i] = scale * spectrum[i].x;
}

// One thread per voxel of the FFT's cube.
__global__ void pad(const float* a, int size, float* space, int n) {
  const size_t i = item();
  if (i >= cube_of(n)) return;
  const Voxel v = voxel_of(i, n);
  space[i] = v.x < size && v.y < size && v.z < size ? a[index_of(v, size)] : 0.0f;
}

__global__ void scale_spectrum(float2* spectrum, const float* factors, size_t count) {
  const size_t i = item();
  if (i >= count) return;
  spectrum[i].x *= factors[i];
  spectrum[i].y *= factors[i];
}

__global__ void crop(const float* space, int n, const float* a, float regularisation, int size, float* result) {
  const size_t i = item();
  if (i >= cube_of(size)) return;
  const Voxel v = voxel_of(i, size);
  result[i] = (in_ball(v, size) ? space[index_of(v, n)] : 0.0f) + regularisation * a[i];
}

__global__ void inside(const double* from, float* to, int size) {
  const size_t i = item();
  if (i < cube_of(size)) to[i] = in_ball(voxel_of(i, size), size) ? static_cast<float>(from[i]) : 0.0f;
}

// The sum over a block in a fixed order, in thread 0.
__device__ double block_sum(double value) {
  __shared__ double sums[threads];
  sums[threadIdx.x] = value;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  return sums[0];
}

__global__ void products(const float* a, const float* b, size_t count, double* partial) {
  double sum = 0;
  for (size_t i = item(); i < count; i += static_cast<size_t>(solver_blocks) * threads)
    sum += static_cast<double>(a[i]) * b[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

enum class Role { first, step, next };

// One block: adds the partial sums and makes the scalar that the next kernel reads. Past the end nothing changes any more.
__global__ void make_scalar(Solver solver, Role role, double small) {
  const double sum = block_sum(threadIdx.x < solver_blocks ? solver.partial[threadIdx.x] : 0.0);
  if (threadIdx.x != 0) return;
  double* s = solver.scalars;
  if (role == Role::first) {
    s[rr] = sum;
    s[end] = small * sum;
  } else if (role == Role::step) {
    s[alpha] = s[rr] > s[end] && sum > 0 ? s[rr] / sum : 0;
  } else {
    s[beta] = s[alpha] > 0 ? sum / s[rr] : 0;
    s[rr] = sum;
  }
}

__global__ void start(Solver solver) {
  const size_t i = item();
  if (i >= solver.count) return;
  solver.a[i] = 0;
  solver.p[i] = solver.r[i];
}

__global__ void advance(Solver solver) {
  const size_t i = item();
  if (i >= solver.count) return;
  const auto step = static_cast<float>(solver.scalars[alpha]);
  solver.a[i] += step * solver.p[i];
  solver.r[i] -= step * solver.t[i];
}

__global__ void turn(Solver solver) {
  const size_t i = item();
  if (i < solver.count) solver.p[i] = solver.r[i] + static_cast<float>(solver.scalars[beta]) * solver.p[i];
}

__global__ void symmetrise(float* a, size_t count) {
  const size_t i = item();
  if (i >= count / 2) return;
  const float mean = (a[i] + a[count - 1 - i]) / 2;
  a[i] = mean;
  a[count - 1 - i] = mean;
}

__global__ void shift(const float* a, float* space, int size) {
  const size_t i = item();
  if (i >= cube_of(size)) return;
  const Voxel v = voxel_of(i, size);
  const int half = size / 2;
  const auto shifted = [&](int k) { return (k + size - half) % size; };
  space[index_of({shifted(v.x), shifted(v.y), shifted(v.z)}, size)] = a[i];
}

__global__ void root(const float2* spectrum, float* amplitudes, size_t count) {
  const size_t i = item();
  if (i < count) amplitudes[i] = sqrtf(fmaxf(spectrum[i].x, 0.0f));
}

}  // namespace

void launch_strengths(const StrengthsIn& in, double2* out, cudaStream_t stream) {
  strengths<<<blocks_for(in.images * in.pixels), threads, 0, stream>>>(in, out);
}
void launch_split(const double2* modes, int size, double scale, const NormalParts& out, cudaStream_t stream) {
  const size_t count = cube_of(2 * size - 1);
  split_kernel<<<blocks_for(count), threads, 0, stream>>>(modes, count, out.kernel);
  split_right_side<<<blocks_for(cube_of(size)), threads, 0, stream>>>(modes, size, scale, out.right_side);
}
void launch_wrap_kernel(const double* kernel, int size, float* space, int n, cudaStream_t stream) {
  (void)cudaMemsetAsync(space, 0, cube_of(n) * sizeof(float), stream);
  wrap_kernel<<<blocks_for(cube_of(2 * size - 1)), threads, 0, stream>>>(kernel, size, space, n);
}
void launch_real_part(const float2* spectrum, float* real, std::size_t count, float scale, cudaStream_t stream) {
  real_part<<<blocks_for(count), threads, 0, stream>>>(spectrum, real, count, scale);
}
void launch_pad(const float* a, int size, float* space, int n, cudaStream_t stream) {
  pad<<<blocks_for(cube_of(n)), threads, 0, stream>>>(a, size, space, n);
}
void launch_scale_spectrum(float2* spectrum, const float* factors, std::size_t count, cudaStream_t stream) {
  scale_spectrum<<<blocks_for(count), threads, 0, stream>>>(spectrum, factors, count);
}
void launch_crop(const float* space, int n, const float* a, float regularisation, int size, float* result,
                 cudaStream_t stream) {
  crop<<<blocks_for(cube_of(size)), threads, 0, stream>>>(space, n, a, regularisation, size, result);
}
void launch_inside(const double* from, float* to, int size, cudaStream_t stream) {
  inside<<<blocks_for(cube_of(size)), threads, 0, stream>>>(from, to, size);
}
void launch_solver_start(const Solver& solver, double small, cudaStream_t stream) {
  start<<<blocks_for(solver.count), threads, 0, stream>>>(solver);
  products<<<solver_blocks, threads, 0, stream>>>(solver.r, solver.r, solver.count, solver.partial);
  make_scalar<<<1, threads, 0, stream>>>(solver, Role::first, small);
}
void launch_solver_step(const Solver& solver, cudaStream_t stream) {
  products<<<solver_blocks, threads, 0, stream>>>(solver.p, solver.t, solver.count, solver.partial);
  make_scalar<<<1, threads, 0, stream>>>(solver, Role::step, 0);
  advance<<<blocks_for(solver.count), threads, 0, stream>>>(solver);
  products<<<solver_blocks, threads, 0, stream>>>(solver.r, solver.r, solver.count, solver.partial);
  make_scalar<<<1, threads, 0, stream>>>(solver, Role::next, 0);
  turn<<<blocks_for(solver.count), threads, 0, stream>>>(solver);
}
void launch_symmetrise(float* a, std::size_t count, cudaStream_t stream) {
  symmetrise<<<blocks_for(count / 2 + 1), threads, 0, stream>>>(a, count);
}
void launch_shift(const float* a, float* space, int size, cudaStream_t stream) {
  shift<<<blocks_for(cube_of(size)), threads, 0, stream>>>(a, space, size);
}
void launch_root(const float2* spectrum, float* amplitudes, std::size_t count, cudaStream_t stream) {
  root<<<blocks_for(count), threads, 0, stream>>>(spectrum, amplitudes, count);
}

}  // namespace cli::mtip
