// A tolerance that the plan cannot reach: the program says so on stderr, once, and goes on. `--strict on` refuses it.
#pragma once

#include <cstdio>

namespace cli {

template <class AnyPlan> void warn_out_of_reach(const AnyPlan& plan, double tolerance) {
  const double reachable = plan.get("reachable_tolerance");
  if (reachable <= tolerance) return;
  std::fprintf(
      stderr,
      "offgrid: warning: the tolerance %g cannot be reached here; expect an error of about %.1e. Ask for that or "
      "more, or for doubles; --strict on refuses such a tolerance\n",
      tolerance, reachable);
}

}  // namespace cli
