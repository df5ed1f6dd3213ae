// Spreading: the strengths onto the grid, which must be zero before. The paper's methods:
//   GM, GM-sort   every cell is added to in global memory, for points in the caller's order or sorted by bin
//   SM            a block adds a subproblem (at most so many points of one bin) into a tile of the grid in shared memory,
//                 and then the tile to the grid
// A, the precision of the grid, may be wider than that of the points.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/device.hpp"
#include "cuda/sort.hpp"
#include "cuda/stage.hpp"

namespace offgrid::cuda {

template <class T, class A> void spread_global(int dim, const StageArguments<T, A>& arguments, cudaStream_t stream);

struct TileSpec {
  Bins bins{};
  std::uint32_t size[max_dim]{1, 1, 1};  // of the tile: a bin and the width - 1 cells that its points reach beyond it
  int vectors = 1;                       // of a batch, with tiles at the same time
  int threads = 256;

  [[nodiscard]] std::size_t bytes(std::size_t real_bytes) const {
    return 2 * real_bytes * size[0] * size[1] * size[2] * static_cast<std::size_t>(vectors);
  }
};

template <class T, class A>
void spread_tiles(int dim, const StageArguments<T, A>& arguments, const TileSpec& tile, const PointSet<T>& set,
                  cudaStream_t stream);

}  // namespace offgrid::cuda
