#include "cuda/ordered.cuh"

namespace offgrid::cuda {

template void spread_ordered(int, const StageArguments<float, float>&, const Bins&, const std::uint32_t*, cudaStream_t);
template void spread_ordered(int, const StageArguments<float, double>&, const Bins&, const std::uint32_t*,
                             cudaStream_t);
template void spread_ordered(int, const StageArguments<double, double>&, const Bins&, const std::uint32_t*,
                             cudaStream_t);

}  // namespace offgrid::cuda
