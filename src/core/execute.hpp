// A transform as a sequence of stages, batch by batch, the same on every engine. What an engine does by itself comes first.
//   to modes   spread -> grid_to_modes
//   to points  modes_to_grid -> interpolate
#pragma once

#include <algorithm>

#include "core/engine.hpp"

namespace offgrid {

template <class T> struct Vectors {
  std::complex<T>* strengths;  // [transforms][points]
  std::complex<T>* modes;      // [transforms][N3][N2][N1]
  std::int64_t points;
};

template <class T>
void execute(const Engine<T>& engine, const Design& design, const Vectors<T>& vectors, Direction direction, Sign sign,
             Stream stream) {
  const std::int64_t transforms = design.options.transforms;
  const Batch<T> all{direction, sign, vectors.strengths, vectors.modes, transforms};
  for (std::int64_t first = engine.run_vectors(all, stream); first < transforms; first += design.batch) {
    const Batch<T> batch{direction, sign, vectors.strengths + first * vectors.points,
                         vectors.modes + first * design.mode_count(), std::min(design.batch, transforms - first)};
    const GridLease grid = engine.lease_grid(batch.count, stream);
    const auto stages = [&](Stream on) {
      if (direction == Direction::to_modes) {
        engine.spread(batch.strengths, *grid, on);
        engine.grid_to_modes(*grid, batch.modes, sign, on);
      } else {
        engine.modes_to_grid(batch.modes, *grid, sign, on);
        engine.interpolate(*grid, batch.strengths, on);
      }
    };
    engine.run(batch, *grid, std::ref(stages), stream);
  }
}

}  // namespace offgrid
