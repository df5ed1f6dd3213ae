#include "cuda/spread.cuh"

namespace offgrid::cuda {

template void spread_global(int, const StageArguments<float, double>&, cudaStream_t);
template void spread_tiles(int, const StageArguments<float, double>&, const TileSpec&, const PointSet<float>&,
                           cudaStream_t);

}  // namespace offgrid::cuda
