#include "cuda/method/global.hpp"

#include <algorithm>

#include "core/kernel/summation.hpp"
#include "cuda/method/launchers.hpp"
#include "cuda/method/sweep_shape.hpp"

namespace offgrid::cuda {
namespace {

// Adding in global memory wins where a tile would hold few points, and where there is little to do at all. But there each
// cell is one long sum, and if all points fall into one cell, its sum in f32 must keep the tolerance.
bool few_for_tiles(const MethodRequest& request) {
  const auto count = static_cast<double>(request.points);
  if (request.f64()) return count < 0.05 * request.cells();
  return equal_terms_error(count, Precision::f32) < summation_share * (request.goal / request.amplification) &&
         (count < 0.25 * request.cells() || count < 50'000);
}

// What GM and GM-sort share. There are no subproblems from which the longest sum could be told: where the user asks for
// the method, the library trusts that the points are spread out; where it is chosen, equal strengths at one point are
// allowed for.
template <class M> class Global : public SpreadMethodOf<M> {
 public:
  bool can_run(const MethodRequest&) const final { return true; }
  double time(const MethodRequest& request, Precision) const final { return paper_time(request); }

  std::int64_t subproblem_points(const MethodRequest& request) const final {
    return even_subproblem(request, 128, paper_subproblem);
  }

  bool lay_out(const MethodRequest& request, MethodChoice& choice) const final {
    choice.sort = basic_sort(request, countable_bins(request.grid, paper_bin(request)));
    choice.sort.subproblems = false;
    choice.sort.sorted = this->word() == Method::gm_sort;
    choice.sort.inverse = choice.sort.sorted && wants_inverse(request);
    return true;
  }

  bool sums_in_f64(const MethodRequest& request, std::int64_t) const final {
    const double reach = request.reached_cells() / request.cells();
    const auto evenly = static_cast<std::int64_t>(static_cast<double>(request.points) * std::min(1.0, reach));
    const bool chosen = request.options.method == Method::automatic;
    if (chosen && is_too_long(request, Precision::f32, static_cast<double>(request.points))) return true;
    return needs_wide_sums(request, chosen ? request.points : evenly, 1);
  }
  double longest_sum(const MethodChoice& choice, Precision, std::int64_t run, std::int64_t items) const final {
    return added_subproblems(choice.sort, run, items) + static_cast<double>(choice.sort.subproblem_points);
  }

  template <class T, class A> void spread_as(const StageCall<T, A>& call) const {
    spread_global(call.choice.sort.dim, call.stage, call.queue);
  }
};

class Gm final : public Global<Gm> {
 public:
  Method word() const override { return Method::gm; }
  const char* name() const override { return "GM"; }
  bool wins(const MethodRequest&) const override { return false; }  // only where it is asked for
};

class GmSort final : public Global<GmSort> {
 public:
  Method word() const override { return Method::gm_sort; }
  const char* name() const override { return "GM-sort"; }
  bool wins(const MethodRequest& request) const override {
    const bool only_reads = !request.to_modes() && request.density() < sparse_density;
    return only_reads || few_for_tiles(request);
  }
};

}  // namespace

const SpreadMethod& gm_method() {
  static const Gm method;
  return method;
}
const SpreadMethod& gm_sort_method() {
  static const GmSort method;
  return method;
}

}  // namespace offgrid::cuda
