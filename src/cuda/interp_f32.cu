#include "cuda/interp.cuh"

namespace offgrid::cuda {

template void interpolate(int, const StageArguments<float, float>&, cudaStream_t);

}  // namespace offgrid::cuda
