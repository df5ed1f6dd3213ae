#include "cuda/interp.cuh"

namespace offgrid::cuda {

template void interpolate(int, const StageArguments<float, double>&, cudaStream_t);

}  // namespace offgrid::cuda
