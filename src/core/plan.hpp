// The plan: the only state machine.
//   created     arguments are checked, nothing is chosen yet (unless points_hint says for how many points to choose)
//   set_points  design and engine are made for the number of points, or kept where they suit it; then the points are sorted
//   execute     any number of times, in both directions
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/engine.hpp"
#include "core/execute.hpp"
#include "core/pointwise.hpp"
#include "core/text.hpp"

namespace offgrid {

// Points as the C interface hands them over.
struct RawPoints {
  std::int64_t count = 0;
  std::array<const void*, max_dim> axes{};
};

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
  // Of a plan of type 3, whose execute reads strengths and writes values at targets (type3/plan.hpp).
  virtual void set_targets(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream);
  virtual void set_points_and_targets(const RawPoints& sources, const RawPoints& targets, Stream stream);
  virtual void set_boxes(const Box& sources, const Box& targets);
  // Adds sources chunk by chunk, then finish writes the values of all of them.
  virtual void add_sources(const void* strengths, Stream stream);
  virtual void finish(void* values, Stream stream);
  [[nodiscard]] virtual bool has_sum() const { return false; }  // begun by add_sources
  // Of a plan with spread_only: the kernel at a distance in cells, and its Fourier transform at mode k of the grid of an axis.
  [[nodiscard]] virtual double kernel(double distance) const;
  [[nodiscard]] virtual double kernel_transform(int axis, double k) const;
};

// One of the numbers about a plan, or about what `owner` says, by name.
template <class P, std::size_t Count>
double find_number(const P& plan, const std::pair<std::string_view, double (*)(const P&)> (&numbers)[Count],
                   std::string_view name, std::string_view owner = "a plan") {
  std::string all;
  for (const auto& [known, read] : numbers) {
    if (known == name) return read(plan);
    all += (all.empty() ? "" : ", ") + std::string(known);
  }
  throw Error(Status::invalid_argument, text(owner, " has no number named \"", name, "\"; there are: ", all));
}

template <class T> class Plan final : public AnyPlan {
 public:
  Plan(const Problem& problem, const Options& options, const Backend& backend);

  void set_points(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) override;
  void execute(void* strengths, void* modes, Stream stream) const override;
  void adjoint(void* strengths, void* modes, Stream stream) const override;
  void set_workspace(void* memory, std::size_t bytes) override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] double get(std::string_view name) const override;
  [[nodiscard]] std::int64_t points() const { return points_; }  // -1: not set yet
  [[nodiscard]] double kernel(double distance) const override;
  [[nodiscard]] double kernel_transform(int axis, double k) const override;

 private:
  // What is chosen for a number of points: the design and the engine that was made from it.
  struct Chosen {
    std::shared_ptr<const Design> design;
    std::unique_ptr<Engine<T>> engine;
  };

  // Of the adjoint, where another grid or order of the points than the plan's own makes it faster. The second adjoint after
  // set_points makes it, from the points that the plan's own engine has, and later ones find it; a single one is not worth it.
  struct Reverse {
    std::mutex mutex;
    std::atomic<bool> settled{false};  // for the present points
    std::atomic<int> adjoints{0};      // of the present points, until it is settled
    std::optional<Chosen> chosen;      // once settled: there is one, and it has the points
  };

  [[nodiscard]] std::shared_ptr<const Design> design_for(const Problem& problem, std::int64_t count) const;
  [[nodiscard]] const Chosen& chosen_for_adjoint(Stream stream) const;
  void settle_reverse(Stream stream) const;
  bool fill_reverse(const std::shared_ptr<const Design>& design, Stream stream) const;
  [[nodiscard]] bool keeps_design(std::int64_t count) const;
  [[nodiscard]] Points<T> along(const Design& design, std::int64_t count,
                                const std::array<const void*, max_dim>& axes) const;
  void begin_anew(const std::shared_ptr<const Design>& design, const Points<T>& points, Stream stream);
  [[nodiscard]] const Chosen& chosen(std::string_view asker) const;
  [[nodiscard]] std::shared_ptr<const Design> design(std::string_view asker) const;
  [[nodiscard]] const char* uniform_name() const;
  [[nodiscard]] double reachable() const;
  void hand_over(const Points<T>& points, Stream stream);
  void run(const Chosen* chosen, Direction direction, Sign sign, const Vectors<T>& vectors, Stream stream) const;
  [[nodiscard]] std::size_t bytes(std::size_t (Engine<T>::*of_engine)() const) const;

  Backend backend_;
  Problem problem_;
  Options options_;
  std::int64_t uniform_count_ = 0;  // modes or cells of one vector
  std::optional<Window> window_;    // of a plan with spread_only, whose kernel no number of points changes
  std::optional<WindowFunction<double>> phi_;
  std::optional<Chosen> chosen_;
  mutable Reverse reverse_;
  std::int64_t designed_for_ = 0;  // the number of points, rounded, that chosen_ is known to suit
  std::int64_t points_ = -1;       // -1: not set yet
  bool callers_workspace_ = false;
};

// A plan for the whole problem, one of type 3 (type3/plan.hpp), or one that sums its short axes exactly (short_axes.hpp) where
// that costs less.
std::unique_ptr<AnyPlan> make_plan(const Problem& problem, const Options& options, const Backend& backend);

}  // namespace offgrid
