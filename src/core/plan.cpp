#include "core/plan.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/arguments.hpp"
#include "core/design/cells_design.hpp"
#include "core/error.hpp"
#include "core/short_axes.hpp"
#include "core/text.hpp"
#include "core/type3/plan.hpp"

namespace offgrid {
namespace {

template <class T>
std::unique_ptr<AnyPlan> make_plan_of(const Problem& problem, const Options& options, const Backend& backend) {
  if (problem.type == 3) return std::make_unique<Type3Plan<T>>(problem, options, backend);
  const bool has_modes = uniform_side(options) == UniformSide::modes;
  const auto split =
      has_modes && backend.pointwise<T>() ? cheapest_split(problem, options, backend.traits) : std::nullopt;
  if (split) return std::make_unique<ShortAxesPlan<T>>(problem, options, backend, *split);
  return std::make_unique<Plan<T>>(problem, options, backend);
}

}  // namespace

template <class T>
Plan<T>::Plan(const Problem& problem, const Options& options, const Backend& backend)
    : backend_(backend), problem_(problem), options_(options) {
  require_possible(problem, options, backend.traits);
  uniform_count_ = problem.modes[0] * problem.modes[1] * problem.modes[2];
  if (uniform_side(options) == UniformSide::cells) {
    window_ = window_of_cells(problem, options);
    phi_.emplace(*window_);
  }
  if (options.points_hint == 0 || uniform_count_ == 0) return;
  auto design = design_for(problem_, options.points_hint);
  auto engine = backend.make<T>(*design);
  chosen_ = {std::move(design), std::move(engine)};
  designed_for_ = designed_points(options.points_hint);
}

template <class T> std::shared_ptr<const Design> Plan<T>::design_for(const Problem& problem, std::int64_t count) const {
  Options options = options_;
  options.points_hint = designed_points(count);
  return kept_design(problem, options, backend_.traits);
}

// The adjoint has the grid and the order of a plan of the other type. Costs do not decide: their model may be off by 30 %, so
// that two grids of about the same cost need not take the same time.
// An engine of the other direction is one more grid and one more copy of the points: where there is no memory for them, and
// where sums need more than the points that are there already, the plan's own engine does both.
template <class T> void Plan<T>::settle_reverse(Stream stream) const {
  const auto handover = chosen_->engine->handover(stream);
  if (handover == Engine<T>::Handover::not_now) return;
  Problem reverse = problem_;
  reverse.type = 3 - problem_.type;
  auto design = handover == Engine<T>::Handover::possible ? design_for(reverse, points_) : chosen_->design;
  const bool does_both =
      have_same_grid(*chosen_->design, *design) && chosen_->engine->is_sorted_for(opposite(direction_of(problem_)));
  bool is_filled = false;
  const auto fill = [&] { is_filled = fill_reverse(design, stream); };
  if (does_both || !has_memory_for(fill) || !is_filled) reverse_.chosen.reset();
  reverse_.settled.store(true, std::memory_order_release);
}

// False where the points cannot be handed over.
template <class T> bool Plan<T>::fill_reverse(const std::shared_ptr<const Design>& design, Stream stream) const {
  if (!reverse_.chosen || reverse_.chosen->design != design) {
    reverse_.chosen.reset();
    auto engine = backend_.make<T>(*design);
    reverse_.chosen = Chosen{design, std::move(engine)};
  }
  return reverse_.chosen->engine->take_points(*chosen_->engine, stream);
}

template <class T> const typename Plan<T>::Chosen& Plan<T>::chosen_for_adjoint(Stream stream) const {
  if (callers_workspace_ || options_.deterministic || window_) return *chosen_;
  if (!reverse_.settled.load(std::memory_order_acquire)) {
    if (reverse_.adjoints.fetch_add(1) == 0) return *chosen_;
    const std::lock_guard lock(reverse_.mutex);
    if (!reverse_.settled.load(std::memory_order_relaxed)) settle_reverse(stream);
    if (!reverse_.settled.load(std::memory_order_relaxed)) return *chosen_;
  }
  return reverse_.chosen ? *reverse_.chosen : *chosen_;
}

// Where the caller owns the workspace the grid stays as it is, as long as the sums of `count` points keep the
// tolerance.
template <class T> bool Plan<T>::keeps_design(std::int64_t count) const {
  if (!chosen_) return false;
  if (designed_points(count) == designed_for_) return true;
  return callers_workspace_ && count <= chosen_->design->most_points;
}

template <class T>
Points<T> Plan<T>::along(const Design& design, std::int64_t count, const std::array<const void*, max_dim>& axes) const {
  Points<T> points{count, {}};
  for (int axis = 0; axis < problem_.dim; ++axis) points.axis[axis] = static_cast<const T*>(axes[design.axes[axis]]);
  return points;
}

// A caller's workspace is for the present engine. An engine that suits and only would not work as a new one does stays where
// there is no memory for that.
template <class T>
void Plan<T>::set_points(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) {
  require_points<T>(backend_, problem_.dim, options_.transforms, count, axes);
  reverse_.settled = false;
  reverse_.adjoints = 0;
  if (count > 0 && uniform_count_ > 0) {
    const auto fresh = keeps_design(count) ? nullptr : design_for(problem_, count);
    const bool may_stay = !fresh || (chosen_ && suits(*chosen_->design, *fresh, backend_.traits));
    const bool serves = may_stay && (!fresh || chosen_->engine->serves(designed_points(count)));
    if (!may_stay && callers_workspace_)
      throw Error(Status::wrong_state,
                  text(count, " points need another grid and workspace; give points_hint to the plan"));
    const auto begin = [&] { begin_anew(fresh, along(*fresh, count, axes), stream); };
    if (!may_stay)
      begin();
    else if (serves || callers_workspace_ || !has_memory_for(begin))
      hand_over(along(*chosen_->design, count, axes), stream);
    designed_for_ = designed_points(count);
  }
  points_ = count;
}

// With an engine of this design.
template <class T>
void Plan<T>::begin_anew(const std::shared_ptr<const Design>& design, const Points<T>& points, Stream stream) {
  auto engine = backend_.make<T>(*design);
  engine->set_points(points, stream);
  chosen_ = {design, std::move(engine)};
}

template <class T> void Plan<T>::hand_over(const Points<T>& points, Stream stream) {
  try {
    chosen_->engine->set_points(points, stream);
  } catch (...) {
    if (chosen_->engine->lost_points()) points_ = -1;
    throw;
  }
}

template <class T> void Plan<T>::execute(void* strengths, void* uniform, Stream stream) const {
  using Complex = std::complex<T>;
  run(chosen_ ? &*chosen_ : nullptr, direction_of(problem_), sign_of(problem_, options_),
      {static_cast<Complex*>(strengths), static_cast<Complex*>(uniform), points_}, stream);
}

template <class T> void Plan<T>::adjoint(void* strengths, void* uniform, Stream stream) const {
  using Complex = std::complex<T>;
  const bool has_work = chosen_ && points_ > 0 && uniform_count_ > 0;
  run(has_work ? &chosen_for_adjoint(stream) : nullptr, opposite(direction_of(problem_)),
      opposite(sign_of(problem_, options_)),
      {static_cast<Complex*>(strengths), static_cast<Complex*>(uniform), points_}, stream);
}

template <class T>
void Plan<T>::run(const Chosen* chosen, Direction direction, Sign sign, const Vectors<T>& vectors,
                  Stream stream) const {
  require_set(points_);
  const std::int64_t strengths = points_ * options_.transforms;
  const std::int64_t uniform = uniform_count_ * options_.transforms;
  require_vectors(backend_, vectors, strengths, uniform, uniform_name());
  if (strengths > 0 && uniform > 0)
    return offgrid::execute(*chosen->engine, *chosen->design, vectors, direction, sign, stream);
  // A sum over nothing is zero.
  if (direction == Direction::to_modes)
    backend_.clear(vectors.uniform, static_cast<std::size_t>(uniform) * sizeof(std::complex<T>), stream);
  else
    backend_.clear(vectors.strengths, static_cast<std::size_t>(strengths) * sizeof(std::complex<T>), stream);
}

template <class T> const typename Plan<T>::Chosen& Plan<T>::chosen(std::string_view asker) const {
  if (!chosen_)
    throw Error(Status::wrong_state, text(asker,
                                          ": the grid is chosen when points are set; call set_points first, or "
                                          "give the option points_hint to the plan"));
  return *chosen_;
}

// Of cells it is known without points, but for the memory that it takes.
template <class T> std::shared_ptr<const Design> Plan<T>::design(std::string_view asker) const {
  if (!chosen_ && window_) return kept_design(problem_, options_, backend_.traits);
  return chosen(asker).design;
}

template <class T> const char* Plan<T>::uniform_name() const { return window_ ? "cells" : "modes"; }

template <class T> double Plan<T>::reachable() const {
  return chosen_ ? chosen_->design->reachable_tolerance : reachable_tolerance(problem_, options_, backend_.traits);
}

template <class T> void Plan<T>::set_workspace(void* memory, std::size_t bytes) {
  if (memory != nullptr) require_reach<T>(backend_, "workspace", memory, 1);
  if (memory != nullptr || chosen_) chosen("workspace").engine->set_workspace(memory, bytes);
  callers_workspace_ = memory != nullptr;
}

template <class T> std::string Plan<T>::describe() const {
  if (!chosen_ && window_) return offgrid::describe(*design("describe"));
  if (!chosen_) return describe_undesigned(problem_, options_, reachable());
  std::string all = offgrid::describe(*chosen_->design) + chosen_->engine->describe();
  if (points_ >= 0) all += text("points       ", points_, "\n");
  return all;
}

template <class T> std::size_t Plan<T>::bytes(std::size_t (Engine<T>::*of_engine)() const) const {
  const std::lock_guard lock(reverse_.mutex);
  std::size_t sum = 0;
  for (const std::optional<Chosen>* chosen : {&chosen_, static_cast<const std::optional<Chosen>*>(&reverse_.chosen)})
    if (*chosen) sum += ((*chosen)->engine.get()->*of_engine)();
  return sum;
}

template <class T> double Plan<T>::get(std::string_view name) const {
  using Read = double (*)(const Plan& plan);
  static constexpr auto number = [](auto value) { return static_cast<double>(value); };
  static constexpr std::pair<std::string_view, Read> numbers[] = {
      {"upsampling", [](const Plan& plan) { return plan.design("upsampling")->window.sigma; }},
      {"width", [](const Plan& plan) { return number(plan.design("width")->window.width); }},
      {"grid1", [](const Plan& plan) { return number(plan.design("grid1")->grid_along(0)); }},
      {"grid2", [](const Plan& plan) { return number(plan.design("grid2")->grid_along(1)); }},
      {"grid3", [](const Plan& plan) { return number(plan.design("grid3")->grid_along(2)); }},
      {"expected_error", [](const Plan& plan) { return plan.design("expected_error")->expected_error; }},
      {"reachable_tolerance", [](const Plan& plan) { return plan.reachable(); }},
      {"workspace_bytes",
       [](const Plan& plan) { return number(plan.chosen("workspace_bytes").engine->workspace_bytes()); }},
      {"memory_bytes", [](const Plan& plan) { return number(plan.bytes(&Engine<T>::memory_bytes)); }},
      {"peak_bytes", [](const Plan& plan) { return number(plan.bytes(&Engine<T>::peak_bytes)); }},
      {"points", [](const Plan& plan) { return number(plan.points_); }},
      {"transforms", [](const Plan& plan) { return number(plan.options_.transforms); }},
  };
  return find_number<Plan>(*this, numbers, name);
}

namespace {
[[noreturn]] void refuse_type3_call(const char* call) {
  throw Error(Status::wrong_state, text(call, ": only a plan of type 3 has targets"));
}
}  // namespace

void AnyPlan::set_targets(std::int64_t, const std::array<const void*, max_dim>&, Stream) {
  refuse_type3_call("set_targets");
}
void AnyPlan::set_points_and_targets(const RawPoints&, const RawPoints&, Stream) {
  refuse_type3_call("set_points_and_targets");
}
void AnyPlan::set_boxes(const Box&, const Box&) { refuse_type3_call("set_boxes"); }
void AnyPlan::add_sources(const void*, Stream) { refuse_type3_call("add_sources"); }
void AnyPlan::finish(void*, Stream) { refuse_type3_call("finish"); }

double AnyPlan::kernel(double) const {
  throw Error(Status::wrong_state, "kernel: only a plan with the option spread_only has one that can be asked for");
}
double AnyPlan::kernel_transform(int, double) const { return kernel(0); }

template <class T> double Plan<T>::kernel(double distance) const {
  if (!phi_) return AnyPlan::kernel(distance);
  if (std::isnan(distance)) throw Error(Status::invalid_argument, "kernel: the distance is not a number");
  return (*phi_)(2 * distance / window_->width);
}

template <class T> double Plan<T>::kernel_transform(int axis, double k) const {
  constexpr double most_periods = 8;  // the quadrature grows with k
  if (!phi_) return AnyPlan::kernel_transform(axis, k);
  if (axis < 0 || axis >= problem_.dim)
    throw Error(Status::invalid_argument,
                text("kernel_transform: axis is ", axis, ", expected 0 to ", problem_.dim - 1));
  const auto cells = static_cast<double>(problem_.modes[axis]);
  if (!(std::abs(k) <= most_periods * cells))
    throw Error(Status::invalid_argument, text("kernel_transform: k is ", k, ", expected at most ", most_periods,
                                               " times the ", cells, " cells of the axis in size"));
  const double half_width = 0.5 * window_->width;
  return half_width * phi_->transform(2 * std::numbers::pi * half_width * k / cells);
}

std::unique_ptr<AnyPlan> make_plan(const Problem& problem, const Options& options, const Backend& backend) {
  if (problem.precision == Precision::f32) return make_plan_of<float>(problem, options, backend);
  return make_plan_of<double>(problem, options, backend);
}

template class Plan<float>;
template class Plan<double>;

}  // namespace offgrid
