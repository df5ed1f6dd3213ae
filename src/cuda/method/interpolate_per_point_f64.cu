#include "cuda/method/interpolate_per_point.cuh"

namespace offgrid::cuda {

template void interpolate_per_point(int, const StageArguments<double, double>&, const Queue&);
template void reorder(const std::complex<double>*, const PointSet<double>&, const StageArguments<double, double>&,
                      cudaStream_t);

}  // namespace offgrid::cuda
