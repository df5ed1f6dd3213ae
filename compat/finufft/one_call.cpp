// The 36 one-call functions of finufft.h: plan, points, execute.
#include "common/one_call.hpp"

#include "finufft.h"
#include "finufft/cpu_plan.hpp"

template <class R, class Opts> int compat::run(const OneCall<R>& call, const Opts* opts) {
  return guard(finufft_library, "one_call", [&] {
    CpuPlan plan({.type = call.type,
                  .dim = call.dim,
                  .modes = call.modes.data(),
                  .iflag = call.iflag,
                  .transforms = call.transforms,
                  .tolerance = call.tolerance,
                  .precision = precision_of<R>},
                 opts);
    plan.set_points<R>({.count = call.count, .axes = {call.points[0], call.points[1], call.points[2]}},
                       {.count = call.target_count, .axes = {call.targets[0], call.targets[1], call.targets[2]}});
    plan.execute(call.strengths, call.values);
    return plan.warning();
  });
}

COMPAT_ONE_CALLS(finufft, double, std::complex<double>, finufft_opts)
COMPAT_ONE_CALLS(finufftf, float, std::complex<float>, finufft_opts)
