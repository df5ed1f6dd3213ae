#include "cuda/method/interpolate_per_point.cuh"

namespace offgrid::cuda {

template void interpolate_per_point(int, const StageArguments<float, float>&, const Queue&);
template void reorder(const std::complex<float>*, const PointSet<float>&, const StageArguments<float, float>&,
                      cudaStream_t);

}  // namespace offgrid::cuda
