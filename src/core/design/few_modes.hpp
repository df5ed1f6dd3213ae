// What the error model cannot say of axes with few modes: it speaks of means over modes and positions. So a design with such
// an axis is tried on what errs most, one point and strengths of one sign, before it is taken. Used by design.
#pragma once

#include <algorithm>

#include "core/design.hpp"

namespace offgrid {

// What a design may err, relative l2: by the model, of which rounding is a part, and in the trial.
struct DesignError {
  double of_means = 0, rounding = 0, tried = 0;
  [[nodiscard]] double largest() const { return std::max(of_means, tried); }
};

// Whether a problem has an axis of few modes. Under a tolerance of 1e-13 a trial would show its own rounding.
bool has_few_modes(const Problem& problem);

// `model` with the error of the trial.
DesignError try_few_modes(const Design& design, const DesignError& model);

// The same, but where the trial shows more than `enough`, the deconvolution factors may be scaled so that mode 0 errs as much
// upwards as downwards over the positions in a cell: it errs by far the most, and to one side, where a cell enters the kernel.
// That is done where it makes the largest error smaller.
DesignError settle_few_modes(Design& design, const DesignError& model, double enough);

}  // namespace offgrid
