// Spreading and interpolation by tensor cores in 2D and 3D: a window of the grid is swept along a column of points
// (sweep_team.cuh). Spreading may add integers instead of numbers: their sums do not depend on the order
// (integer_sums.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/kernels/stage.hpp"
#include "cuda/sort/sort.hpp"

namespace offgrid::cuda {

class SpreadMethod;
const SpreadMethod& sweep_method();

// Needs a grid of zeros.
template <class T, class A>
void sweep_spread(int dim, const StageArguments<T, A>& arguments, const PointSet<T>& set, const Bins& columns,
                  cudaStream_t stream);
template <class T>
void sweep_interpolate(int dim, const StageArguments<T, T>& arguments, const PointSet<T>& set, const Bins& columns,
                       cudaStream_t stream);

}  // namespace offgrid::cuda
