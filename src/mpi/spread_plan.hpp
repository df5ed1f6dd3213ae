// The plan of liboffgrid that spreads to a rank's planes, halos included, and interpolates from them.
#pragma once

#include "mpi/handles.hpp"
#include "mpi/local.hpp"

namespace offgrid::mpi::inside {

inline PlanHandle make_spread_plan(const SlabDesign& design, const SlabShape& shape, offgrid_precision precision,
                                   const char* device) {
  const OptionsHandle options = new_options();
  check(offgrid_options_set(options.get(), "spread_only", 1));
  check(offgrid_options_set(options.get(), "upsampling", design.sigma));
  check(offgrid_options_set(options.get(), "width", design.width));
  check(offgrid_options_set(options.get(), "window", design.window));
  check(offgrid_options_set(options.get(), "threads", design.threads));
  check(offgrid_options_set(options.get(), "deterministic", design.deterministic ? 1 : 0));
  check(offgrid_options_set_text(options.get(), "device", device));
  std::array<std::int64_t, 3> cells = design.grid;
  cells[static_cast<std::size_t>(design.dim) - 1] = shape.own() + 2 * shape.halo();
  offgrid_plan raw = nullptr;
  check(offgrid_plan_create(&raw, 1, design.dim, cells.data(), 1e-6, precision, options.get()));
  return PlanHandle(raw);
}

// What it holds: its own copy of the planes, from its first execute on, and its points in their order. A rank without planes
// has none.
inline std::int64_t memory_of(const PlanHandle& plan) {
  double bytes = 0;
  if (plan) check(offgrid_plan_get(plan.get(), "memory_bytes", &bytes));
  return static_cast<std::int64_t>(bytes);
}

}  // namespace offgrid::mpi::inside
