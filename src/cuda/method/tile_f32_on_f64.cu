// Strengths of f32 onto a grid of f64.
#include "cuda/method/tile.cuh"

namespace offgrid::cuda {

template void spread_tiles(int, const StageArguments<float, double>&, const TileSpec&, const PointSet<float>&,
                           cudaStream_t);

}  // namespace offgrid::cuda
