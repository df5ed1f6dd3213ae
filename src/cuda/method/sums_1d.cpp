#include "cuda/method/sums_1d.hpp"

#include <algorithm>
#include <cmath>

#include "cuda/method/launchers.hpp"

namespace offgrid::cuda {
namespace {

// A bin has some hundred points.
std::int64_t bin_for(double density) {
  std::int64_t cells = sums_1d_bin;
  while (cells > 32 && static_cast<double>(cells) * density > 800) cells /= 2;
  return cells;
}

class Sums1d final : public SpreadMethodOf<Sums1d> {
 public:
  Method word() const override { return Method::sweep; }
  const char* name() const override { return "sweep"; }
  bool can_run(const MethodRequest& request) const override { return request.dim == 1; }
  bool wins(const MethodRequest&) const override { return true; }
  double time(const MethodRequest& request, Precision) const override { return paper_time(request); }

  std::int64_t subproblem_points(const MethodRequest& request) const override {
    return std::min<std::int64_t>(even_subproblem(request, 128, paper_subproblem), sums_1d_points);
  }

  bool lay_out(const MethodRequest& request, MethodChoice& choice) const override {
    choice.sort = basic_sort(request, make_bins(request.grid, {bin_for(request.density()), 1, 1}));
    choice.sort.inverse = wants_inverse(request);
    return true;
  }

  bool sums_in_f64(const MethodRequest& request, std::int64_t subproblem) const override {
    return needs_wide_sums(request, std::min(request.points, subproblem), request.points / subproblem);
  }
  // Points of one cell are summed by teams, and their sums are added to the tile.
  double longest_sum(const MethodChoice& choice, Precision, std::int64_t run, std::int64_t items) const override {
    const auto subproblem = static_cast<double>(choice.sort.subproblem_points);
    return added_subproblems(choice.sort, run, items) + 2 * std::sqrt(subproblem);
  }

  template <class T, class A> void spread_as(const StageCall<T, A>& call) const {
    spread_sums_1d(call.stage, call.set, call.choice.sort.bins, call.queue.stream);
  }
};

}  // namespace

const SpreadMethod& sums_1d_method() {
  static const Sums1d method;
  return method;
}

}  // namespace offgrid::cuda
