// Interpolation: the values at the points from the grid. The paper's GM and GM-sort: the same kernel, which reads the
// grid from global memory, on points in the caller's order or in the order of their bins.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/sort.hpp"
#include "cuda/stage.hpp"

namespace offgrid::cuda {

template <class T, class A> void interpolate(int dim, const StageArguments<T, A>& arguments, cudaStream_t stream);

// to[batch][stride], in the caller's order, from results in the order of the packed points.
template <class T>
void reorder(const std::complex<T>* results, const PointSet<T>& set, std::complex<T>* to, std::int64_t stride,
             int batch, cudaStream_t stream);

}  // namespace offgrid::cuda
