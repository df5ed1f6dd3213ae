// Factors at points (core/pointwise.hpp), vectorised: those of a type 3 at its targets and sources, and the phases of short
// axes.
#pragma once

#include <complex>

#include "core/pointwise.hpp"

namespace offgrid::cpu {

// One for each of the points.
template <class T> void evaluate_factors(const FactorRule& rule, const Points<T>& points, std::complex<T>* factors);

}  // namespace offgrid::cpu
