// What is known of a window before anything is computed with it: how large its errors are, and the sigma that a
// tolerance needs. Formulas in window.hpp.
// Errors are relative l2 errors of a 1D transform; those of the axes add as squares (about sqrt(dim) times one).
// Used by design.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/kernel/window.hpp"
#include "core/types.hpp"

namespace offgrid {

// Model of aliasing_error(..).rms, from -3 % to +6 % of it for sigma in [min_sigma, max_sigma]. Beyond max_sigma the
// error falls further but the model does not.
double window_error(WindowKind kind, double sigma, int width);

// The smallest sigma in [min_sigma, max_sigma] whose window_error is at most error, if there is one.
std::optional<double> minimal_sigma(WindowKind kind, int width, double error);

// How far the error of one transform may exceed the rms one. The rms is over positions in a cell, and points that all
// lie at the worst position (on the nodes, for an even width) see twice as much. And the outermost modes, r times worse
// than the rms, are about N / r^2 in number: few of them in a small transform, and then chance decides. An outermost problem
// has no others.
double worst_case_factor(const Window& window, const Problem& problem);

// The error of all axes over that of one: errors add as squares, but in outermost modes they may all have the same sign.
double axes_factor(const Problem& problem);

// The width of the paper's rule at sigma = 2, ceil(log10(1/tolerance)) + 1, and of FINUFFT's at other sigma.
int semicircle_width(double tolerance, double sigma);

// A1 = sqrt(mean over the grid of phihat^2 * mean over the modes of 1/phihat^2): how much deconvolution amplifies the
// rounding error of an axis.
double rounding_amplification(double sigma, int width);

// Its product over the axes of a grid, at least 1 each.
double total_amplification(const Problem& problem, const Sizes& grid, int width);

// The relative l2 error that rounding leaves, however small the tolerance.
double rounding_floor(const Problem& problem, const Sizes& grid, int width);

// The same on the grid itself, before any deconvolution.
double rounding_of_cells(const Problem& problem);

// The error that fit_polynomial may make so that it shows neither beside the window's nor beside rounding.
double polynomial_error(const Window& window, Precision precision);

}  // namespace offgrid
