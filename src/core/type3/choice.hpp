// The choice of a type 3's two stages (type3/design.hpp): sigma and width of the spreading, and the tolerance that the inner
// transform is given. Candidates are weighed by the cost of both stages, by the error of both and by the memory of all grids.
#pragma once

#include <array>
#include <cstdint>

#include "core/design.hpp"
#include "core/types.hpp"

namespace offgrid {

// What the choice depends on.
struct Type3Case {
  Problem problem;
  Options options;
  const BackendTraits& traits;
  std::array<double, max_dim> base_cells;
  std::int64_t sources, targets;
  bool sources_all_over, targets_all_over;  // spread over their box
};

struct Type3Candidate {
  double sigma = 0;
  int width = 0;
  Sizes cells{1, 1, 1};
  double inner_tolerance = 0;
  double inner_sigma = 0;  // 0: the best one
  double error = 0, cost = 0;
  double bytes = 0;
};

// The cheapest candidate that fits and keeps the tolerance, else the cheapest of those that come almost as near.
struct Type3Choice {
  Type3Candidate best;
  double reachable = 0;
  double least_bytes = 0;  // that any would take, where none fits
  [[nodiscard]] bool fits() const { return best.width != 0; }
};

// The bytes that all grids may take together, a part of the memory of the device.
std::int64_t most_grid_bytes(const Type3Case& c);

// From the choices of the last plans where it is one of them.
Type3Choice kept_type3_choice(const Type3Case& c);

// What both stages are then designed for.
Problem inner_problem(const Type3Case& c, const Type3Candidate& candidate);
Options inner_options(const Type3Case& c, const Type3Candidate& candidate);
Options spread_options(const Type3Case& c, const Type3Candidate& candidate);
std::int64_t vectors_per_group(const Type3Case& c, const Sizes& cells);

// By how much the division by the kernel's Fourier transform enlarges errors of the cells and of the inner transform.
// `anywhere`: wherever the targets are in their box. Else for targets all over it, which is less.
double amplification(double sigma, int width, int dim, bool anywhere);

}  // namespace offgrid
