// Factors at points (core/pointwise.hpp), vectorised: those of a type 3 at its targets and sources, and the phases of short axes.
#pragma once

#include <complex>

#include "core/pointwise.hpp"

namespace offgrid::cpu {

inline constexpr double phase_time = 5;        // of a point, in nanoseconds on one core,
inline constexpr double factor_term_time = 1;  // and per term of its series

// One for each of the points.
template <class T> void evaluate_factors(const FactorRule& rule, const Points<T>& points, std::complex<T>* factors);

}  // namespace offgrid::cpu
