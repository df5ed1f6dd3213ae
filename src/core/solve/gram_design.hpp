// The choices of a Gram operator: the grid of its convolution, and whether a pair of transforms costs less.
#pragma once

#include "core/design.hpp"

namespace offgrid {

// Part of the tolerance that a transform may use up: the errors of the two of a pair add up at worst, and what the kernel t
// misses at some modes may meet larger modes there than its own mean (tests/plan/gram_test.cpp).
inline constexpr double gram_share = 0.5;

// The grid of a convolution of the problem's modes with a kernel of 2N - 1 modes along each axis, in a design that has
// neither window nor factors. Axes of one mode are dropped, as long as one axis is left.
Design make_convolution_design(const Problem& problem, const Options& options, const BackendTraits& traits);

// The same for the kernel itself: its modes on the grid of `design`.
Design kernel_design(const Design& design);

// The modes of the kernel, 2N - 1 along each axis.
Sizes kernel_modes(const Problem& problem);

// Of one vector, in the units of the traits.
struct GramCosts {
  double convolution = 0, pair = 0;
};

// For options.points_hint points.
GramCosts gram_costs(const Design& convolution, const Problem& problem, const Options& options,
                     const BackendTraits& traits);

}  // namespace offgrid
