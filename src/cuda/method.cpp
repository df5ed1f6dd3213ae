#include "cuda/method.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.hpp"
#include "core/summation.hpp"
#include "core/text.hpp"
#include "cuda/policy.hpp"
#include "cuda/sweep_shape.hpp"

namespace offgrid::cuda {
namespace {

GridShape shape_of(const Design& design) {
  GridShape shape{{1, 1, 1}, 1};
  for (int axis = 0; axis < design.dim(); ++axis) {
    if (design.grid[axis] > std::int64_t{0x7fffffff})
      throw Error(Status::invalid_argument,
                  text("modes: an axis of the grid has ", design.grid[axis], " cells, the CUDA engine takes 2^31 - 1"));
    shape.n[axis] = static_cast<std::uint32_t>(design.grid[axis]);
    shape.cells *= shape.n[axis];
  }
  return shape;
}

Bins make_bins(const GridShape& grid, const Sizes& size) {
  Bins bins{};
  for (int axis = 0; axis < max_dim; ++axis) {
    bins.size[axis] = static_cast<std::uint32_t>(std::min<std::int64_t>(size[axis], grid.n[axis]));
    bins.count[axis] = (grid.n[axis] + bins.size[axis] - 1) / bins.size[axis];
  }
  return bins;
}

// A key has 32 bits, and so has a count of bins.
Bins bins_that_count(const GridShape& grid, Sizes size) {
  Bins bins = make_bins(grid, size);
  for (int axis = 0; bins.total() > (std::int64_t{1} << 30); axis = (axis + 1) % max_dim) {
    size[axis] *= 2;
    bins = make_bins(grid, size);
  }
  return bins;
}

TileSpec make_tile(const Bins& bins, int dim, int width) {
  TileSpec tile;
  tile.bins = bins;
  for (int axis = 0; axis < dim; ++axis) tile.size[axis] = bins.size[axis] + static_cast<std::uint32_t>(width - 1);
  return tile;
}

// The kernel's coefficients and the values of the teams' points.
std::size_t fixed_shared_bytes(int dim, int width, Precision precision) {
  const int values = most_tile_threads / spread_lanes(dim, width) * dim * width;
  return (precision == Precision::f32 ? 4 : 8) *
         static_cast<std::size_t>((max_degree(width, precision) + 1) * width + values);
}

Sizes wanted_bin(const Design& design) {
  Sizes size = paper_bin(design.dim());
  const std::int64_t given[] = {design.options.bin1, design.options.bin2, design.options.bin3};
  for (int axis = 0; axis < design.dim(); ++axis)
    if (given[axis] > 0) size[axis] = given[axis];
  return size;
}

// The largest tile up to the wanted bin that fits in shared memory, with room for more vectors of a batch where there is.
bool fit_tile(const Design& design, const Device& device, MethodChoice& choice, Sizes& bin) {
  const int dim = design.dim(), width = design.window.width;
  const std::size_t real_bytes = design.problem.precision == Precision::f32 && !choice.wide ? 4 : 8;
  std::size_t limit = device.shared_bytes;
  if (design.options.shared_bytes > 0) limit = std::min(limit, static_cast<std::size_t>(design.options.shared_bytes));
  const std::size_t fixed = fixed_shared_bytes(dim, width, design.problem.precision);
  const std::size_t room = limit > fixed ? limit - fixed : 0;
  const auto tile_for = [&] { return make_tile(bins_that_count(shape_of(design), bin), dim, width); };
  while (tile_for().bytes(real_bytes) > room && *std::max_element(bin.begin(), bin.end()) > 1)
    *std::max_element(bin.begin(), bin.end()) /= 2;
  choice.tile = tile_for();
  if (choice.tile.bytes(real_bytes) > room) return false;
  for (TileSpec more = choice.tile; more.vectors < design.batch; choice.tile = more) {
    ++more.vectors;
    if (more.bytes(real_bytes) > std::min(room, 2 * roomy_tile_bytes)) break;
  }
  choice.tile.threads = tile_threads(choice.tile.bytes(real_bytes));
  return true;
}

// The sweep counts the cells of a plane and its boxes in 32 bits.
bool can_sweep(const Design& design, const Device& device, const GridShape& grid) {
  const std::int64_t boxes = make_bins(grid, sweep_box(design.dim(), design.window.width)).total();
  const std::int64_t plane = std::int64_t{grid.n[0]} * grid.n[1];
  return design.dim() > 1 && device.code >= 10 * sweep_major && std::max(boxes, plane) < 0xffffffff;
}

Method first_choice(const Design& design, const Device& device, const GridShape& grid, std::int64_t points) {
  const Method asked = design.options.method;
  const auto cells = static_cast<double>(grid.cells);
  const bool can_sweep = cuda::can_sweep(design, device, grid);
  if (asked == Method::sweep) return can_sweep || design.dim() == 1 ? Method::sweep : Method::sm;
  if (asked != Method::automatic) return asked;
  const double density = static_cast<double>(points) / cells;
  const bool owners = owners_win(design.dim(), static_cast<double>(points), cells, design.batch);
  if (owners && device.code >= 10 * owner_major) return Method::owner;
  const bool only_reads = design.problem.type == 2 && density < sparse_density;
  if (can_sweep && !only_reads && sweep_wins(points, cells, device.major)) return Method::sweep;
  if (only_reads) return Method::gm_sort;
  const bool f64 = design.problem.precision == Precision::f64;
  if (few_for_tiles(points, cells, f64, design.goal / design.amplification)) return Method::gm_sort;
  return design.dim() == 1 ? Method::sweep : Method::sm;
}

// What is known before the points are: strengths of random signs, all at one place, must not miss the tolerance. The sweep
// adds up in f64 by itself, and owners do so to the end; SM and the sweep in 1D at most a subproblem at a time. Where GM is
// asked for, it is trusted that the points are spread out; where it is chosen, equal strengths at one place are counted in,
// since it has no subproblems to look at (longest_sum).
bool sums_in_f64(const Design& design, Method method, std::int64_t points, std::int64_t subproblem) {
  const double tolerance = design.goal, allowed = tolerance / design.amplification;
  const std::int64_t parts = points / subproblem;
  if (method == Method::owner) return needs_wide_sums(tolerance, allowed, 1, 1);
  if (method == Method::sweep && design.dim() > 1) return needs_wide_sums(tolerance, allowed, 1, parts);
  if (method == Method::sm || method == Method::sweep)
    return needs_wide_sums(tolerance, allowed, std::min(points, subproblem), parts);
  const auto cells = static_cast<double>(shape_of(design).cells);
  const double reach = std::pow(design.window.width, design.dim()) / cells;
  const auto evenly = static_cast<std::int64_t>(static_cast<double>(points) * std::min(1.0, reach));
  const bool chosen = design.options.method == Method::automatic;
  if (chosen && is_too_long(design, false, static_cast<double>(points))) return true;
  return needs_wide_sums(tolerance, allowed, chosen ? points : evenly, 1);
}

}  // namespace

const char* name_of(Method method) {
  switch (method) {
    case Method::gm:
      return "GM";
    case Method::gm_sort:
      return "GM-sort";
    case Method::sm:
      return "SM";
    case Method::sweep:
      return "sweep";
    case Method::owner:
      return "owner";
    default:
      return "auto";
  }
}

std::int64_t subproblem_points(const Design& design, const Device& device, Method method, std::int64_t points) {
  std::int64_t subproblem = design.options.subproblem;
  if (subproblem == 0 && method == Method::owner) subproblem = owner_crowd;
  if (subproblem == 0) subproblem = subproblem_for(method, design.dim(), points, design.batch, device.multiprocessors);
  if (method == Method::sweep && design.dim() == 1) subproblem = std::min<std::int64_t>(subproblem, line_points);
  return subproblem;
}

// Owners add up what reaches their tile, and write it once; only crowded bins are added to. A row of the tensor cores adds four
// points at a time.
double longest_sum(const Design& design, const MethodChoice& choice, std::int64_t run, std::int64_t items) {
  const SortSpec& sort = choice.sort;
  const auto subproblem = static_cast<double>(sort.subproblem_points);
  const bool f64 = design.problem.precision == Precision::f64;
  if (choice.method == Method::owner && run <= 1) return f64 ? subproblem : 1;
  const auto width = static_cast<std::int64_t>(sort.width);
  std::int64_t reach = 1;  // bins or columns with points that reach a cell; a short grid is reached several times
  for (int axis = 0; axis < sort.dim; ++axis) {
    const std::int64_t around = (width - 1) / sort.grid.n[axis] + 1;
    const std::int64_t bins = std::min<std::int64_t>((width - 2) / sort.bins.size[axis] + 2, sort.bins.count[axis]);
    reach *= around * (sort.columns && axis == 2 ? 1 : bins);
  }
  const auto added = static_cast<double>(std::min(run * reach, items));
  const bool in_registers = (choice.method == Method::sweep && sort.dim > 1) || choice.method == Method::owner;
  if (in_registers) return added + (f64 ? subproblem / 4 : 0);
  if (choice.method == Method::sweep) return added + 2 * std::sqrt(subproblem);
  return added + subproblem;
}

bool is_too_long(const Design& design, bool wide, double terms) {
  const Precision precision = wide ? Precision::f64 : design.problem.precision;
  return equal_terms_error(terms, precision) * design.amplification > summation_share * design.goal;
}

MethodChoice choose_method(const Design& design, const Device& device, std::int64_t points, SumPrecision sums) {
  const int dim = design.dim(), width = design.window.width;
  const Options& options = design.options;
  const GridShape grid = shape_of(design);
  const double density = static_cast<double>(points) / static_cast<double>(grid.cells);
  MethodChoice choice;
  choice.method = first_choice(design, device, grid, points);
  if (options.deterministic) {
    choice.fixed_point = design.problem.tolerance >= fixed_point_tolerance && can_sweep(design, device, grid);
    choice.method = choice.fixed_point ? Method::sweep : Method::owner;
  }
  const bool f32 = design.problem.precision == Precision::f32;
  const bool owned = choice.method == Method::owner, in_line = choice.method == Method::sweep && dim == 1;
  const std::int64_t subproblem = subproblem_points(design, device, choice.method, points);
  choice.wide = f32 && (sums == SumPrecision::f64 || choice.fixed_point ||
                        sums_in_f64(design, choice.method, points, subproblem));

  Sizes bin = wanted_bin(design);
  if (owned)
    bin = {owner_tile, owner_tile, owner_tile};
  else if (in_line)
    bin = {line_bin_for(density), 1, 1};
  else if (choice.method == Method::sweep)
    bin = sweep_box(dim, width);
  else if (choice.method == Method::sm && !fit_tile(design, device, choice, bin))
    choice.method = Method::gm_sort, bin = wanted_bin(design);
  const bool asked = options.method != Method::automatic && !options.deterministic;
  choice.fell_back = asked && choice.method != options.method;

  SortSpec& sort = choice.sort;
  const bool paper = choice.method < Method::sweep;
  sort = {dim, width, grid, paper ? bins_that_count(grid, bin) : make_bins(grid, bin)};
  sort.subproblem_points = subproblem;
  int cell_bits = 1;
  for (const std::uint32_t cells : grid.n) cell_bits = std::max(cell_bits, static_cast<int>(std::bit_width(cells - 1)));
  sort.fraction_bits = f32 ? joined_fraction_bits(cell_bits, design.problem.tolerance) : 0;
  sort.set_points = most_set_points, sort.shared_bytes = device.shared_bytes;
  sort.sorted = choice.method != Method::gm;
  sort.columns = choice.method == Method::sweep && !in_line;
  sort.rows = sort.columns && dim == 2 && design.problem.type == 2 && !sweep_reads(dim, width, !f32, density);
  sort.inverse = design.problem.type == 2 && sort.sorted && !owned && gathers_results(dim, width, !f32);
  sort.vectors = design.batch;
  sort.subproblems = !paper || choice.method == Method::sm;
  return choice;
}

}  // namespace offgrid::cuda
