#include "cuda/method/sweep.hpp"

#include <algorithm>
#include <cmath>

#include "cuda/method/launchers.hpp"
#include "cuda/method/sweep_shape.hpp"

namespace offgrid::cuda {
namespace {

constexpr int sweep_code = 90;  // the least compute capability that its kernels are compiled for

// --- times --------------------------------------------------------------------------------------------------------------
struct SweepCosts {
  double point;      // per point
  double axis_cell;  // per cell that a point reaches along an axis
  double chunk;      // per chunk of points that are worked on together
  double product;    // per product of a point with a cell of the window
  double visit;      // per cell of the grid that is added to or read
};

SweepCosts sweep_costs(const MethodRequest& request) {
  if (request.dim == 2 && request.to_modes())
    return request.f64() ? SweepCosts{.point = 26, .axis_cell = 0, .chunk = 0, .product = 0.078, .visit = 5}
                         : SweepCosts{.point = 5, .axis_cell = 0.6, .chunk = 0, .product = 0.055, .visit = 1};
  if (request.dim == 2)
    return request.f64() ? SweepCosts{.point = 55, .axis_cell = 0.5, .chunk = 600, .product = 0.09, .visit = 3}
                         : SweepCosts{.point = 6, .axis_cell = 0, .chunk = 100, .product = 0.055, .visit = 3};
  // 3D: fitted to bench/method_density.py and to `offgrid bench` over --upsampling, 559 times at 0.1 to 6 points per cell,
  // which differ from the fit by 8 to 10 % (root mean square).
  if (request.to_modes())
    return request.f64() ? SweepCosts{.point = 0, .axis_cell = 0, .chunk = 390, .product = 0.084, .visit = 4.6}
                         : SweepCosts{.point = 0, .axis_cell = 0, .chunk = 96, .product = 0.076, .visit = 3.4};
  return request.f64() ? SweepCosts{.point = 0, .axis_cell = 0, .chunk = 0, .product = 0.101, .visit = 6.7}
                       : SweepCosts{.point = 0, .axis_cell = 0, .chunk = 0, .product = 0.091, .visit = 3.2};
}

// In 2D a column with a few points more than a subproblem takes would make another one of these few, which costs nearly as
// much. So a subproblem takes a little more where that makes equal parts of columns, as they are where points are everywhere
// alike. It never takes less: points that fill a part of the grid only are closer together than they seem.
std::int64_t cut_evenly(const MethodRequest& request, std::int64_t subproblem) {
  if (request.dim == 3 || request.options.subproblem > 0 || subproblem < paper_subproblem) return subproblem;
  const Sizes box = sweep_box(request.dim, request.width);
  const double mean = request.density() * static_cast<double>(box[0] * box[1]);
  const double most = mean + 4 * std::sqrt(mean);  // of nearly all columns
  const double parts = std::floor(most / static_cast<double>(subproblem));
  return parts < 1 ? subproblem : static_cast<std::int64_t>(std::ceil(most / parts));
}

constexpr double wide_visit = 1;  // the extra cost of a visit where f32 points are summed in f64

// How much longer products take for some shapes: warps of a team wait for each other, tiles of one plane read more
// values, and a block that is alone on its multiprocessor has nothing to hide its waits.
double shape_factor(const SweepTiles& tiles, int dim) {
  if (tiles.blocks == 1) return 1.4;
  if (tiles.x_warps * tiles.plane_warps > 1) return 1.1;
  return dim == 3 && tiles.planes % 2 == 1 ? 1.12 : 1;
}

double sweep_time(const MethodRequest& request, Precision of_grid) {
  const auto count = static_cast<double>(request.points);
  const SweepCosts costs = sweep_costs(request);
  const SweepTiles tiles = sweep_tiles(request.dim, request.width);
  const Sizes box = sweep_box(request.dim, request.width);
  const double plane = 64.0 * tiles.octets * tiles.x_warps * tiles.m_tiles;
  const double planes = request.dim == 3 ? tiles.planes * tiles.plane_warps : 1;
  const double boxed = static_cast<double>(box[0] * box[1]) * (request.dim == 3 ? planes - request.width + 1 : 1);
  const double chunk = std::clamp(boxed * request.density(), 1.0, 32.0);
  const double padding = chunk < 32 ? 1 + 3.5 / chunk : 1;           // to a multiple of 8 points
  const double halo = plane / static_cast<double>(box[0] * box[1]);  // how often a cell is visited
  const double per_point = costs.point + costs.axis_cell * request.dim * request.width + costs.chunk / chunk +
                           costs.product * shape_factor(tiles, request.dim) * plane * planes * padding;
  const double per_result =
      request.dim == 2 ? per_point + gathered_result : std::max(per_point, 1.1 * scattered_result);
  const bool wide = of_grid != request.precision;
  return count * (request.to_modes() ? per_point : per_result) +
         request.filled_cells() * halo * (costs.visit + (wide ? wide_visit : 0)) + too_large(request.cells());
}

// --- the method ---------------------------------------------------------------------------------------------------------
class Sweep final : public SpreadMethodOf<Sweep> {
 public:
  Method word() const override { return Method::sweep; }
  const char* name() const override { return "sweep"; }

  // Kernels count the cells of a plane and its boxes in 32 bits.
  bool can_run(const MethodRequest& request) const override {
    if (request.dim == 1 || request.device.code < sweep_code) return false;
    const std::int64_t boxes = make_bins(request.grid, sweep_box(request.dim, request.width)).total();
    const std::int64_t plane = std::int64_t{request.grid.n[0]} * request.grid.n[1];
    return std::max(boxes, plane) < 0xffffffff;
  }
  // The sweep wins down to a few points per thousand cells where it spreads, and down to sparse_density where it reads;
  // but only some GPUs have fast tensor cores for f64.
  bool wins(const MethodRequest& request) const override {
    const bool only_reads = !request.to_modes() && request.density() < sparse_density;
    const bool fast_f64 = request.device.major == 9 || request.device.major == 10;
    return fast_f64 && !only_reads && request.density() >= 0.002;
  }

  // In 2D and f64 the grid is chosen by the time of the sweep even where one thread per point interpolates.
  double time(const MethodRequest& request, Precision of_grid) const override {
    const bool reads_alone = !request.to_modes() && !reads_itself(request) && (request.dim == 3 || !request.f64());
    return reads_alone ? time_per_point(request) : sweep_time(request, of_grid);
  }

  // The sweep rounds once per subproblem, so that these are long where there are very many points. They have at least
  // four chunks of points, or two in 2D where the points are very few.
  std::int64_t subproblem_points(const MethodRequest& request) const override {
    const std::int64_t devices_share = std::int64_t{16} * request.device.multiprocessors;
    const std::int64_t large = request.points / (2 * devices_share);
    const std::int64_t most = large > 4 * paper_subproblem ? large : paper_subproblem;
    const bool few = request.points * request.vectors / devices_share < 16;
    return cut_evenly(request, even_subproblem(request, request.dim == 2 && few ? 64 : 128, most));
  }

  bool lay_out(const MethodRequest& request, MethodChoice& choice) const override {
    choice.sort = basic_sort(request, make_bins(request.grid, sweep_box(request.dim, request.width)));
    choice.sort.columns = true;
    choice.sort.rows = request.dim == 2 && !request.to_modes() && !reads_itself(request);
    choice.sort.inverse = wants_inverse(request);
    return true;
  }

  // Within a subproblem sums are in f64, whatever the precision of the grid.
  bool sums_in_f64(const MethodRequest& request, std::int64_t subproblem) const override {
    return needs_wide_sums(request, 1, request.points / subproblem);
  }
  // One row of the tensor cores adds four points at a time.
  double longest_sum(const MethodChoice& choice, Precision precision, std::int64_t run,
                     std::int64_t items) const override {
    const auto subproblem = static_cast<double>(choice.sort.subproblem_points);
    return added_subproblems(choice.sort, run, items) + (precision == Precision::f64 ? subproblem / 4 : 0);
  }
  bool gains_from_long_subproblems() const override { return true; }

  bool reads_itself(const MethodRequest& request) const override {
    return sweep_reads(request.dim, request.width, request.f64(), request.density());
  }

  template <class T, class A> void spread_as(const StageCall<T, A>& call) const {
    sweep_spread(call.choice.sort.dim, call.stage, call.set, call.choice.sort.bins, call.queue.stream);
  }
  template <class T> void interpolate_as(const StageCall<T, T>& call) const {
    sweep_interpolate(call.choice.sort.dim, call.stage, call.set, call.choice.sort.bins, call.queue.stream);
  }
};

}  // namespace

const SpreadMethod& sweep_method() {
  static const Sweep method;
  return method;
}

}  // namespace offgrid::cuda
