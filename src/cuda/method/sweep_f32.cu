#include "cuda/method/sweep.cuh"

namespace offgrid::cuda {

template void sweep_spread(int, const StageArguments<float, float>&, const PointSet<float>&, const Bins&, cudaStream_t);
template void sweep_interpolate(int, const StageArguments<float, float>&, const PointSet<float>&, const Bins&,
                                cudaStream_t);

}  // namespace offgrid::cuda
