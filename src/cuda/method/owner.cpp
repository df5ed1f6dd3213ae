#include "cuda/method/owner.hpp"

#include <cmath>

#include "cuda/method/launchers.hpp"
#include "cuda/method/owner_shape.hpp"
#include "cuda/method/sweep.hpp"

namespace offgrid::cuda {
namespace {

constexpr int owner_code = 80;  // the least compute capability that its kernels are compiled for

class Owner final : public SpreadMethodOf<Owner> {
 public:
  Method word() const override { return Method::owner; }
  const char* name() const override { return "owner"; }
  bool can_run(const MethodRequest& request) const override { return request.device.code >= owner_code; }
  // Owners win where there are few points per cell, and enough tiles for all multiprocessors. In 2D they only spread, and only
  // where the sweep would add to cells of f64: up to a higher density where cells are the result, for the sweep's are copied
  // then. In 3D it depends on the width, too.
  bool wins(const MethodRequest& request) const override {
    if (request.dim == 1 || request.cells() * static_cast<double>(request.vectors) <= 1e6) return false;
    const SpreadMethod& sweep = sweep_method();
    const bool beside_sweep = sweep.can_run(request) && sweep.wins(request);
    const bool sums_wide = request.sums == SumPrecision::f64 || needs_wide_sums(request, 1, 1);
    const bool wide = !request.f64() && request.to_modes() && sums_wide;
    if (request.dim == 2) {
      const double most = !wide ? 0.12 : request.options.spread_only ? 0.3 : 0.2;
      return beside_sweep && request.to_modes() && request.width >= 8 && (request.f64() || wide) &&
             request.density() < most;
    }
    if (!beside_sweep) return request.density() < 0.1;
    const Precision of_grid = wide ? Precision::f64 : request.precision;
    return request.density() < 1 && time(request, of_grid) < sweep.time(request, of_grid);
  }

  // Each point costs time in every tile that it reaches. Fitted to bench/method_density.py on an H200.
  double time(const MethodRequest& request, Precision) const override {
    const double tiles = std::pow(1 + (request.width - 1) / static_cast<double>(owner_tile), request.dim);
    const double width = request.width;
    double per_tile = request.to_modes() ? 54 : 62;
    if (request.f64()) per_tile = request.to_modes() ? 64 + 1.4 * width : 70 + 1.35 * width;
    return static_cast<double>(request.points) * tiles * per_tile + 1.5 * request.cells();
  }

  // Subproblems only tell which bins are crowded.
  std::int64_t subproblem_points(const MethodRequest& request) const override {
    return request.options.subproblem > 0 ? request.options.subproblem : owner_crowd;
  }

  bool lay_out(const MethodRequest& request, MethodChoice& choice) const override {
    choice.sort = basic_sort(request, make_bins(request.grid, {owner_tile, owner_tile, owner_tile}));
    return true;
  }

  // A cell is summed in f64 and written once; sets of points after the first one add to it. Where cells are the result they are
  // rounded to its precision in any case.
  bool sums_in_f64(const MethodRequest& request, std::int64_t) const override {
    return !request.options.spread_only && needs_wide_sums(request, 1, 1);
  }
  double longest_sum(const MethodChoice& choice, Precision precision, std::int64_t run,
                     std::int64_t items) const override {
    const auto subproblem = static_cast<double>(choice.sort.subproblem_points);
    if (precision == Precision::f64)
      return run <= 1 ? subproblem : added_subproblems(choice.sort, run, items) + subproblem / 4;
    const double sets =
        std::ceil(static_cast<double>(items) * subproblem / static_cast<double>(choice.sort.set_points));
    return sets > 1 ? sets : 0;
  }

  bool writes_all_cells() const override { return true; }
  // Its interpolation adds up results in no fixed order.
  bool reads_itself(const MethodRequest& request) const override {
    return request.dim == 3 && !request.options.deterministic;
  }
  bool sums_results() const override { return true; }
  bool can_be_recorded() const override { return false; }

  template <class T, class A> void spread_as(const StageCall<T, A>& call) const {
    const SortSpec& sort = call.choice.sort;
    spread_owned(sort.dim, call.stage, call.set, sort.bins, sort.subproblem_points, call.queue.stream);
  }
  template <class T> void interpolate_as(const StageCall<T, T>& call) const {
    const SortSpec& sort = call.choice.sort;
    interpolate_owned(call.stage, call.set, sort.bins, sort.subproblem_points, call.sums, call.queue.stream);
  }
};

}  // namespace

const SpreadMethod& owner_method() {
  static const Owner method;
  return method;
}

}  // namespace offgrid::cuda
