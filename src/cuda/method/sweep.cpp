#include "cuda/method/sweep.hpp"

#include <algorithm>

#include "cuda/method/launchers.hpp"
#include "cuda/method/sweep_shape.hpp"

namespace offgrid::cuda {
namespace {

constexpr int sweep_code = 90;  // compute capability that its kernels are compiled for, at least

// --- times --------------------------------------------------------------------------------------------------------------
struct SweepCosts {
  double point, axis_cell;  // of a point; and of a cell that it reaches along an axis
  double batch;             // of the points that are worked on together
  double product;           // of a point with a cell of the window
  double visit;             // of a cell of the grid: it is added to, or read
};

SweepCosts sweep_costs(const MethodRequest& request) {
  if (request.dim == 2 && request.to_modes())
    return request.f64() ? SweepCosts{26, 0, 0, 0.078, 5} : SweepCosts{5, 0.6, 0, 0.055, 1};
  if (request.dim == 2) return request.f64() ? SweepCosts{55, 0.5, 600, 0.09, 3} : SweepCosts{6, 0, 100, 0.055, 3};
  if (request.to_modes()) return request.f64() ? SweepCosts{8, 0.73, 0, 0.082, 2.5} : SweepCosts{5, 0, 115, 0.075, 2.6};
  return request.f64() ? SweepCosts{30, 0, 180, 0.1, 2.2} : SweepCosts{4, 0, 400, 0.1, 1};
}

constexpr double wide_visit = 1;  // what a grid of f64 costs more than one of f32

// Warps wait for each other; tiles of one plane read more; and a block alone on its multiprocessor waits again.
double shape_factor(const SweepTiles& tiles, int dim) {
  if (tiles.blocks == 1) return 1.4;
  if (tiles.x_warps * tiles.plane_warps > 1) return 1.1;
  return dim == 3 && tiles.planes % 2 == 1 ? 1.12 : 1;
}

double sweep_time(const MethodRequest& request, Precision of_grid) {
  const auto count = static_cast<double>(request.points);
  const double cells = request.cells();
  const SweepCosts costs = sweep_costs(request);
  const SweepTiles tiles = sweep_tiles(request.dim, request.width);
  const Sizes box = sweep_box(request.dim, request.width);
  const double plane = 64.0 * tiles.octets * tiles.x_warps * tiles.m_tiles;
  const double planes = request.dim == 3 ? tiles.planes * tiles.plane_warps : 1;
  const double boxed = static_cast<double>(box[0] * box[1]) * (request.dim == 3 ? planes - request.width + 1 : 1);
  const double batch = std::clamp(boxed * count / cells, 1.0, 32.0);
  const double padding = batch < 32 ? 1 + 3.5 / batch : 1;           // to a multiple of 8
  const double halo = plane / static_cast<double>(box[0] * box[1]);  // times that a cell is visited
  const double per_point = costs.point + costs.axis_cell * request.dim * request.width + costs.batch / batch +
                           costs.product * shape_factor(tiles, request.dim) * plane * planes * padding;
  const double per_result =
      request.dim == 2 ? per_point + gathered_result : std::max(per_point, 1.1 * scattered_result);
  const bool wide = of_grid != request.precision;
  return count * (request.to_modes() ? per_point : per_result) +
         cells * halo * (costs.visit + (wide ? wide_visit : 0)) + too_large(cells);
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
  // Down to a few points in a thousand cells, if cells are not only read; and only some GPUs have fast tensor cores for f64.
  bool wins(const MethodRequest& request) const override {
    const bool only_reads = !request.to_modes() && request.density() < sparse_density;
    const bool fast_f64 = request.device.major == 9 || request.device.major == 10;
    return fast_f64 && !only_reads && static_cast<double>(request.points) >= 0.002 * request.cells();
  }

  // f64 in 2D goes with the sweep's choice of a grid even where one thread per point reads.
  double time(const MethodRequest& request, Precision of_grid) const override {
    const bool reads_alone = !request.to_modes() && !reads_itself(request) && (request.dim == 3 || !request.f64());
    return reads_alone ? time_per_point(request) : sweep_time(request, of_grid);
  }

  // It rounds once per subproblem, so that there should be few where the points are very many. At least four batches of
  // points, or two where the points are very few and a window is soon added.
  std::int64_t subproblem_points(const MethodRequest& request) const override {
    const std::int64_t devices_share = std::int64_t{16} * request.device.multiprocessors;
    const std::int64_t large = request.points / (2 * devices_share);
    const std::int64_t most = large > 4 * paper_subproblem ? large : paper_subproblem;
    const bool few = request.points * request.vectors / devices_share < 16;
    return even_subproblem(request, request.dim == 2 && few ? 64 : 128, most);
  }

  bool lay_out(const MethodRequest& request, MethodChoice& choice) const override {
    choice.sort = basic_sort(request, make_bins(request.grid, sweep_box(request.dim, request.width)));
    choice.sort.columns = true;
    choice.sort.rows = request.dim == 2 && !request.to_modes() && !reads_itself(request);
    choice.sort.inverse = wants_inverse(request);
    return true;
  }

  // Sums of a subproblem are of f64 whatever the grid is.
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
