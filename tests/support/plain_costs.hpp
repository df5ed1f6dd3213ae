// The same backend with the costs of a CPU: what a plan chooses then does not depend on the device.
#pragma once

#include <string>

#include "backends.hpp"
#include "core/plan.hpp"

namespace support {

inline BackendUnderTest with_plain_costs(BackendUnderTest where) {
  offgrid::BackendTraits& traits = where.backend.traits;
  traits.time = nullptr;
  traits.kept_as.clear();
  traits.vector_bytes = 32;
  traits.row_bytes = 32;
  traits.point = 8;
  traits.kernel_axis = 0.25;
  traits.row_vector = 0.4;
  traits.fft = 1;
  traits.cell = 16;
  return where;
}

// Whether a plan sums its short axes exactly (core/short_axes.hpp).
inline bool is_split(const offgrid::AnyPlan& plan) {
  return plan.describe().find("summed exactly") != std::string::npos;
}

}  // namespace support
