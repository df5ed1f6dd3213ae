#include "cuda/interp.cuh"

namespace offgrid::cuda {

template void interpolate(int, const StageArguments<double, double>&, cudaStream_t);
template void reorder(const std::complex<double>*, const PointSet<double>&, std::complex<double>*, std::int64_t, int,
                      cudaStream_t);

}  // namespace offgrid::cuda
