// The launchers of sweep.hpp; compiled once for each pair of precisions.
#pragma once

#include "core/dispatch.hpp"
#include "cuda/launch.hpp"
#include "cuda/sweep.hpp"
#include "cuda/sweep_interp.cuh"
#include "cuda/sweep_line.cuh"
#include "cuda/sweep_spread.cuh"

namespace offgrid::cuda {

template <class T, class A, int W>
SweepArguments<T, A, W> sweep_arguments(const StageArguments<T, A>& stage, const PointSet<T>& set,
                                        const Bins& columns) {
  return {stage, columns, set.items.data(), set.item_count.data(), polynomials_of<W>(stage.kernel)};
}

template <class T, class A, int W, class Kernel>
void launch_sweep(Kernel kernel, int vectors, int threads, std::size_t bytes, const StageArguments<T, A>& stage,
                  const PointSet<T>& set, const Bins& columns, bool early, cudaStream_t stream) {
  ask_for_shared(kernel, bytes);
  const dim3 blocks(static_cast<unsigned>(set.max_items), static_cast<unsigned>((stage.batch + vectors - 1) / vectors));
  enqueue("sweep", kernel, {blocks, threads, bytes, stream, early}, sweep_arguments<T, A, W>(stage, set, columns));
}

// Calls body(dimension, width, vectors of a block).
template <bool Spreads, class Body> void with_sweep(int dim, int width, int batch, Body&& body) {
  dispatch<2, 3>(dim, [&](auto d) {
    dispatch<min_width, max_width>(width, [&](auto w) {
      constexpr int together = sweep_vectors(d(), w(), Spreads);
      if (together > 1 && batch >= together)
        body(d, w, std::integral_constant<int, together>{});
      else
        body(d, w, std::integral_constant<int, 1>{});
    });
  });
}

template <class T, class A>
void sweep_spread(int dim, const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& columns,
                  cudaStream_t stream) {
  if (set.max_items == 0) return;
  if (dim == 1) return sweep_line(stage, set, columns, stream);
  with_sweep<true>(dim, stage.kernel.width, stage.batch, [&](auto d, auto w, auto v) {
    using Team = SweepTeam<T, A, d(), w(), v()>;
    auto kernel = sweep_spread_kernel<T, A, d(), w(), v(), CellSums::numbers>;
    if constexpr (sizeof(A) == 8)
      if (stage.units != nullptr) kernel = sweep_spread_kernel<T, A, d(), w(), v(), CellSums::integers>;
    launch_sweep<T, A, w()>(kernel, v(), Team::threads, Team::buffers * sizeof(typename Team::Rows), stage, set,
                            columns, stage.early && sweep_starts_early(d()), stream);
  });
}

template <class T, class A>
void sweep_interpolate(int dim, const StageArguments<T, A>& stage, const PointSet<T>& set, const Bins& columns,
                       cudaStream_t stream) {
  if (set.max_items == 0) return;
  with_sweep<false>(dim, stage.kernel.width, stage.batch, [&](auto d, auto w, auto v) {
    using Agent = SweepInterpAgent<T, A, d(), w(), v()>;
    launch_sweep<T, A, w()>(sweep_interp_kernel<T, A, d(), w(), v()>, v(), Agent::Team::threads,
                            sizeof(typename Agent::Shared), stage, set, columns, false, stream);
  });
}

}  // namespace offgrid::cuda
