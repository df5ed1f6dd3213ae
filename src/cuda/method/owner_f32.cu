#include "cuda/method/owner.cuh"

namespace offgrid::cuda {

template void spread_owned(int, const StageArguments<float, float>&, const PointSet<float>&, const Bins&, std::int64_t,
                           cudaStream_t);
template void interpolate_owned(const StageArguments<float, float>&, const PointSet<float>&, const Bins&, std::int64_t,
                                std::complex<double>*, cudaStream_t);

}  // namespace offgrid::cuda
