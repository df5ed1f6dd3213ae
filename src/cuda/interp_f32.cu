#include "cuda/interp.cuh"

namespace offgrid::cuda {

template void interpolate(int, const StageArguments<float, float>&, cudaStream_t);
template void reorder(const std::complex<float>*, const PointSet<float>&, std::complex<float>*, std::int64_t, int,
                      cudaStream_t);

}  // namespace offgrid::cuda
