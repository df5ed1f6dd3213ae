#include "cuda/method/integer_sums.hpp"

#include <algorithm>

#include "cuda/launch/enqueue.hpp"

namespace offgrid::cuda {
namespace {

constexpr int threads = 256;
constexpr std::int64_t most_blocks = 2048;

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>(std::clamp<std::int64_t>((count + threads - 1) / threads, 1, most_blocks));
}

// The bits of numbers that are not negative have the order of the numbers, with infinity and then NaN above all.
template <class T>
__global__ void __launch_bounds__(threads)
    largest_kernel(const T* components, std::int64_t count, unsigned long long* largest) {
  const T* mine = components + blockIdx.y * count;
  unsigned long long most = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * threads)
    most = max(most, static_cast<unsigned long long>(__double_as_longlong(fabs(static_cast<double>(mine[i])))));
  for (int reach = 16; reach > 0; reach /= 2) most = max(most, __shfl_xor_sync(~0u, most, reach));
  if (threadIdx.x % 32 == 0) atomicMax(largest + blockIdx.y, most);
}

__global__ void terms_kernel(const std::uint32_t* densest, std::uint32_t columns, unsigned long long* terms) {
  *terms += std::uint64_t{*densest} * columns;
}

__global__ void units_kernel(FixedPoint fixed, int vectors) {
  for (int vector = static_cast<int>(threadIdx.x); vector < vectors; vector += threads) {
    const double largest = __longlong_as_double(static_cast<long long>(fixed.largest[vector]));
    // phi is at most 1, apart from the error of its polynomials.
    const double bound = 1.01 * largest * static_cast<double>(*fixed.terms);
    fixed.units[vector] = !isfinite(bound) ? __longlong_as_double(0x7ff8000000000000)
                          : bound == 0     ? 1.0
                                           : ldexp(1.0, ilogb(bound) + 1 - 62);
  }
}

__global__ void __launch_bounds__(threads)
    numbers_kernel(const double* units, long long* cells, std::uint64_t components) {
  const double unit = units[blockIdx.y];
  long long* mine = cells + blockIdx.y * components;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x; i < components;
       i += std::uint64_t{gridDim.x} * threads)
    mine[i] = __double_as_longlong(static_cast<double>(mine[i]) * unit);
}

}  // namespace

FixedPoint fixed_point_in(std::byte* memory, std::int64_t vectors) {
  auto* words = reinterpret_cast<unsigned long long*>(memory);
  return {words + 1, words, reinterpret_cast<double*>(words + 1 + vectors)};
}

// A point reaches a cell several times where the grid is shorter than the kernel.
std::uint32_t columns_that_reach_a_cell(const SortSpec& sort) {
  const auto width = static_cast<std::uint32_t>(sort.width);
  std::uint32_t reach = 1;
  for (int axis = 0; axis < sort.dim; ++axis) reach *= (width - 1) / sort.grid.n[axis] + 1;
  for (int axis = 0; axis < 2; ++axis) reach *= std::min((width - 2) / sort.bins.size[axis] + 2, sort.bins.count[axis]);
  return reach;
}

void clear_fixed_point(const FixedPoint& fixed, int vectors, cudaStream_t stream) {
  const std::size_t bytes = sizeof(unsigned long long) * (1 + static_cast<std::size_t>(vectors));
  enqueue_clear("clearing sums", fixed.terms, bytes, stream);
}

void count_terms(const FixedPoint& fixed, const std::uint32_t* densest, std::uint32_t columns, cudaStream_t stream) {
  enqueue("terms", terms_kernel, {dim3(1), 1, 0, stream}, densest, columns, fixed.terms);
}

template <class T>
void find_units(const FixedPoint& fixed, const std::complex<T>* strengths, std::int64_t count, int vectors,
                cudaStream_t stream) {
  const dim3 blocks(blocks_for(2 * count), static_cast<unsigned>(vectors));
  enqueue("units", largest_kernel<T>, {blocks, threads, 0, stream}, reinterpret_cast<const T*>(strengths), 2 * count,
          fixed.largest);
  enqueue("units", units_kernel, {dim3(1), threads, 0, stream}, fixed, vectors);
}

void to_numbers(const FixedPoint& fixed, std::complex<double>* cells, std::uint64_t cells_per_vector, int vectors,
                cudaStream_t stream) {
  const dim3 blocks(blocks_for(static_cast<std::int64_t>(2 * cells_per_vector)), static_cast<unsigned>(vectors));
  enqueue("numbers", numbers_kernel, {blocks, threads, 0, stream}, fixed.units, reinterpret_cast<long long*>(cells),
          2 * cells_per_vector);
}

template void find_units(const FixedPoint&, const std::complex<float>*, std::int64_t, int, cudaStream_t);
template void find_units(const FixedPoint&, const std::complex<double>*, std::int64_t, int, cudaStream_t);

}  // namespace offgrid::cuda
