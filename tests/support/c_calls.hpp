// Helpers for tests of the C interface: handles that free themselves, and checks of a refusal and its message.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "offgrid/offgrid.h"
#include "oracle.hpp"

namespace support {

struct DestroyHandle {
  void operator()(offgrid_options options) const { offgrid_options_destroy(options); }
  void operator()(offgrid_plan plan) const { offgrid_plan_destroy(plan); }
};
using OwnedOptions = std::unique_ptr<std::remove_pointer_t<offgrid_options>, DestroyHandle>;
using OwnedPlan = std::unique_ptr<std::remove_pointer_t<offgrid_plan>, DestroyHandle>;

template <class T> inline constexpr offgrid_precision c_precision = sizeof(T) == 4 ? OFFGRID_F32 : OFFGRID_F64;

inline OwnedOptions make_options(std::initializer_list<std::pair<const char*, double>> values = {}) {
  offgrid_options raw = nullptr;
  EXPECT_EQ(offgrid_options_create(&raw), OFFGRID_OK);
  for (const auto& [name, value] : values)
    EXPECT_EQ(offgrid_options_set(raw, name, value), OFFGRID_OK) << offgrid_last_error();
  return OwnedOptions(raw);
}

// The arguments of offgrid_plan_create, good ones unless changed.
struct Arguments {
  int type = 1, dim = 2;
  Sizes modes{6, 5};
  double tolerance = 1e-5;
  offgrid_precision precision = OFFGRID_F64;
};

inline offgrid_status create(offgrid_plan* plan, const Arguments& arguments, offgrid_options options = nullptr) {
  const std::int64_t* modes = arguments.modes.empty() ? nullptr : arguments.modes.data();
  return offgrid_plan_create(plan, arguments.type, arguments.dim, modes, arguments.tolerance, arguments.precision,
                             options);
}

inline OwnedPlan make_plan(const Arguments& arguments, offgrid_options options = nullptr) {
  offgrid_plan raw = nullptr;
  EXPECT_EQ(create(&raw, arguments, options), OFFGRID_OK) << offgrid_last_error();
  return OwnedPlan(raw);
}

template <class T> offgrid_status set_points(offgrid_plan plan, const PointSet<T>& points) {
  std::array<const T*, 3> axis{};
  for (std::size_t a = 0; a < points.axis.size() && a < axis.size(); ++a) axis[a] = points.axis[a].data();
  return offgrid_set_points(plan, points.count(), axis[0], axis[1], axis[2], nullptr);
}

// The call was refused with this status, and the message has each of these parts.
inline void expect_refused(offgrid_status status, offgrid_status expected, std::initializer_list<const char*> parts) {
  EXPECT_EQ(status, expected) << offgrid_last_error();
  for (const char* part : parts)
    EXPECT_NE(std::string(offgrid_last_error()).find(part), std::string::npos)
        << part << " in: " << offgrid_last_error();
}
inline void expect_invalid(offgrid_status status, std::initializer_list<const char*> parts) {
  expect_refused(status, OFFGRID_INVALID_ARGUMENT, parts);
}

// A type 1 transform of random strengths from this plan has a small error: the plan is usable.
template <class T> void expect_usable(offgrid_plan plan, const Arguments& arguments, const PointSet<T>& points) {
  const auto strengths = random_values<T>(points.count(), 4);
  std::vector<std::complex<T>> in = strengths, out(product(arguments.modes));
  ASSERT_EQ(offgrid_execute(plan, in.data(), out.data(), nullptr), OFFGRID_OK) << offgrid_last_error();
  EXPECT_LE(relative_error(out, direct_sum<T>(To::modes, {arguments.modes, -1}, points, strengths)),
            arguments.tolerance);
}

}  // namespace support
