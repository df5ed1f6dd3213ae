// The 36 one-call functions of cufinufft.h: plan, points, execute.
#include "common/one_call.hpp"

#include "cufinufft.h"
#include "cufinufft/gpu_plan.hpp"

template <class R, class Opts> int compat::run(const OneCall<R>& call, const Opts* opts) {
  return guard(cufinufft_library, "one_call", [&] {
    GpuPlan plan({.type = call.type,
                  .dim = call.dim,
                  .modes = call.modes.data(),
                  .iflag = call.iflag,
                  .transforms = call.transforms,
                  .tolerance = call.tolerance,
                  .precision = precision_of<R>},
                 opts);
    plan.set_points({.count = call.count, .axes = {call.points[0], call.points[1], call.points[2]}},
                    {.count = call.target_count, .axes = {call.targets[0], call.targets[1], call.targets[2]}});
    plan.execute(call.strengths, call.values);
  });
}

COMPAT_ONE_CALLS(cufinufft, double, cuDoubleComplex, cufinufft_opts)
COMPAT_ONE_CALLS(cufinufftf, float, cuFloatComplex, cufinufft_opts)
