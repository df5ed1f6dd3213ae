// The design of a plan that only spreads or interpolates. Its grid is the caller's, so that only the kernel is chosen, by
// tolerance and upsampling sigma alone, whatever the number of points and the device:
//   width      the smallest w with  sqrt(dim) window_error(sigma, w) <= tolerance  and room for rounding, or the option `width`
//   parameter  that of make_window(sigma, w)
// With modes |k| < n / (2 sigma) of an FFT of the cells, deconvolved by the caller, a transform keeps the tolerance.
#pragma once

#include "core/design.hpp"

namespace offgrid {

inline constexpr double default_sigma_of_cells = 2;

// Throws where a size is below the width.
Window window_of_cells(const Problem& problem, const Options& options);

// What the functions of design.hpp without "cells" in their names call for such a plan. The arguments are valid.
void require_possible_cells(const Problem& problem, const Options& options, const BackendTraits& traits);
double reachable_tolerance_of_cells(const Problem& problem, const Options& options);
Design make_cells_design(const Problem& problem, const Options& options, const BackendTraits& traits);

}  // namespace offgrid
