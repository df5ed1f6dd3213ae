// What the error model cannot say of axes with few modes: it speaks of means over modes and positions. So a design with such
// an axis is tried on what errs most, one point and strengths of one sign, before it is taken. Used by design.
#pragma once

#include "core/design.hpp"

namespace offgrid {

// Whether a problem has an axis of few modes. Under a tolerance of 1e-13 a trial would show its own rounding.
bool has_few_modes(const Problem& problem);

// The largest error of what is tried, without rounding.
double error_of_few_modes(const Design& design);

// Scales the deconvolution factors of a design so that mode 0 errs as much upwards as downwards over the positions in a cell.
// It errs by far the most, and to one side, where a cell enters the kernel. Returns what that adds to the error of all modes.
double centre_mode_zero(Design& design);

}  // namespace offgrid
