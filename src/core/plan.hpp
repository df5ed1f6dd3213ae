// The plan: the only state machine. Created with a design and an engine; set_points makes it executable.
#pragma once

#include <memory>
#include <string>

#include "core/engine.hpp"
#include "core/execute.hpp"

namespace offgrid {

// A plan whose precision is known at run time only, as the C interface has it.
class AnyPlan {
 public:
  virtual ~AnyPlan() = default;
  virtual void set_points(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) = 0;
  virtual void execute(void* strengths, void* modes, Stream stream) const = 0;
  virtual void adjoint(void* strengths, void* modes, Stream stream) const = 0;
  virtual void set_workspace(void* memory, std::size_t bytes) = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
  [[nodiscard]] virtual double get(std::string_view name) const = 0;
};

template <class T> class Plan final : public AnyPlan {
 public:
  Plan(const Problem& problem, const Options& options, const Backend& backend);

  void set_points(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) override;
  void execute(void* strengths, void* modes, Stream stream) const override;
  void adjoint(void* strengths, void* modes, Stream stream) const override;
  void set_workspace(void* memory, std::size_t bytes) override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] double get(std::string_view name) const override;

 private:
  void require(const char* what, const void* array, std::int64_t size) const;
  void hand_over(const Points<T>& points, Stream stream);
  void design_anew(const Points<T>& points, Stream stream);
  void run(Direction direction, Sign sign, const Vectors<T>& vectors, Stream stream) const;

  Backend backend_;
  Design design_;
  std::unique_ptr<Engine<T>> engine_;  // null when some axis has no modes: then there is nothing to compute
  std::int64_t points_ = -1;           // -1: not set yet
  bool callers_workspace_ = false;
};

std::unique_ptr<AnyPlan> make_plan(const Problem& problem, const Options& options, const Backend& backend);

}  // namespace offgrid
