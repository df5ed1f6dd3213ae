#include "cuda/method/sums_1d.cuh"

namespace offgrid::cuda {

template void spread_sums_1d(const StageArguments<double, double>&, const PointSet<double>&, const Bins&, cudaStream_t);

}  // namespace offgrid::cuda
