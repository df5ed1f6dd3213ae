// Strengths of f32 onto a grid of f64.
#include "cuda/method/sweep.cuh"

namespace offgrid::cuda {

template void sweep_spread(int, const StageArguments<float, double>&, const PointSet<float>&, const Bins&,
                           cudaStream_t);

}  // namespace offgrid::cuda
