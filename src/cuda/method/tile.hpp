// The paper's SM: a block adds a subproblem, at most some thousand points of one bin, into a tile of the grid in shared memory,
// and then the tile to the grid. Interpolation is one thread per point.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/kernels/stage.hpp"
#include "cuda/sort/sort.hpp"

namespace offgrid::cuda {

class SpreadMethod;
const SpreadMethod& tile_method();

struct TileSpec {
  Bins bins{};
  std::uint32_t size[max_dim]{1, 1, 1};  // of the tile: a bin and the width - 1 cells that its points reach beyond it
  int vectors = 1;                       // of a batch, whose tiles are in shared memory at the same time
  int threads = 256;

  [[nodiscard]] std::size_t bytes(std::size_t real_bytes) const {
    return 2 * real_bytes * size[0] * size[1] * size[2] * static_cast<std::size_t>(vectors);
  }
};

// Needs a grid of zeros.
template <class T, class A>
void spread_tiles(int dim, const StageArguments<T, A>& arguments, const TileSpec& tile, const PointSet<T>& set,
                  cudaStream_t stream);

}  // namespace offgrid::cuda
