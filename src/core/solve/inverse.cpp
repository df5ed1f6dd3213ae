#include "core/solve/inverse.hpp"

#include <algorithm>
#include <cmath>

#include "core/arguments.hpp"
#include "core/vector_algebra.hpp"

namespace offgrid {
namespace {

// Places of sums. The squares of the residual before and after a step take turns.
enum Sum : int { curvature = 0, first_square = 1, second_square = 2, right_square = 3 };

template <class T> class Solver {
 public:
  using Complex = std::complex<T>;

  Solver(const Problem& problem, const Options& options, const Backend& backend, const LeastSquares& asked,
         Stream stream)
      : problem_(problem),
        options_(options),
        backend_(backend),
        asked_(asked),
        stream_(stream),
        modes_(problem.modes[0] * problem.modes[1] * problem.modes[2]),
        vectors_(std::max<std::int64_t>(asked.coil_count, 1)),
        pointwise_(backend.pointwise<T>()(options)),
        algebra_(backend.algebra<T>()(options)),
        residual_(pointwise_->make_room(modes_)),
        direction_(pointwise_->make_room(modes_)),
        image_(pointwise_->make_room(modes_)) {
    options_.transforms = vectors_;
    problem_.type = 2;
    if (asked_.coil_count > 0) coil_images_ = pointwise_->make_room(checked_product("coils", vectors_, modes_));
  }

  void solve(Complex* solution) {
    find_right_side(residual_->data);
    make_gram_operator();
    start(solution);
    const Iteration& iteration = asked_.iteration;
    if (iteration.is_watched() && residual() <= iteration.enough) return;
    for (std::int64_t step = 1; step <= iteration.steps; ++step) {
      advance(solution);
      if (iteration.is_watched() && iteration.ends(step, residual())) return;
      turn();
    }
  }

 private:
  // The sum over the coils of S* A* W values, by a plan that is not needed later.
  void find_right_side(Complex* to) {
    const auto plan = make_plan(problem_, options_, backend_);
    plan->set_points(asked_.points.count, asked_.points.axes, stream_);
    auto* values = const_cast<Complex*>(static_cast<const Complex*>(asked_.values));  // the adjoint reads them
    std::unique_ptr<Room<T>> weighted;
    if (asked_.weights != nullptr && asked_.points.count > 0) {
      weighted = pointwise_->make_room(checked_product("points x coils", asked_.points.count, vectors_));
      pointwise_->multiply({.from = values,
                            .real = static_cast<const T*>(asked_.weights),
                            .to = weighted->data,
                            .count = asked_.points.count,
                            .vectors = vectors_},
                           stream_);
      values = weighted->data;
    }
    plan->adjoint(values, coil_images_ ? coil_images_->data : to, stream_);
    if (coil_images_) sum_coils(to);
  }

  void make_gram_operator() {
    const Sampling sampling{.count = asked_.points.count, .axes = asked_.points.axes, .weights = asked_.weights};
    gram_ = make_gram(problem_, options_, backend_, sampling, stream_);
  }

  // to = the sum over the coils of conj(S) coil_images
  void sum_coils(Complex* to) {
    algebra_->sum_products({.by = coils(), .from = coil_images_->data, .to = to, .count = modes_, .vectors = vectors_},
                           stream_);
  }

  // image = (sum over the coils of S* A* W A S + regularisation) of
  void apply(const Complex* of) {
    if (coil_images_) {
      pointwise_->multiply(
          {.from = coils(), .complex = of, .to = coil_images_->data, .count = modes_, .vectors = vectors_}, stream_);
      gram_->apply(coil_images_->data, coil_images_->data, stream_);
      sum_coils(image_->data);
    } else {
      gram_->apply(of, image_->data, stream_);
    }
    if (asked_.regularisation > 0) add(image_->data, {.constant = asked_.regularisation}, of);
  }

  // solution, residual and direction before the first step
  void start(Complex* solution) {
    if (asked_.iteration.is_watched()) algebra_->inner(residual_->data, residual_->data, modes_, right_square, stream_);
    if (asked_.start == nullptr) {
      backend_.clear(solution, static_cast<std::size_t>(modes_) * sizeof(Complex), stream_);
    } else {
      if (asked_.start != solution) copy(static_cast<const Complex*>(asked_.start), solution);
      apply(solution);
      add(residual_->data, {.constant = -1}, image_->data);
    }
    copy(residual_->data, direction_->data);
    measure();
    if (asked_.iteration.is_watched()) right_norm_ = std::sqrt(algebra_->read(right_square, stream_));
  }

  // Along the direction to where the error is least.
  void advance(Complex* solution) {
    apply(direction_->data);
    algebra_->inner(direction_->data, image_->data, modes_, curvature, stream_);
    add(solution, {.constant = 1, .over = square_, .under = curvature}, direction_->data);
    add(residual_->data, {.constant = -1, .over = square_, .under = curvature}, image_->data);
    square_ = other_square();
    measure();
  }

  // direction = residual + square / square before direction
  void turn() {
    algebra_->combine({.own = {.constant = 1, .over = square_, .under = other_square()},
                       .to = direction_->data,
                       .from = residual_->data,
                       .count = modes_},
                      stream_);
  }

  void measure() { algebra_->inner(residual_->data, residual_->data, modes_, square_, stream_); }
  [[nodiscard]] int other_square() const { return first_square + second_square - square_; }

  // Relative to the right-hand side; where that is zero, 0 or infinite.
  [[nodiscard]] double residual() {
    const double norm = require_finite("residual", std::sqrt(algebra_->read(square_, stream_)));
    return norm == 0 ? 0 : norm / right_norm_;
  }

  [[nodiscard]] const Complex* coils() const { return static_cast<const Complex*>(asked_.coils); }
  void copy(const Complex* from, Complex* to) {
    pointwise_->multiply({.from = from, .to = to, .count = modes_}, stream_);
  }
  void add(Complex* to, const Factor& by, const Complex* from) {
    algebra_->combine({.to = to, .by = by, .from = from, .count = modes_}, stream_);
  }

  Problem problem_;
  Options options_;
  const Backend& backend_;
  const LeastSquares& asked_;
  Stream stream_;
  std::int64_t modes_, vectors_;
  std::unique_ptr<Pointwise<T>> pointwise_;
  std::unique_ptr<VectorAlgebra<T>> algebra_;
  std::unique_ptr<Room<T>> residual_, direction_, image_;
  std::unique_ptr<Room<T>> coil_images_;  // [coils][modes]; none without coils
  std::unique_ptr<AnyGram> gram_;
  int square_ = first_square;  // of the present residual
  double right_norm_ = 0;
};

void require_sense(const Problem& problem, const Options& options, const LeastSquares& asked) {
  validate(problem, options);
  if (options.spread_only) throw Error(Status::invalid_argument, "spread_only: an inverse has modes, not cells");
  if (options.transforms != 1)
    throw Error(Status::invalid_argument,
                text("transforms is ", options.transforms, ", expected 1: an inverse has as many vectors as coils"));
  if (asked.coil_count < 0)
    throw Error(Status::invalid_argument, text("coil_count is ", asked.coil_count, ", expected 0 or more"));
  if ((asked.coils == nullptr) != (asked.coil_count == 0))
    throw Error(Status::invalid_argument,
                text("coil_count is ", asked.coil_count, ", but coils ", asked.coils ? "are there" : "is null"));
  if (!(asked.regularisation >= 0 && std::isfinite(asked.regularisation)))
    throw Error(Status::invalid_argument, text("regularisation is ", asked.regularisation, ", expected 0 or more"));
  require_iteration(asked.iteration);
}

template <class T>
void solve(const Problem& problem, const Options& options, const Backend& backend, const LeastSquares& asked,
           void* modes, Stream stream) {
  using Complex = std::complex<T>;
  const std::int64_t count = asked.points.count, vectors = std::max<std::int64_t>(asked.coil_count, 1);
  const std::int64_t size = problem.modes[0] * problem.modes[1] * problem.modes[2];
  require_points<T>(backend, problem.dim, vectors, count, asked.points.axes);
  const std::int64_t images = checked_product("modes x coils", size, vectors, std::int64_t{sizeof(Complex)});
  const NamedArray<Complex> found{"modes", static_cast<const Complex*>(modes), size};
  const NamedArray<Complex> values{"values", static_cast<const Complex*>(asked.values), count * vectors};
  const NamedArray<Complex> coils{"coils", static_cast<const Complex*>(asked.coils),
                                  asked.coil_count == 0 ? 0 : images / std::int64_t{sizeof(Complex)}};
  const NamedArray<Complex> start{"start", static_cast<const Complex*>(asked.start), asked.start == nullptr ? 0 : size};
  for (const auto& array : {found, values, coils, start}) require_reach<T>(backend, array.name, array.data, array.size);
  if (asked.weights != nullptr) require_reach<T>(backend, "weights", asked.weights, count);
  require_apart<Complex>(values, found);
  require_apart<Complex>(coils, found);
  if (asked.start != modes) require_apart<Complex>(start, found, one_or_apart);
  if (size > 0) Solver<T>(problem, options, backend, asked, stream).solve(static_cast<Complex*>(modes));
}

}  // namespace

void invert(const Problem& problem, const Options& options, const Backend& backend, const LeastSquares& asked,
            void* modes, Stream stream) {
  Problem checked = problem;
  checked.type = 2;
  require_sense(checked, options, asked);
  if (checked.precision == Precision::f32) return solve<float>(checked, options, backend, asked, modes, stream);
  solve<double>(checked, options, backend, asked, modes, stream);
}

}  // namespace offgrid
