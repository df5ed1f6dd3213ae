// Replicated modes, points spread over the ranks: each rank has a plan of its own, and what is a sum over points is summed over
// the ranks.
//   type 1           modes  = sum over the ranks of the local transforms
//   type 2           local
//   type 3           values = sum over the ranks, where the sources are spread over them; local where the targets are
// The adjoint of a type 2 sums as a type 1 does. link.hpp says how arrays on a GPU are summed.
#include "mpi/alike.hpp"
#include "mpi/gpu.hpp"
#include "mpi/handles.hpp"
#include "mpi/partition.hpp"
#include "mpi/plan.hpp"

namespace offgrid::mpi::inside {
namespace {

class ReplicatedPlan final : public AnyPlan {
 public:
  ReplicatedPlan(std::shared_ptr<const Ranks> ranks, const Request& request)
      : ranks_(std::move(ranks)), request_(request), link_(ranks_) {
    offgrid_plan raw = nullptr;
    check(offgrid_plan_create(&raw, request.type, request.dim, request.modes.data(), request.tolerance,
                              request.precision, request.options));
    plan_.reset(raw);
    transforms_ = static_cast<std::int64_t>(option(request.options, "transforms"));
    request_.options = nullptr;
    uniform_ = request.type == 3 ? unset : request.mode_count();
  }

  void set_result(offgrid_mpi_result result) override {
    together(*ranks_, [&] {
      if (result < OFFGRID_MPI_EVERYWHERE || result > OFFGRID_MPI_NOWHERE)
        throw Error(OFFGRID_INVALID_ARGUMENT, text("result is ", static_cast<int>(result), ", expected 0 to 3"));
    });
    static constexpr std::array words{"everywhere", "on_root", "scattered", "nowhere"};
    require_alike(*ranks_, {text("result = ", words[result])});
    if (result == OFFGRID_MPI_NOWHERE && request_.type != 3)
      throw Error(OFFGRID_INVALID_ARGUMENT,
                  "result = nowhere: only a type 3 has targets that can be spread over the ranks");
    result_ = result;
  }

  void set_points(const PointArrays& points) override {
    count_ = unset;
    together(*ranks_, [&] {
      if (uniform_ == unset)
        throw Error(OFFGRID_WRONG_STATE,
                    "set_points: the plan has no targets yet, or a rank was refused its last ones; call "
                    "set_points_and_targets first");
      check(offgrid_set_points(plan_.get(), points.count, points.axes[0], points.axes[1], points.axes[2], nullptr));
    });
    count_ = points.count;
    compare_points();
  }

  void set_points_and_targets(const PointArrays& points, const PointArrays& targets) override {
    require_targets();
    count_ = uniform_ = unset;
    together(*ranks_, [&] {
      check(offgrid_set_points_and_targets(plan_.get(), points.count, points.axes.data(), targets.count,
                                           targets.axes.data(), nullptr));
    });
    count_ = points.count;
    uniform_ = targets.count;
    compare_points();
    targets_differ_ = difference(*ranks_, "targets", uniform_);
  }

  void execute(Way way, void* strengths, void* modes) override {
    require_set(count_);
    const bool to_modes = (request_.type == 2) == (way == Way::adjoint);
    const bool by_targets = result_ == OFFGRID_MPI_NOWHERE;
    require_one_length(to_modes, by_targets);
    stopwatch_.clear();
    const auto call = way == Way::forward ? offgrid_execute : offgrid_execute_adjoint;
    stopwatch_.time("spread", [&] {
      together(*ranks_, [&] {
        check(call(plan_.get(), strengths, modes, nullptr));
        if (is_on_gpu(modes)) wait_for_gpu();  // so that the times of the stages are true
      });
    });
    stopwatch_.time("sum", [&] {
      if (to_modes && !by_targets) sum_vectors(modes, uniform_, result_);
      if (!to_modes && by_targets) sum_vectors(strengths, count_, OFFGRID_MPI_EVERYWHERE);
    });
  }

  Box local_modes() const override {
    Box box;
    for (std::size_t axis = 0; axis < request_.modes.size(); ++axis) box.count[axis] = request_.modes[axis];
    return box;
  }

  Box local_vectors() const override {
    Box box;
    box.count[0] = transforms_;
    if (result_ != OFFGRID_MPI_SCATTERED) return box;
    box.first[0] = vectors().first(ranks_->rank());
    box.count[0] = vectors().count(ranks_->rank());
    return box;
  }

  double get(const std::string& name) const override {
    if (const double* seconds = stopwatch_.find(name)) return *seconds;
    double value = 0;
    check(offgrid_plan_get(plan_.get(), name.c_str(), &value));
    return value;
  }

  std::string describe() const override {
    static constexpr std::array words{"everywhere", "on rank 0", "scattered over the vectors",
                                      "nowhere: targets are apart"};
    return text("ranks        ", ranks_->size(), ", replicated modes, sums ", words[result_], "\n", "exchange     ",
                link_.describe(), "\n", offgrid_plan_describe(plan_.get()));
  }

 private:
  void require_targets() const {
    if (request_.type != 3)
      throw Error(OFFGRID_WRONG_STATE, "set_points_and_targets: only a plan of type 3 has targets");
  }

  void compare_points() {
    if (request_.type == 3) points_differ_ = difference(*ranks_, "points", count_);
  }

  // Of a type 3, what is summed has one length on all ranks. They have compared their counts when these were set, and throw
  // alike.
  void require_one_length(bool to_modes, bool by_targets) const {
    if (to_modes && !by_targets && !targets_differ_.empty())
      throw Error(OFFGRID_WRONG_STATE,
                  "execute: values are summed over the ranks, which need all targets on every rank, but " +
                      targets_differ_ + "; set the same targets, or result = nowhere");
    if (!to_modes && by_targets && !points_differ_.empty())
      throw Error(OFFGRID_WRONG_STATE,
                  "execute: with result = nowhere strengths are summed over the ranks, which need all points "
                  "on every rank, but " +
                      points_differ_ + "; set the same points, or another result");
  }

  [[nodiscard]] Blocks vectors() const { return {transforms_, ranks_->size()}; }

  // data: [transforms][length]
  void sum_vectors(void* data, std::int64_t length, offgrid_mpi_result result) {
    if (ranks_->size() == 1 && !is_on_gpu(data)) return;
    Link& link = link_.choose(is_on_gpu(data));
    const bool single = request_.precision == OFFGRID_F32;
    const offgrid_mpi_number kind = single ? OFFGRID_MPI_F32 : OFFGRID_MPI_F64;
    const std::int64_t bytes = length * (single ? 8 : 16);
    if (result == OFFGRID_MPI_EVERYWHERE) link.sum(data, 2 * length * transforms_, kind);
    if (result == OFFGRID_MPI_ON_ROOT) link.sum_on(0, data, 2 * length * transforms_, kind);
    for (int rank = 0; result == OFFGRID_MPI_SCATTERED && rank < ranks_->size(); ++rank)
      link.sum_on(rank, static_cast<std::byte*>(data) + vectors().first(rank) * bytes,
                  2 * length * vectors().count(rank), kind);
  }

  std::shared_ptr<const Ranks> ranks_;
  Request request_;
  PlanHandle plan_;
  std::int64_t transforms_ = 1, count_ = unset;
  std::int64_t uniform_ = unset;                // modes or targets
  std::string points_differ_, targets_differ_;  // of a type 3, in words; empty: there are as many on every rank
  offgrid_mpi_result result_ = OFFGRID_MPI_EVERYWHERE;
  ChosenLink link_;
  Stopwatch stopwatch_;
};

}  // namespace

std::unique_ptr<AnyPlan> make_replicated(std::shared_ptr<const Ranks> ranks, const Request& request) {
  std::unique_ptr<AnyPlan> plan;
  const Ranks& all = *ranks;
  together(all, [&] { plan = std::make_unique<ReplicatedPlan>(std::move(ranks), request); });
  return plan;
}

}  // namespace offgrid::mpi::inside
