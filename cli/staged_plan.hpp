// A plan for arrays of the host, wherever it runs: on a GPU they are copied there and back.
#pragma once

#include <string>

#include "axes.hpp"
#include "gpu.hpp"
#include "offgrid/offgrid.hpp"
#include "plan_flags.hpp"

namespace cli {

// --device as it was given; otherwise a GPU where there is one.
inline Place place_of(const PlanFlags& flags) {
  const std::string device = flags.value("device");
  if (device == "cuda") return Place::gpu;
  return device == "cpu" || !gpu::available() ? Place::host : Place::gpu;
}

inline offgrid::Problem placed(offgrid::Problem problem, Place place) {
  problem.options.emplace_back("device", place == Place::gpu ? "cuda" : "cpu");
  return problem;
}

// Coordinates where the library reads them.
template <class T> struct PlacedAxes {
  PlacedAxes(Place place, const AxisSpans<T>& host) : axes(host) {
    if (place == Place::host) return;
    for (const auto& axis : host) arrays.emplace_back(place, axis);
    for (std::size_t a = 0; a < arrays.size(); ++a) axes[a] = arrays[a].span();
  }
  std::vector<PlacedArray<T>> arrays;
  AxisSpans<T> axes;
};

template <class T> class StagedPlan {
 public:
  using Complex = std::complex<T>;

  StagedPlan(const offgrid::Problem& problem, Place place) : place_(place), plan_(placed(problem, place)) {}

  void set_points(const AxisSpans<T>& axes) {
    const PlacedAxes<T> there(place_, axes);
    cli::set_points(plan_, there.axes);
    if (place_ == Place::gpu) gpu::synchronise();
  }
  // Type 3.
  void set_points(const AxisSpans<T>& axes, const AxisSpans<T>& targets) {
    const PlacedAxes<T> points(place_, axes), at(place_, targets);
    plan_.set_points(typename offgrid::Plan<T>::Axes(points.axes), typename offgrid::Plan<T>::Axes(at.axes));
    if (place_ == Place::gpu) gpu::synchronise();
  }
  void execute(std::span<const Complex> in, std::span<Complex> out) const { run(&offgrid::Plan<T>::execute, in, out); }
  void adjoint(std::span<const Complex> in, std::span<Complex> out) const { run(&offgrid::Plan<T>::adjoint, in, out); }

  [[nodiscard]] std::string describe() const { return plan_.describe(); }
  [[nodiscard]] double get(const char* name) const { return plan_.get(name); }

 private:
  using Call = void (offgrid::Plan<T>::*)(std::span<const Complex>, std::span<Complex>, void*) const;

  void run(Call call, std::span<const Complex> in, std::span<Complex> out) const {
    if (place_ == Place::host) return (plan_.*call)(in, out, nullptr);
    PlacedArray<Complex> from(place_, in), to(place_, out.size());
    (plan_.*call)(from.span(), to.span(), nullptr);
    to.copy_to(out);
  }

  Place place_;
  offgrid::Plan<T> plan_;
};

}  // namespace cli
