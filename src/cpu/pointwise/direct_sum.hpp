// Sums straight from their definition on the CPU (core/pointwise.hpp).
#pragma once

#include "core/pointwise.hpp"

namespace offgrid::cpu {

template <class T> void sum_directly(const DirectSum<T>& sum, int threads);

}  // namespace offgrid::cpu
