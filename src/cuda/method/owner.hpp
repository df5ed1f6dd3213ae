// Owners: one warp owns the cells of a tile (owner_team.cuh). The method serves few points per cell, and spreads with
// the same bits in every run.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/kernels/stage.hpp"
#include "cuda/sort/sort.hpp"

namespace offgrid::cuda {

class SpreadMethod;
const SpreadMethod& owner_method();

// Points are sorted into bins that are the tiles, of at most owner_tile cells along an axis (owner_shape.hpp). The first set
// of points writes all cells, whatever they held, and later sets add to them. Bins of more than `crowd` points have several
// subproblems, of `crowd` points each, and many warps work on them.
template <class T, class A>
void spread_owned(int dim, const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& tiles,
                  std::int64_t crowd, cudaStream_t stream);

// In 3D only. Each tile adds its part of a result to `sums`, [batch][points] in the order of the packed points.
template <class T>
void interpolate_owned(const StageArguments<T, T>& stage, const PointSet<T>& set, const Bins& tiles, std::int64_t crowd,
                       std::complex<double>* sums, cudaStream_t stream);

}  // namespace offgrid::cuda
