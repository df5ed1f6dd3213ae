// Spreading and interpolation by tensor cores, for points sorted by column and height (sweep_team.cuh). In 1D
// spreading without them (sweep_line.cuh).
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/sort.hpp"
#include "cuda/stage.hpp"

namespace offgrid::cuda {

template <class T, class A>
void sweep_spread(int dim, const StageArguments<T, A>& arguments, const PointSet<T>& set, const Bins& columns,
                  cudaStream_t stream);
template <class T, class A>
void sweep_interpolate(int dim, const StageArguments<T, A>& arguments, const PointSet<T>& set, const Bins& columns,
                       cudaStream_t stream);

}  // namespace offgrid::cuda
