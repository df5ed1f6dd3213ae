// A transform as a sequence of stages, batch by batch, the same on every engine.
//   to modes   spread -> grid_to_modes
//   to points  modes_to_grid -> interpolate
#pragma once

#include <algorithm>

#include "core/engine.hpp"

namespace offgrid {

enum class Direction { to_modes, to_points };

template <class T> struct Vectors {
  std::complex<T>* strengths;  // [transforms][points]
  std::complex<T>* modes;      // [transforms][N3][N2][N1]
  std::int64_t points;
};

template <class T>
void execute(const Engine<T>& engine, const Design& design, const Vectors<T>& vectors, Direction direction, Sign sign,
             Stream stream) {
  const std::int64_t transforms = design.options.transforms;
  for (std::int64_t first = 0; first < transforms; first += design.batch) {
    const GridLease grid = engine.lease_grid(std::min(design.batch, transforms - first), stream);
    std::complex<T>* strengths = vectors.strengths + first * vectors.points;
    std::complex<T>* modes = vectors.modes + first * design.mode_count();
    if (direction == Direction::to_modes) {
      engine.spread(strengths, *grid, stream);
      engine.grid_to_modes(*grid, modes, sign, stream);
    } else {
      engine.modes_to_grid(modes, *grid, sign, stream);
      engine.interpolate(*grid, strengths, stream);
    }
  }
}

}  // namespace offgrid
