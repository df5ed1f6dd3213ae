// Strengths of f32 onto a grid of f64.
#include "cuda/method/owner.cuh"

namespace offgrid::cuda {

template void spread_owned(int, const StageArguments<float, double>&, const PointSet<float>&, const Bins&, std::int64_t,
                           cudaStream_t);

}  // namespace offgrid::cuda
