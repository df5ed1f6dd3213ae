#include "cuda/method/sweep.cuh"

namespace offgrid::cuda {

template void sweep_spread(int, const StageArguments<double, double>&, const PointSet<double>&, const Bins&,
                           cudaStream_t);
template void sweep_interpolate(int, const StageArguments<double, double>&, const PointSet<double>&, const Bins&,
                                cudaStream_t);

}  // namespace offgrid::cuda
