#include "cuda/method/tile.cuh"

namespace offgrid::cuda {

template void spread_tiles(int, const StageArguments<float, float>&, const TileSpec&, const PointSet<float>&,
                           cudaStream_t);

}  // namespace offgrid::cuda
