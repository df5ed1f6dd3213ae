// Deconvolution factors of a long axis, evaluated on the device from their series (core/kernel/factors.hpp): copying them there
// would take longer.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernel/factors.hpp"

namespace offgrid::cuda {

// A series of more terms is evaluated on the host, and so is one of which few factors are needed.
inline constexpr int most_factor_terms = 64;
bool evaluates_on_device(const FactorSeries& series);

// Writes factors[k] for k = 0 .. series.count() - 1.
template <class T> void evaluate_factors(const FactorSeries& series, T* factors, cudaStream_t stream);

}  // namespace offgrid::cuda
