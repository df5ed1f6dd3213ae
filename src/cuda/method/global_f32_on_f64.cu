// Strengths of f32 onto a grid of f64.
#include "cuda/method/global.cuh"

namespace offgrid::cuda {

template void spread_global(int, const StageArguments<float, double>&, const Queue&);

}  // namespace offgrid::cuda
