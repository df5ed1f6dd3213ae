#include "cuda/method/tile.cuh"

namespace offgrid::cuda {

template void spread_tiles(int, const StageArguments<double, double>&, const TileSpec&, const PointSet<double>&,
                           cudaStream_t);

}  // namespace offgrid::cuda
