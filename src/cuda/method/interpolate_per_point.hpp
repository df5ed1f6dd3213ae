// Interpolation by one thread per point, which reads the grid from global memory: the paper's GM, on points in the caller's
// order, and GM-sort, on points in the order of their bins. The methods that do not interpolate by themselves use it.
#pragma once

#include "cuda/kernels/stage.hpp"
#include "cuda/launch/enqueue.hpp"
#include "cuda/sort/sort.hpp"

namespace offgrid::cuda {

template <class T> void interpolate_per_point(int dim, const StageArguments<T, T>& arguments, const Queue& queue);

// Results of the points of a set, [batch][points] in the order of the packed points, to the strengths that the stage has of
// these points, in the caller's order, times the stage's factors.
template <class T>
void reorder(const std::complex<T>* results, const PointSet<T>& set, const StageArguments<T, T>& to,
             cudaStream_t stream);

}  // namespace offgrid::cuda
