// A plan with device = auto: it runs where the points lie. It begins on the CPU, and set_points with arrays on a GPU moves
// it there, and back again. What the host has no
// memory for but a GPU has begins as a plan of the host with the limit of the GPU, until its points are set.
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
  AutoPlan(const Problem& problem, const Options& options) : problem_(problem), options_(options) {
    or_with_gpu_memory({}, [&] { plan_ = plan_on(DeviceKind::cpu, {}); });
  }

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
    const Boxes boxes = {{sources, targets}};
    or_with_gpu_memory(boxes, [&] { plan_->set_boxes(sources, targets); });
    boxes_ = boxes;
  }
  void add_sources(const void* strengths, Stream stream) override { plan_->add_sources(strengths, stream); }
  void finish(void* values, Stream stream) override { plan_->finish(values, stream); }
  void execute(void* strengths, void* modes, Stream stream) const override { plan_->execute(strengths, modes, stream); }
  void adjoint(void* strengths, void* modes, Stream stream) const override { plan_->adjoint(strengths, modes, stream); }
  void set_workspace(void* memory, std::size_t bytes) override { plan_->set_workspace(memory, bytes); }
  [[nodiscard]] std::string describe() const override {
    const std::string unused = device_ == DeviceKind::cuda ? "" : gpu_without_code();
    return plan_->describe() + (unused.empty() ? "" : "GPU          not used: " + unused + "\n");
  }
  [[nodiscard]] double get(std::string_view name) const override { return plan_->get(name); }
  [[nodiscard]] double kernel(double distance) const override { return plan_->kernel(distance); }
  [[nodiscard]] double kernel_transform(int axis, double k) const override { return plan_->kernel_transform(axis, k); }

 private:
  using Boxes = std::optional<std::pair<Box, Box>>;  // of a type 3

  [[nodiscard]] std::unique_ptr<AnyPlan> plan_on(DeviceKind device, const Boxes& boxes) const {
    auto plan = make_plan(problem_, options_, backend_for(device));
    if (boxes) plan->set_boxes(boxes->first, boxes->second);
    return plan;
  }

  // body(), or where the host has no memory for that, a plan with the limit of a GPU. Asking a GPU starts the driver, which
  // plans that fit the host do not.
  template <class F> void or_with_gpu_memory(const Boxes& boxes, F&& body) {
    try {
      body();
    } catch (const Error& error) {
      if (device_ == DeviceKind::cuda || error.status() != Status::out_of_memory) throw;
      plan_ = plan_on(DeviceKind::automatic, boxes);  // refused once more where no GPU has more memory
      device_ = DeviceKind::automatic;
    }
  }

  // body(plan), on the device where the points are. A plan that moves takes its boxes along.
  template <class F> void run_where(std::int64_t count, const std::array<const void*, max_dim>& axes, F&& body) {
    const DeviceKind wanted = count > 0 ? device_of(axes[0]) : device_;
    if (wanted == device_) return body(*plan_);
    if (plan_->has_sum())
      throw Error(Status::wrong_state,
                  "points: these lie on another device than the sum that add_points has begun; finish it first");
    auto moved = plan_on(wanted, boxes_);
    body(*moved);
    plan_ = std::move(moved);
    device_ = wanted;
  }

  Problem problem_;
  Options options_;
  DeviceKind device_ = DeviceKind::cpu;  // automatic: not known yet
  Boxes boxes_;
  std::unique_ptr<AnyPlan> plan_;
};

// The plan that the options ask for.
inline std::unique_ptr<AnyPlan> make_plan(const Problem& problem, const Options& options) {
  if (options.device == DeviceKind::automatic) return std::make_unique<AutoPlan>(problem, options);
  return make_plan(problem, options, backend_for(options.device));
}

}  // namespace offgrid
