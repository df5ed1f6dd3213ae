// Where a warp owns the cells of a tile (owner_team.cuh): for few points a cell, and to spread with the same bits from run to
// run.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/sort.hpp"
#include "cuda/stage.hpp"

namespace offgrid::cuda {

// Points are sorted into bins that are the tiles, of at most owner_tile cells an axis (policy.hpp). Where the set is the
// first, cells are written, whatever they were; later ones are added. Bins of more than `crowd` points, which have items of
// that many, are worked on by many warps.
template <class T, class A>
void spread_owned(int dim, const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& tiles,
                  std::int64_t crowd, cudaStream_t stream);

// In 3D. Results are added to what is there.
template <class T, class A>
void interpolate_owned(const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& tiles, std::int64_t crowd,
                       cudaStream_t stream);

}  // namespace offgrid::cuda
