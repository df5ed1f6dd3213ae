// A plan of libfinufft: what FINUFFT checks and its options on top of compat::Plan.
#pragma once

#include "common/plan.hpp"
#include "finufft_opts.h"

namespace compat {

inline constexpr Library finufft_library{.name = "finufft", .out_of_memory = FINUFFT_ERR_ALLOC};

finufft_opts default_finufft_opts();

class CpuPlan {
 public:
  CpuPlan(const Request& request, const finufft_opts* opts);

  // targets: not read but for type 3
  template <class R> void set_points(const Coordinates& points, const Coordinates& targets);
  void execute(void* strengths, void* modes) const { plan_.execute(strengths, modes, nullptr); }
  void adjoint(void* strengths, void* modes) const { plan_.adjoint(strengths, modes, nullptr); }

  // What makeplan returns where nothing is wrong: 0, or the code of a warning.
  [[nodiscard]] int warning() const { return warning_; }

 private:
  CpuPlan(const Request& request, const finufft_opts& opts);

  Plan plan_;
  int warning_;
};

}  // namespace compat
