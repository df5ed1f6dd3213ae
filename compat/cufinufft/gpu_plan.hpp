// A plan of libcufinufft: what cuFINUFFT checks and its options on top of compat::Plan. Every call switches to the plan's GPU
// and back.
#pragma once

#include <optional>

#include "common/plan.hpp"
#include "cufinufft_opts.h"

namespace compat {

inline constexpr Library cufinufft_library{.name = "cufinufft", .out_of_memory = FINUFFT_ERR_CUDA_FAILURE};

cufinufft_opts default_cufinufft_opts();

class GpuPlan {
 public:
  GpuPlan(const Request& request, const cufinufft_opts* opts);
  GpuPlan(const GpuPlan&) = delete;
  GpuPlan& operator=(const GpuPlan&) = delete;
  ~GpuPlan();

  // The points are read in the order of the stream, and not again by execute; those of type 3 before this returns. targets:
  // not read but for type 3
  void set_points(const Coordinates& points, const Coordinates& targets);
  void execute(void* strengths, void* modes) const;

 private:
  void set_turned_points(const Coordinates& points, const Coordinates& targets);

  int device_;
  void* stream_;
  offgrid_precision precision_;
  std::optional<Plan> plan_;
};

}  // namespace compat
