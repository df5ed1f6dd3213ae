// What is chosen for a type 3, from the boxes around its sources and its targets:
//   f[k] = sum_j c[j] exp(+-i s[k].x[j])
// With C and D the centres of the boxes, X and S their half-widths,
//   s.x = (s - D).(x - C)  +  D.x  +  C.(s - D),
// the two last terms are phases of the sources and of the targets. For the first, sources are spread to a grid with a cells
// for each unit of x, |x - C| a < n / 2, and the grid's cells are the modes of an inner type 2 at s' = (s - D) / a. The targets
// then lie in |s'| <= pi / sigma, where the kernel's Fourier transform is far from 0, and each value is divided by it:
//   a = sigma S / pi        n = 2 sigma X S / pi + width + 1
// The inner transform has a grid of its own, so that sigma of both stages is chosen together, by cost and memory.
#pragma once

#include <array>
#include <string>

#include "core/design.hpp"
#include "core/pointwise.hpp"

namespace offgrid {

struct Type3Axis {
  double source_centre = 0, source_half = 1, target_centre = 0, target_half = 1;
  double base_cells = 1;      // 2 X S / pi, of the boxes as they were enlarged a little, so that later points fit, too
  double cells_per_unit = 1;  // of a source's coordinate
};

struct Type3Boxes {
  Box sources, targets;
  std::int64_t source_count = 1, target_count = 1;
  // Whether these are spread over their box; else they may all be at its ends.
  bool sources_all_over = false, targets_all_over = false;
};

// Whether these are: so many that they average out, and not more of them at the ends of the box than elsewhere.
bool are_all_over(const Extent& points, std::int64_t count);

struct Type3Design {
  Problem problem;  // its modes are those of the inner transform
  Options options;
  std::array<Type3Axis, max_dim> axis;
  std::int64_t sources = 0, targets = 0;  // for about how many it is made
  std::int64_t group = 1;                 // vectors that go through both stages together
  Design spread;
  Design inner;
  FactorRule target_rule, source_rule;  // of the targets, and of the sources where their box has a centre
  std::array<AxisMap, max_dim> source_map, target_map;
  bool sources_all_over = false, targets_all_over = false;  // as the boxes have it
  double expected_error = 0;
  double reachable_tolerance = 0;
  std::int64_t cells = 1;  // of one vector
  bool direct = false;     // there are so few points and targets that the sum over all pairs costs less

  [[nodiscard]] bool has_source_phases() const;
  // Whether all points of both boxes can be folded, and the grid is not much too large for them.
  [[nodiscard]] bool suits(const Type3Boxes& boxes) const;
  [[nodiscard]] bool holds_sources(const Box& box) const;
  [[nodiscard]] bool holds_targets(const Box& box) const;
  [[nodiscard]] std::int64_t execute_bytes() const;  // grids and cells of one execute
};

// By grids, or as a sum over all pairs where that costs less, or where no grids fit and there are few pairs. Else it throws
// out_of_memory, and says how many bytes the smallest grids would take.
Type3Design make_type3_design(const Problem& problem, const Options& options, const BackendTraits& traits,
                              const Type3Boxes& boxes);

std::string describe(const Type3Design& design);

}  // namespace offgrid
