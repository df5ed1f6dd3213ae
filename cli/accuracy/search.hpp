// The search for an input that breaks the library's promise (docs/accuracy.md):
//   type 1   the rms over the modes of the error is at most tolerance x sum over j of |c[j]|
//   type 2   the error at every point is at most tolerance x sqrt(N) ||f||, N being the number of modes
// Both right sides are the largest outputs that data of that size can have. And where the strengths of a type 1 have one sign,
// so that nothing cancels, the relative l2 error is at most the tolerance. Type 3 has the relative error for ordinary data, and
// is held to the first of these, and its adjoint too, for all data but a single strength. Random cases
// (search_cases.hpp, search_type3.hpp) are transformed and compared with direct sums.
#pragma once

#include <cstdint>
#include <vector>

#include "plan_flags.hpp"

namespace cli {

struct SearchSettings {
  double seconds = 0;
  std::uint64_t seed = 1;
  std::int64_t only = -1;           // the number of one case; -1: all, one after the other
  std::vector<int> types{1, 2, 3};  // of which cases are measured
  bool progress = false;
};

// The exit code: a failure where a case breaks the promise.
int search(const SearchSettings& settings, const PlanFlags& flags);

}  // namespace cli
