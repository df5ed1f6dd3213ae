#include "cuda/method/global.cuh"

namespace offgrid::cuda {

template void spread_global(int, const StageArguments<float, float>&, const Queue&);

}  // namespace offgrid::cuda
