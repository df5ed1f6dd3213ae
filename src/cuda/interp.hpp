// Interpolation: the values at the points from the grid. The paper's GM and GM-sort: the same kernel, which reads the
// grid from global memory, on points in the caller's order or in the order of their bins.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/stage.hpp"

namespace offgrid::cuda {

template <class T, class A> void interpolate(int dim, const StageArguments<T, A>& arguments, cudaStream_t stream);

}  // namespace offgrid::cuda
