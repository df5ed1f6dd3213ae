// A plan with device = auto: it runs where the points lie. It begins on the CPU, and set_points with arrays on a GPU moves
// it there, and back again.
#pragma once

#include <memory>

#include "core/plan.hpp"
#include "registry.hpp"

namespace offgrid {

class AutoPlan final : public AnyPlan {
 public:
  AutoPlan(const Problem& problem, const Options& options)
      : problem_(problem), options_(options), plan_(make_plan(problem, options, backend_for(DeviceKind::automatic))) {}

  void set_points(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) override {
    const DeviceKind wanted = count > 0 ? device_of(axes[0]) : device_;
    if (wanted == device_) return plan_->set_points(count, axes, stream);
    auto moved = make_plan(problem_, options_, backend_for(wanted));
    moved->set_points(count, axes, stream);
    plan_ = std::move(moved);
    device_ = wanted;
  }
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
  Problem problem_;
  Options options_;
  DeviceKind device_ = DeviceKind::cpu;
  std::unique_ptr<AnyPlan> plan_;
};

// The plan that the options ask for.
inline std::unique_ptr<AnyPlan> make_plan(const Problem& problem, const Options& options) {
  if (options.device == DeviceKind::automatic) return std::make_unique<AutoPlan>(problem, options);
  return make_plan(problem, options, backend_for(options.device));
}

}  // namespace offgrid
