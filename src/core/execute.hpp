// A transform as a sequence of stages, batch by batch, the same on every engine. What an engine does by itself comes first.
//   to modes    spread -> grid_to_modes
//   to points   modes_to_grid -> interpolate
//   to cells    spread -> grid_to_cells            (spread only)
//   from cells  cells_to_grid -> interpolate       (interpolate only)
#pragma once

#include <algorithm>

#include "core/engine.hpp"

namespace offgrid {

template <class T> struct Vectors {
  std::complex<T>* strengths;  // [transforms][points]
  std::complex<T>* uniform;    // [transforms][N3][N2][N1], modes or cells
  std::int64_t points;
  PointFactors<T> factors{};  // of results, for an engine that multiplies by them
};

template <class T> void run_stages(const Engine<T>& engine, const Batch<T>& batch, Grid& grid, Stream stream) {
  switch (batch.route) {
    case Route::to_modes:
      engine.spread(batch.strengths, grid, stream);
      return engine.grid_to_modes(grid, batch.uniform, batch.sign, stream);
    case Route::to_points:
      engine.modes_to_grid(batch.uniform, grid, batch.sign, stream);
      return engine.interpolate(grid, batch.factors, batch.strengths, stream);
    case Route::to_cells:
      engine.spread(batch.strengths, grid, stream);
      return engine.grid_to_cells(grid, batch.uniform, stream);
    case Route::from_cells:
      engine.cells_to_grid(batch.uniform, grid, stream);
      return engine.interpolate(grid, batch.factors, batch.strengths, stream);
  }
}

template <class T>
void execute(const Engine<T>& engine, const Design& design, const Vectors<T>& vectors, Direction direction, Sign sign,
             Stream stream) {
  const Route route = route_of(direction, uniform_side(design.options));
  const std::int64_t transforms = design.options.transforms;
  const Batch<T> all{route, sign, vectors.strengths, vectors.uniform, transforms, vectors.factors};
  for (std::int64_t first = engine.run_vectors(all, stream); first < transforms; first += design.batch) {
    const Batch<T> batch{route,
                         sign,
                         vectors.strengths + first * vectors.points,
                         vectors.uniform + first * design.uniform_count(),
                         std::min(design.batch, transforms - first),
                         vectors.factors};
    const GridLease grid = engine.lease_grid(batch.count, stream);
    const auto stages = [&](Stream on) { run_stages(engine, batch, *grid, on); };
    engine.run(batch, *grid, std::ref(stages), stream);
  }
}

}  // namespace offgrid
