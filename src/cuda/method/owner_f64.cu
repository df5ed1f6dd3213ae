#include "cuda/method/owner.cuh"

namespace offgrid::cuda {

template void spread_owned(int, const StageArguments<double, double>&, const PointSet<double>&, const Bins&,
                           std::int64_t, cudaStream_t);
template void interpolate_owned(const StageArguments<double, double>&, const PointSet<double>&, const Bins&,
                                std::int64_t, std::complex<double>*, cudaStream_t);

}  // namespace offgrid::cuda
