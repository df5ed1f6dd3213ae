// Spreading in a fixed order, for deterministic = on (ordered.cuh).
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/stage.hpp"

namespace offgrid::cuda {

// Bins have at most ordered_cells cells (policy.hpp).
template <class T, class A>
void spread_ordered(int dim, const StageArguments<T, A>& arguments, const Bins& bins, const std::uint32_t* bin_first,
                    cudaStream_t stream);

}  // namespace offgrid::cuda
