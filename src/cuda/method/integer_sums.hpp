// Sums that do not depend on their order, for deterministic = on: the sweep adds integers of 64 bits to the grid, in units
// so large that no sum can overflow,
//   unit = 2^(e - 62),  2^e >= largest component of a strength x number of points that reach one cell,
// and the integers become numbers when all points have been added. All of this happens on the device.
#pragma once

#include <cuda_runtime_api.h>
#include <complex>

#include "cuda/kernels/points.hpp"
#include "cuda/sort/sort.hpp"

namespace offgrid::cuda {

// Integers of 64 bits hold sums this well, wherever the points are: 2^24 of them in one cell leave 38 bits below the largest.
inline constexpr double fixed_point_tolerance = 1e-11;

// The work area of one execute.
struct FixedPoint {
  unsigned long long* largest;  // [vectors]: the bits of the largest component; infinite or NaN if a component is
  unsigned long long* terms;    // [1]: how many points may reach one cell
  double* units;                // [vectors]: NaN where a strength is not finite
};

// Bytes of the three arrays together.
constexpr std::size_t fixed_point_bytes(std::int64_t vectors) { return 8 * static_cast<std::size_t>(2 * vectors + 1); }
FixedPoint fixed_point_in(std::byte* memory, std::int64_t vectors);

// How many columns have points that reach a cell.
std::uint32_t columns_that_reach_a_cell(const SortSpec& sort);
void clear_fixed_point(const FixedPoint& fixed, int vectors, cudaStream_t stream);
// Adds to `terms`: *densest is the points of the fullest column of a set, and the points of `columns` columns reach a
// cell.
void count_terms(const FixedPoint& fixed, const std::uint32_t* densest, std::uint32_t columns, cudaStream_t stream);
template <class T>
void find_units(const FixedPoint& fixed, const std::complex<T>* strengths, std::int64_t count, int vectors,
                cudaStream_t stream);
void to_numbers(const FixedPoint& fixed, std::complex<double>* cells, std::uint64_t cells_per_vector, int vectors,
                cudaStream_t stream);

}  // namespace offgrid::cuda
