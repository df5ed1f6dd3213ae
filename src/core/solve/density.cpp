#include "core/solve/density.hpp"

#include <algorithm>
#include <cmath>

#include "core/arguments.hpp"
#include "core/vector_algebra.hpp"

namespace offgrid {
namespace {

constexpr int width = 5;                                     // of the kernel, in cells
constexpr double tolerance = 1e-2;                           // of a kernel this narrow
enum Sum : int { squared_change = 0, squared_weights = 1 };  // places of sums

Problem cells_of(Problem problem) {
  problem.type = 1;
  problem.tolerance = tolerance;
  for (int axis = 0; axis < problem.dim; ++axis)
    problem.modes[axis] = std::max<std::int64_t>(checked_product("cells along an axis", 2, problem.modes[axis]), width);
  return problem;
}

Options options_of_cells(const Options& asked) {
  Options options;
  options.spread_only = true;
  options.width = width;
  options.deterministic = asked.deterministic;
  options.device = asked.device;
  options.threads = asked.threads;
  options.method = asked.method;
  options.bin1 = asked.bin1;
  options.bin2 = asked.bin2;
  options.bin3 = asked.bin3;
  options.subproblem = asked.subproblem;
  options.shared_bytes = asked.shared_bytes;
  return options;
}

// The part of the period that a cell stands for, over the square of the sum of the kernel's weights: what w = 1 for all points
// of a grid without gaps has to become.
double share_of_cell(const AnyPlan& plan, const Problem& cells) {
  double share = 1;
  for (int axis = 0; axis < cells.dim; ++axis)
    share *= std::pow(plan.kernel_transform(axis, 0), 2) / static_cast<double>(cells.modes[axis]);
  return share;
}

template <class T> class DensityWeights {
 public:
  DensityWeights(const Problem& problem, const Options& options, const Backend& backend, const RawPoints& points,
                 Stream stream)
      : pointwise_(backend.pointwise<T>()(options)),
        algebra_(backend.algebra<T>()(options)),
        plan_(make_plan(problem, options, backend)),
        count_(points.count),
        share_(share_of_cell(*plan_, problem)),
        stream_(stream) {
    plan_->set_points(points.count, points.axes, stream);
    at_points_ = pointwise_->make_room(count_);
    cells_ = pointwise_->make_room(checked_product("cells", problem.modes[0], problem.modes[1], problem.modes[2]));
  }

  // Both w and G G^T w stand for the part of the period times one number, so that it cancels.
  void find(const Iteration& iteration, T* weights) {
    algebra_->renew({.weights = weights, .count = count_, .scale = share_}, stream_);
    for (std::int64_t step = 1; step <= iteration.steps; ++step) {
      pointwise_->multiply({.real = weights, .to = at_points_->data, .count = count_}, stream_);
      plan_->execute(at_points_->data, cells_->data, stream_);
      plan_->adjoint(at_points_->data, cells_->data, stream_);
      algebra_->renew({.weights = weights,
                       .found = at_points_->data,
                       .count = count_,
                       .scale = share_,
                       .change = squared_change,
                       .square = squared_weights},
                      stream_);
      if (iteration.is_watched() && iteration.ends(step, change())) break;
    }
  }

 private:
  [[nodiscard]] double change() {
    const double square = algebra_->read(squared_change, stream_) / algebra_->read(squared_weights, stream_);
    return require_finite("change of the weights", std::sqrt(square));
  }

  std::unique_ptr<Pointwise<T>> pointwise_;
  std::unique_ptr<VectorAlgebra<T>> algebra_;
  std::unique_ptr<AnyPlan> plan_;
  std::int64_t count_;
  double share_;
  Stream stream_;
  std::unique_ptr<Room<T>> at_points_, cells_;
};

template <class T>
void find(const Problem& problem, const Options& options, const Backend& backend, const RawPoints& points,
          const Iteration& iteration, void* weights, Stream stream) {
  require_points<T>(backend, problem.dim, 1, points.count, points.axes);
  require_reach<T>(backend, "weights", weights, points.count);
  require_iteration(iteration);
  if (points.count == 0) return;
  DensityWeights<T>(cells_of(problem), options_of_cells(options), backend, points, stream)
      .find(iteration, static_cast<T*>(weights));
}

}  // namespace

void find_density_weights(const Problem& problem, const Options& options, const Backend& backend,
                          const RawPoints& points, const Iteration& iteration, void* weights, Stream stream) {
  Problem checked = problem;
  checked.type = 1;
  validate(checked, options);
  if (problem.precision == Precision::f32)
    return find<float>(problem, options, backend, points, iteration, weights, stream);
  find<double>(problem, options, backend, points, iteration, weights, stream);
}

}  // namespace offgrid
