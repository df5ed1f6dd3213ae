#include "core/plan.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/validate.hpp"

namespace offgrid {
namespace {

constexpr std::array<const char*, max_dim> axis_names{"points x", "points y", "points z"};

Sign opposite(Sign sign) { return sign == Sign::plus ? Sign::minus : Sign::plus; }
Direction forward(int type) { return type == 1 ? Direction::to_modes : Direction::to_points; }
Direction backward(int type) { return type == 1 ? Direction::to_points : Direction::to_modes; }

}  // namespace

template <class T>
Plan<T>::Plan(const Problem& problem, const Options& options, const Backend& backend)
    : backend_(backend), design_(make_design(problem, options, backend.traits)) {
  if (design_.empty) return;
  engine_ = backend.make<T>(design_);
  design_.deconvolution = {};  // the engine has read them
}

template <class T>
void Plan<T>::set_points(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) {
  if (count < 0) throw Error(Status::invalid_argument, text("count of points is ", count, ", expected 0 or more"));
  checked_product("points x transforms", count, design_.options.transforms, std::int64_t{sizeof(std::complex<T>)});
  Points<T> points{count, {}};
  for (int axis = 0; axis < design_.asked.dim; ++axis) {
    const int caller_axis = design_.axes[axis];
    require(axis_names[caller_axis], axes[caller_axis], count);
    points.axis[axis] = static_cast<const T*>(axes[caller_axis]);
  }
  if (engine_ && count > design_.most_points)
    design_anew(points, stream);
  else if (engine_)
    hand_over(points, stream);
  points_ = count;
}

template <class T> void Plan<T>::hand_over(const Points<T>& points, Stream stream) {
  try {
    engine_->set_points(points, stream);
  } catch (...) {
    if (engine_->lost_points()) points_ = -1;
    throw;
  }
}

// So many points were not expected, and their sums may be longer than the design bears.
template <class T> void Plan<T>::design_anew(const Points<T>& points, Stream stream) {
  if (callers_workspace_)
    throw Error(Status::wrong_state,
                text(points.count, " points need another grid and workspace; give points_hint to the plan"));
  Options options = design_.options;
  options.points_hint = points.count;
  Design design = make_design(design_.asked, options, backend_.traits);
  auto engine = backend_.make<T>(design);
  engine->set_points(points, stream);
  design_ = std::move(design);
  engine_ = std::move(engine);
}

template <class T> void Plan<T>::execute(void* strengths, void* modes, Stream stream) const {
  using Complex = std::complex<T>;
  run(forward(design_.problem.type), design_.sign,
      {static_cast<Complex*>(strengths), static_cast<Complex*>(modes), points_}, stream);
}

template <class T> void Plan<T>::adjoint(void* strengths, void* modes, Stream stream) const {
  using Complex = std::complex<T>;
  run(backward(design_.problem.type), opposite(design_.sign),
      {static_cast<Complex*>(strengths), static_cast<Complex*>(modes), points_}, stream);
}

template <class T> void Plan<T>::require(const char* what, const void* array, std::int64_t size) const {
  require_array<T>(what, array, size);
  if (size > 0) backend_.check_array(what, array);
}

template <class T> void Plan<T>::run(Direction direction, Sign sign, const Vectors<T>& vectors, Stream stream) const {
  if (points_ < 0) throw Error(Status::wrong_state, "execute: the plan has no points yet, call set_points first");
  const std::int64_t strengths = points_ * design_.options.transforms;
  const std::int64_t modes = design_.mode_count() * design_.options.transforms;
  require("strengths", vectors.strengths, strengths);
  require("modes", vectors.modes, modes);
  if (engine_ && points_ > 0) return offgrid::execute(*engine_, design_, vectors, direction, sign, stream);
  // A sum over nothing is zero.
  if (direction == Direction::to_modes)
    backend_.clear(vectors.modes, static_cast<std::size_t>(modes) * sizeof(std::complex<T>), stream);
  else
    backend_.clear(vectors.strengths, static_cast<std::size_t>(strengths) * sizeof(std::complex<T>), stream);
}

template <class T> void Plan<T>::set_workspace(void* memory, std::size_t bytes) {
  if (memory != nullptr) require("workspace", memory, 1);
  if (engine_) engine_->set_workspace(memory, bytes);
  callers_workspace_ = memory != nullptr;
}

template <class T> std::string Plan<T>::describe() const {
  std::string all = offgrid::describe(design_);
  if (engine_) all += engine_->describe();
  if (points_ >= 0) all += text("points       ", points_, "\n");
  return all;
}

template <class T> double Plan<T>::get(std::string_view name) const {
  const auto of_engine = [&](auto bytes) { return engine_ ? static_cast<double>((*engine_.*bytes)()) : 0.0; };
  const std::pair<std::string_view, double> numbers[] = {
      {"upsampling", design_.window.sigma},
      {"width", design_.window.width},
      {"grid1", static_cast<double>(design_.grid_along(0))},
      {"grid2", static_cast<double>(design_.grid_along(1))},
      {"grid3", static_cast<double>(design_.grid_along(2))},
      {"expected_error", design_.expected_error},
      {"reachable_tolerance", design_.reachable_tolerance},
      {"workspace_bytes", of_engine(&Engine<T>::workspace_bytes)},
      {"memory_bytes", of_engine(&Engine<T>::memory_bytes)},
      {"peak_bytes", of_engine(&Engine<T>::peak_bytes)},
      {"points", static_cast<double>(points_)},
      {"transforms", static_cast<double>(design_.options.transforms)},
  };
  for (const auto& [known, number] : numbers)
    if (known == name) return number;
  std::string all;
  for (const auto& [known, number] : numbers) all += (all.empty() ? "" : ", ") + std::string(known);
  throw Error(Status::invalid_argument, text("a plan has no number named \"", name, "\"; there are: ", all));
}

std::unique_ptr<AnyPlan> make_plan(const Problem& problem, const Options& options, const Backend& backend) {
  if (problem.precision == Precision::f32) return std::make_unique<Plan<float>>(problem, options, backend);
  return std::make_unique<Plan<double>>(problem, options, backend);
}

template class Plan<float>;
template class Plan<double>;

}  // namespace offgrid
