// Axes of two or three modes, summed exactly instead of being spread along. The kernel covers more cells than such an axis has
// modes, so that a transform with the axis costs width / n times as much as n transforms without it. With s the short axes:
//   to modes    f(k_s, k) = sum_j (c_j exp(+-i k_s.x_sj)) exp(+-i k.x_j)         modulate -> inner plan -> from_parts
//   to points   c_j       = sum_{k_s} exp(+-i k_s.x_sj) g(k_s, x_j)             to_parts -> inner plan -> demodulate
// Each k_s is one more vector of an inner plan, whose points are those of the other axes.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/plan.hpp"
#include "core/pointwise.hpp"
#include "core/room_pool.hpp"

namespace offgrid {

// The caller's axes, each in one of two lists, in their order.
struct AxisSplit {
  std::array<int, max_short_axes> short_axes{};
  std::array<int, max_dim - 1> rest{};
  int short_count = 0, rest_count = 0;
  std::int64_t short_modes = 1, rest_modes = 1;
};

// The short axes that are worth an exact sum, if any are.
std::optional<AxisSplit> cheapest_split(const Problem& problem, const Options& options, const BackendTraits& traits);

template <class T> class ShortAxesPlan final : public AnyPlan {
 public:
  ShortAxesPlan(const Problem& problem, const Options& options, const Backend& backend, const AxisSplit& split);

  void set_points(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) override;
  void execute(void* strengths, void* modes, Stream stream) const override;
  void adjoint(void* strengths, void* modes, Stream stream) const override;
  void set_workspace(void* memory, std::size_t bytes) override { inner_.set_workspace(memory, bytes); }
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] double get(std::string_view name) const override;

 private:
  using Complex = std::complex<T>;
  using Phases = std::array<std::unique_ptr<Room<T>>, max_short_axes>;
  struct Call {
    Direction direction;
    Sign sign;
    Stream stream;
  };

  [[nodiscard]] Phases phases_of(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream);
  [[nodiscard]] std::int64_t room_size(std::int64_t count) const;
  void run(const Call& call, const Vectors<T>& vectors) const;
  void run_group(const Call& call, const Vectors<T>& group, const Room<T>& room) const;
  [[nodiscard]] Modulation<T> modulation(Sign sign) const;

  Backend backend_;
  Problem problem_;
  Options options_;
  AxisSplit split_;
  std::int64_t group_;  // vectors of the caller's that the inner plan transforms at a time
  ShortModes short_modes_;
  ModeOrders orders_;  // of a group
  bool same_order_;    // both orders are one, and no modes have to be moved
  std::unique_ptr<Pointwise<T>> pointwise_;
  Plan<T> inner_;
  std::int64_t count_ = 0;
  Phases phases_;
  RoomPool<T> rooms_;
};

}  // namespace offgrid
