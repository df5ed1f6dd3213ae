#include "cuda/method/method.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/kernel/summation.hpp"
#include "cuda/sort/sort_policy.hpp"

namespace offgrid::cuda {

double MethodRequest::reached_cells() const { return std::pow(width, dim); }

// --- bins and subproblems -----------------------------------------------------------------------------------------------
Bins make_bins(const GridShape& grid, const Sizes& size) {
  Bins bins{};
  for (int axis = 0; axis < max_dim; ++axis) {
    bins.size[axis] = static_cast<std::uint32_t>(std::min<std::int64_t>(size[axis], grid.n[axis]));
    bins.count[axis] = (grid.n[axis] + bins.size[axis] - 1) / bins.size[axis];
  }
  return bins;
}

// A key has 32 bits, and so has a count of bins.
Bins countable_bins(const GridShape& grid, Sizes size) {
  Bins bins = make_bins(grid, size);
  for (int axis = 0; bins.total() > (std::int64_t{1} << 30); axis = (axis + 1) % max_dim) {
    size[axis] *= 2;
    bins = make_bins(grid, size);
  }
  return bins;
}

// Section IV of the paper, which has none for 1D.
Sizes paper_bin(const MethodRequest& request) {
  constexpr Sizes by_dimension[] = {{1024, 1, 1}, {32, 32, 1}, {16, 16, 2}};
  Sizes size = by_dimension[request.dim - 1];
  const std::int64_t given[] = {request.options.bin1, request.options.bin2, request.options.bin3};
  for (int axis = 0; axis < request.dim; ++axis)
    if (given[axis] > 0) size[axis] = given[axis];
  return size;
}

SortSpec basic_sort(const MethodRequest& request, const Bins& bins) {
  SortSpec sort{.dim = request.dim, .width = request.width, .grid = request.grid, .bins = bins};
  int cell_bits = 1;
  for (const std::uint32_t cells : request.grid.n)
    cell_bits = std::max(cell_bits, static_cast<int>(std::bit_width(cells - 1)));
  sort.fraction_bits = request.f64() ? 0 : joined_fraction_bits(cell_bits, request.tolerance);
  sort.set_points = most_set_points;
  sort.shared_bytes = request.device.shared_bytes;
  sort.vectors = request.vectors;
  return sort;
}

bool wants_inverse(const MethodRequest& request) {
  return !request.to_modes() && gathers_results(request.dim, request.width, request.f64());
}

std::int64_t even_subproblem(const MethodRequest& request, std::int64_t least, std::int64_t most) {
  if (request.options.subproblem > 0) return request.options.subproblem;
  const std::int64_t share = request.points * request.vectors / (std::int64_t{16} * request.device.multiprocessors);
  return std::clamp(share, least, most);
}

// --- the error of sums --------------------------------------------------------------------------------------------------
namespace {

// The error of a sum of `terms` terms of random sign in f32, relative to the sum.
double f32_sum_error(std::int64_t terms) { return 4e-8 * std::sqrt(static_cast<double>(terms)); }

}  // namespace

bool needs_wide_sums(const MethodRequest& request, std::int64_t terms, std::int64_t partial_sums) {
  const double allowed = request.goal / request.amplification;
  return request.goal < wide_sums_tolerance ||
         std::hypot(f32_sum_error(terms), f32_sum_error(partial_sums)) > 0.5 * allowed;
}

bool is_too_long(const MethodRequest& request, Precision precision, double terms) {
  return equal_terms_error(terms, precision) * request.amplification > summation_share * request.goal;
}

// A short grid is reached several times by one point.
double added_subproblems(const SortSpec& sort, std::int64_t run, std::int64_t items) {
  const auto width = static_cast<std::int64_t>(sort.width);
  std::int64_t reach = 1;  // bins or columns with points that reach a cell
  for (int axis = 0; axis < sort.dim; ++axis) {
    const std::int64_t around = (width - 1) / sort.grid.n[axis] + 1;
    const std::int64_t bins = std::min<std::int64_t>((width - 2) / sort.bins.size[axis] + 2, sort.bins.count[axis]);
    reach *= around * (sort.columns && axis == 2 ? 1 : bins);
  }
  return static_cast<double>(std::min(run * reach, items));
}

// --- times --------------------------------------------------------------------------------------------------------------
double too_large(double cells) { return 100 * std::max(0.0, cells - 0x1p27); }

double time_per_point(const MethodRequest& request) {
  const auto count = static_cast<double>(request.points);
  const double cells = request.cells(), reached = request.reached_cells();
  if (request.dim == 1) return count * (15 + request.width);
  if (request.dim == 2 && !request.f64()) return count * (gathered_result + 2 + 0.43 * reached) + 5 * cells;
  if (request.dim == 2) return count * (gathered_result + 10 + reached) + 4 * cells;
  const double conflicts = request.grid.n[0] % 128 == 0 ? 1.25 : 1;  // rows that meet in the cache
  const double per_cell = request.width <= 4 ? 1.4 : 4;              // wider kernels read more than the caches hold
  if (request.f64()) return count * conflicts * std::max(20 + per_cell * reached, scattered_result) + 4 * cells;
  const bool gathers = gathers_results(3, request.width, request.f64());
  const double per_result = gathers ? 30 : std::max(30 + 0.55 * reached, scattered_result);
  return count * conflicts * per_result + 9 * cells + too_large(cells);
}

double paper_time(const MethodRequest& request) {
  if (!request.to_modes()) return time_per_point(request);
  const auto count = static_cast<double>(request.points);
  if (request.dim == 1) return count * (request.f64() ? 36 + 1.6 * request.width : 20 + 1.2 * request.width);
  return count * (30 + 5.5 * request.reached_cells());
}

}  // namespace offgrid::cuda
