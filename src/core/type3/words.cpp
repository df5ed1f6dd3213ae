// What a plan of type 3 says of itself: its description and its numbers.
#include <string>
#include <utility>

#include "core/text.hpp"
#include "core/type3/plan.hpp"

namespace offgrid {

template <class T> std::string Type3Plan<T>::describe() const {
  if (!stages_)
    return text(
        "problem      type 3, ", problem_.dim, "D, ", options_.transforms, " transforms, ",
        problem_.precision == Precision::f32 ? "f32" : "f64", "\n",  //
        "tolerance    ", problem_.tolerance, "\n",
        "kernel       chosen when sources and targets are set, with the grids, or from the boxes around them\n");
  std::string all = offgrid::describe(stages_->design);
  if (stages_->targets.engine) all += stages_->targets.engine->describe();
  if (source_count_ >= 0) all += text("points       ", source_count_, "\n");
  if (target_count_ >= 0) all += text("targets      ", target_count_, "\n");
  return all;
}

// Before anything is allocated, memory_bytes is what the grids will take.
template <class T> double Type3Plan<T>::get(std::string_view name) const {
  using Read = double (*)(const Type3Plan& plan);
  using Bytes = std::size_t (Engine<T>::*)() const;
  static constexpr auto number = [](auto value) { return static_cast<double>(value); };
  static constexpr auto design = [](const Type3Plan& plan) -> const Type3Design& { return plan.stages("get").design; };
  static constexpr auto bytes = [](const Type3Plan& plan, Bytes of_engine) {
    std::size_t sum = 0;
    if (plan.stages_)
      for (const Side* side : {&plan.stages_->sources, &plan.stages_->targets})
        if (side->engine) sum += (side->engine.get()->*of_engine)();
    return sum;
  };
  static constexpr std::pair<std::string_view, Read> numbers[] = {
      {"upsampling", [](const Type3Plan& plan) { return design(plan).spread.window.sigma; }},
      {"width", [](const Type3Plan& plan) { return number(design(plan).spread.window.width); }},
      {"grid1", [](const Type3Plan& plan) { return number(design(plan).inner.grid_along(0)); }},
      {"grid2", [](const Type3Plan& plan) { return number(design(plan).inner.grid_along(1)); }},
      {"grid3", [](const Type3Plan& plan) { return number(design(plan).inner.grid_along(2)); }},
      {"expected_error", [](const Type3Plan& plan) { return design(plan).expected_error; }},
      {"reachable_tolerance", [](const Type3Plan& plan) { return design(plan).reachable_tolerance; }},
      {"workspace_bytes", [](const Type3Plan& plan) { return number(design(plan).execute_bytes()); }},
      {"memory_bytes",
       [](const Type3Plan& plan) {
         const std::size_t held = bytes(plan, &Engine<T>::memory_bytes);
         const bool is_direct = plan.stages_ && plan.stages_->design.direct;
         if (held == 0 && !is_direct) return plan.stages_ ? number(plan.stages_->design.execute_bytes()) : 0;
         return number(held + plan.pointwise_->memory_bytes());
       }},
      {"peak_bytes",
       [](const Type3Plan& plan) {
         return number(bytes(plan, &Engine<T>::peak_bytes) + plan.pointwise_->peak_bytes());
       }},
      {"points", [](const Type3Plan& plan) { return number(plan.source_count_); }},
      {"targets", [](const Type3Plan& plan) { return number(plan.target_count_); }},
      {"transforms", [](const Type3Plan& plan) { return number(plan.options_.transforms); }},
  };
  return find_number<Type3Plan>(*this, numbers, name);
}

template std::string Type3Plan<float>::describe() const;
template std::string Type3Plan<double>::describe() const;
template double Type3Plan<float>::get(std::string_view) const;
template double Type3Plan<double>::get(std::string_view) const;

}  // namespace offgrid
