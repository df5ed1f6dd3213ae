// The paper's GM and GM-sort: every value is added to its cell in global memory, one team of lanes per point (team.cuh), with
// the points in the caller's order (GM) or sorted by bin (GM-sort). Interpolation is one thread per point.
#pragma once

#include "cuda/kernels/stage.hpp"
#include "cuda/launch/enqueue.hpp"

namespace offgrid::cuda {

class SpreadMethod;
const SpreadMethod& gm_method();
const SpreadMethod& gm_sort_method();

// A, the precision of the grid, may be wider than T, that of the points. Needs a grid of zeros.
template <class T, class A> void spread_global(int dim, const StageArguments<T, A>& arguments, const Queue& queue);

}  // namespace offgrid::cuda
