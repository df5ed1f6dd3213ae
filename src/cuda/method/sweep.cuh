// The launchers of sweep.hpp; compiled once for each pair of precisions.
#pragma once

#include "core/dispatch.hpp"
#include "cuda/launch/enqueue.hpp"
#include "cuda/method/sweep.hpp"
#include "cuda/method/sweep_interpolate.cuh"
#include "cuda/method/sweep_spread.cuh"

namespace offgrid::cuda {

template <class T, class A, int W>
SweepArguments<T, A, W> sweep_arguments(const StageArguments<T, A>& stage, const PointSet<T>& set,
                                        const Bins& columns) {
  return {.stage = stage,
          .columns = columns,
          .items = set.items.data(),
          .item_count = set.item_count.data(),
          .polynomials = polynomials_of<W>(stage.kernel)};
}

// The blocks of a launch: one per subproblem and `vectors` vectors.
struct SweepBlocks {
  int vectors, threads;
  std::size_t shared_bytes;
  bool dependent = false;  // by programmatic dependent launch
};

template <class T, class A, int W, class Kernel>
void launch_sweep(Kernel kernel, const SweepBlocks& each, const SweepArguments<T, A, W>& arguments,
                  std::int64_t subproblems, cudaStream_t stream) {
  ask_for_shared(kernel, each.shared_bytes);
  const int groups = (arguments.stage.batch + each.vectors - 1) / each.vectors;
  const dim3 blocks(static_cast<unsigned>(subproblems), static_cast<unsigned>(groups));
  const Launch launch{.blocks = blocks,
                      .threads = each.threads,
                      .shared_bytes = each.shared_bytes,
                      .stream = stream,
                      .dependent = each.dependent};
  enqueue("sweep", kernel, launch, arguments);
}

enum class SweepDirection { spread, interpolate };

// Calls body(dimension, width, vectors per block), all as compile-time constants.
template <SweepDirection Direction, class Body> void with_sweep(int dim, int width, int batch, Body&& body) {
  dispatch<2, 3>(dim, [&](auto d) {
    dispatch<min_width, max_width>(width, [&](auto w) {
      constexpr int together = sweep_vectors(d(), w(), Direction == SweepDirection::spread);
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
  with_sweep<SweepDirection::spread>(dim, stage.kernel.width, stage.batch, [&](auto d, auto w, auto v) {
    using Team = SweepTeam<T, A, d(), w(), v()>;
    auto kernel = sweep_spread_kernel<T, A, d(), w(), v(), CellSums::numbers>;
    if constexpr (sizeof(A) == 8)
      if (stage.units != nullptr) kernel = sweep_spread_kernel<T, A, d(), w(), v(), CellSums::integers>;
    const SweepBlocks blocks{.vectors = v(),
                             .threads = Team::threads,
                             .shared_bytes = Team::buffers * sizeof(typename Team::Rows),
                             .dependent = stage.dependent && sweep_overlaps_clear(d())};
    launch_sweep(kernel, blocks, sweep_arguments<T, A, w()>(stage, set, columns), set.max_items, stream);
  });
}

template <class T>
void sweep_interpolate(int dim, const StageArguments<T, T>& stage, const PointSet<T>& set, const Bins& columns,
                       cudaStream_t stream) {
  if (set.max_items == 0) return;
  with_sweep<SweepDirection::interpolate>(dim, stage.kernel.width, stage.batch, [&](auto d, auto w, auto v) {
    using Agent = SweepInterpAgent<T, T, d(), w(), v()>;
    const SweepBlocks blocks{v(), Agent::Team::threads, sizeof(typename Agent::Shared)};
    launch_sweep(sweep_interp_kernel<T, T, d(), w(), v()>, blocks, sweep_arguments<T, T, w()>(stage, set, columns),
                 set.max_items, stream);
  });
}

}  // namespace offgrid::cuda
