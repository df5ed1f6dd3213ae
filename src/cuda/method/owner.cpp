#include "cuda/method/owner.hpp"

#include <cmath>

#include "cuda/method/launchers.hpp"
#include "cuda/method/owner_shape.hpp"

namespace offgrid::cuda {
namespace {

constexpr int owner_code = 80;  // the least compute capability that its kernels are compiled for

class Owner final : public SpreadMethodOf<Owner> {
 public:
  Method word() const override { return Method::owner; }
  const char* name() const override { return "owner"; }
  bool can_run(const MethodRequest& request) const override { return request.device.code >= owner_code; }
  // Owners win where there are few points per cell, and enough tiles for all multiprocessors.
  bool wins(const MethodRequest& request) const override {
    return request.dim == 3 && static_cast<double>(request.points) < 0.1 * request.cells() &&
           request.cells() * static_cast<double>(request.vectors) > 1e6;
  }

  // Each point costs time in every tile that it reaches.
  double time(const MethodRequest& request, Precision) const override {
    const double tiles = std::pow(1 + (request.width - 1) / static_cast<double>(owner_tile), request.dim);
    const double per_tile = request.f64() ? (request.to_modes() ? 90 : 95) : request.to_modes() ? 59 : 69;
    return static_cast<double>(request.points) * tiles * per_tile + request.cells() * (request.f64() ? 3.5 : 2.5);
  }

  // Subproblems only tell which bins are crowded.
  std::int64_t subproblem_points(const MethodRequest& request) const override {
    return request.options.subproblem > 0 ? request.options.subproblem : owner_crowd;
  }

  bool lay_out(const MethodRequest& request, MethodChoice& choice) const override {
    choice.sort = basic_sort(request, make_bins(request.grid, {owner_tile, owner_tile, owner_tile}));
    return true;
  }

  // A cell is summed in f64 and written once; only crowded bins are added to.
  bool sums_in_f64(const MethodRequest& request, std::int64_t) const override { return needs_wide_sums(request, 1, 1); }
  double longest_sum(const MethodChoice& choice, Precision precision, std::int64_t run,
                     std::int64_t items) const override {
    const auto subproblem = static_cast<double>(choice.sort.subproblem_points);
    const bool f64 = precision == Precision::f64;
    if (run <= 1) return f64 ? subproblem : 1;
    return added_subproblems(choice.sort, run, items) + (f64 ? subproblem / 4 : 0);
  }

  bool writes_all_cells() const override { return true; }
  // Its interpolation adds to the results in no fixed order.
  bool reads_itself(const MethodRequest& request) const override {
    return request.dim == 3 && !request.options.deterministic;
  }
  bool adds_to_results() const override { return true; }
  bool can_be_recorded() const override { return false; }

  template <class T, class A> void spread_as(const StageCall<T, A>& call) const {
    const SortSpec& sort = call.choice.sort;
    spread_owned(sort.dim, call.stage, call.set, sort.bins, sort.subproblem_points, call.queue.stream);
  }
  template <class T> void interpolate_as(const StageCall<T, T>& call) const {
    const SortSpec& sort = call.choice.sort;
    interpolate_owned(call.stage, call.set, sort.bins, sort.subproblem_points, call.queue.stream);
  }
};

}  // namespace

const SpreadMethod& owner_method() {
  static const Owner method;
  return method;
}

}  // namespace offgrid::cuda
