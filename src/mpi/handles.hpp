// Handles of liboffgrid's C interface that free themselves.
#pragma once

#include <memory>
#include <type_traits>

#include "mpi/error.hpp"

namespace offgrid::mpi::inside {

struct Free {
  void operator()(offgrid_options options) const { offgrid_options_destroy(options); }
  void operator()(offgrid_plan plan) const { offgrid_plan_destroy(plan); }
};
using OptionsHandle = std::unique_ptr<std::remove_pointer_t<offgrid_options>, Free>;
using PlanHandle = std::unique_ptr<std::remove_pointer_t<offgrid_plan>, Free>;

inline OptionsHandle new_options() {
  offgrid_options raw = nullptr;
  check(offgrid_options_create(&raw));
  return OptionsHandle(raw);
}

// The value of an option; `options` may be null, then it is the default.
inline double option(offgrid_options options, const char* name) {
  OptionsHandle defaults;
  if (options == nullptr) defaults = new_options();
  double value = 0;
  check(offgrid_options_get(options == nullptr ? defaults.get() : options, name, &value));
  return value;
}

// These options of `from` in a new handle.
template <class Names> OptionsHandle copy_options(offgrid_options from, const Names& names) {
  OptionsHandle to = new_options();
  for (const char* name : names) check(offgrid_options_set(to.get(), name, option(from, name)));
  return to;
}

}  // namespace offgrid::mpi::inside
