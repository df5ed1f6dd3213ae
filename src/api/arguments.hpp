// What the C functions are given, checked and turned into what core takes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/error.hpp"
#include "core/solve/gram.hpp"
#include "core/text.hpp"
#include "offgrid/offgrid.h"
#include "registry.hpp"

// A handle that was destroyed, or never was one, has another first word.
inline constexpr std::uint64_t options_magic = 0x6f66666772696f70;

struct offgrid_options_s {
  std::uint64_t magic = options_magic;
  offgrid::Options options;
};

namespace offgrid {

inline Options& checked(offgrid_options options) {
  if (options == nullptr) throw Error(Status::invalid_argument, "options is null");
  if (options->magic != options_magic) throw Error(Status::invalid_argument, "options is not a live options handle");
  return options->options;
}
inline Options options_or_defaults(offgrid_options options) { return options ? checked(options) : Options{}; }

inline std::array<const void*, max_dim> checked_axes(int dim, const void* const* points) {
  if (points == nullptr) throw Error(Status::invalid_argument, text("points is null, expected ", dim, " arrays"));
  std::array<const void*, max_dim> axes{};
  std::copy_n(points, dim, axes.begin());
  return axes;
}

inline Problem make_problem(int type, int dim, const int64_t* modes, double tolerance, offgrid_precision precision) {
  if (dim < 1 || dim > max_dim) throw Error(Status::invalid_argument, text("dim is ", dim, ", expected 1, 2 or 3"));
  const bool has_modes = type != 3;
  if (has_modes && modes == nullptr)
    throw Error(Status::invalid_argument, text("modes is null, expected ", dim, " sizes"));
  if (precision != OFFGRID_F32 && precision != OFFGRID_F64)
    throw Error(Status::invalid_argument, text("precision is ", static_cast<int>(precision), ", expected 0 or 1"));
  Problem problem{type, dim, {1, 1, 1}, precision == OFFGRID_F32 ? Precision::f32 : Precision::f64, tolerance};
  if (has_modes) std::copy_n(modes, dim, problem.modes.begin());
  return problem;
}

inline DeviceKind device_for(const Options& options, const void* array) {
  if (options.device != DeviceKind::automatic) return options.device;
  return array != nullptr ? device_of(array) : DeviceKind::cpu;
}

}  // namespace offgrid
