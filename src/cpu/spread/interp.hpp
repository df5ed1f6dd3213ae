// Interpolation: every point reads the w^d cells around it, the transpose of spreading.
//   c_j = sum_l grid[l] phi(l_1 - g_j1) .. phi(l_d - g_jd)
#pragma once

#include <complex>

#include "cpu/sort/sort.hpp"
#include "cpu/spread/kernel_eval.hpp"
#include "cpu/vectors.hpp"

namespace offgrid::cpu {

template <class T>
void interpolate(const SortedPoints& points, const KernelTable<T>& table,
                 const GridVectors<const std::complex<T>>& grids, const StrengthVectors<std::complex<T>>& strengths);

}  // namespace offgrid::cpu
