// A plan with device = auto: it runs where the points lie. It begins on the CPU, and set_points with arrays on a GPU moves
// it there, and back again.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/plan.hpp"
#include "registry.hpp"

namespace offgrid {

class AutoPlan final : public AnyPlan {
 public:
  AutoPlan(const Problem& problem, const Options& options)
      : problem_(problem), options_(options), plan_(make_plan(problem, options, backend_for(DeviceKind::automatic))) {}

  void set_points(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) override {
    run_where(count, axes, [&](AnyPlan& plan) { plan.set_points(count, axes, stream); });
  }
  void set_targets(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) override {
    run_where(count, axes, [&](AnyPlan& plan) { plan.set_targets(count, axes, stream); });
  }
  void set_points_and_targets(const RawPoints& sources, const RawPoints& targets, Stream stream) override {
    const RawPoints& decides = sources.count > 0 ? sources : targets;
    run_where(decides.count, decides.axes,
              [&](AnyPlan& plan) { plan.set_points_and_targets(sources, targets, stream); });
  }
  void set_boxes(const Box& sources, const Box& targets) override {
    plan_->set_boxes(sources, targets);
    boxes_ = {sources, targets};
  }
  void add_sources(const void* strengths, Stream stream) override { plan_->add_sources(strengths, stream); }
  void finish(void* values, Stream stream) override { plan_->finish(values, stream); }
  void execute(void* strengths, void* modes, Stream stream) const override { plan_->execute(strengths, modes, stream); }
  void adjoint(void* strengths, void* modes, Stream stream) const override { plan_->adjoint(strengths, modes, stream); }
  void set_workspace(void* memory, std::size_t bytes) override { plan_->set_workspace(memory, bytes); }
  [[nodiscard]] std::string describe() const override {
    const std::string unused = device_ == DeviceKind::cpu ? gpu_without_code() : "";
    return plan_->describe() + (unused.empty() ? "" : "GPU          not used: " + unused + "\n");
  }
  [[nodiscard]] double get(std::string_view name) const override { return plan_->get(name); }
  [[nodiscard]] double kernel(double distance) const override { return plan_->kernel(distance); }
  [[nodiscard]] double kernel_transform(int axis, double k) const override { return plan_->kernel_transform(axis, k); }

 private:
  // body(plan), on the device where the points are. A plan that moves takes its boxes along.
  template <class F> void run_where(std::int64_t count, const std::array<const void*, max_dim>& axes, F&& body) {
    const DeviceKind wanted = count > 0 ? device_of(axes[0]) : device_;
    if (wanted == device_) return body(*plan_);
    if (plan_->has_sum())
      throw Error(Status::wrong_state,
                  "points: these lie on another device than the sum that add_points has begun; finish it first");
    auto moved = make_plan(problem_, options_, backend_for(wanted));
    if (boxes_) moved->set_boxes(boxes_->first, boxes_->second);
    body(*moved);
    plan_ = std::move(moved);
    device_ = wanted;
  }

  Problem problem_;
  Options options_;
  DeviceKind device_ = DeviceKind::cpu;
  std::optional<std::pair<Box, Box>> boxes_;  // of a type 3
  std::unique_ptr<AnyPlan> plan_;
};

// The plan that the options ask for.
inline std::unique_ptr<AnyPlan> make_plan(const Problem& problem, const Options& options) {
  if (options.device == DeviceKind::automatic) return std::make_unique<AutoPlan>(problem, options);
  return make_plan(problem, options, backend_for(options.device));
}

}  // namespace offgrid
