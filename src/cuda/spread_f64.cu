#include "cuda/spread.cuh"

namespace offgrid::cuda {

template void spread_global(int, const StageArguments<double, double>&, cudaStream_t);
template void spread_tiles(int, const StageArguments<double, double>&, const TileSpec&, const PointSet<double>&,
                           cudaStream_t);

}  // namespace offgrid::cuda
