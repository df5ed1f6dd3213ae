// Spreading in 1D (sums_1d.cuh): a block sorts a subproblem by cell and sums what falls on a cell before it adds it to the
// grid. The option calls it `sweep`, since it takes the sweep's part in 1D. Interpolation is one thread per point.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/kernels/stage.hpp"
#include "cuda/sort/sort.hpp"

namespace offgrid::cuda {

class SpreadMethod;
const SpreadMethod& sums_1d_method();

inline constexpr int sums_1d_threads = 256;
inline constexpr int sums_1d_points = 1024;  // of a subproblem, at most
inline constexpr int sums_1d_bin = 512;      // cells of a bin, at most

template <class T, class A>
void spread_sums_1d(const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& bins, cudaStream_t stream);

}  // namespace offgrid::cuda
