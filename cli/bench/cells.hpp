// The cells of the benchmark, built from the figures that they come from: cuFINUFFT's paper and what it leaves out. A
// name is figure/DdT/precision/N<per axis>/M<points>/points/tolerance/x<batch>, as in the table of a peer's times
// (tests/cli/cells.txt lists them all).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "point_sets.hpp"

namespace cli {

enum class Precision { f32, f64 };

struct Cell {
  std::string figure;
  int dim = 2, type = 1;
  Precision precision = Precision::f32;
  std::int64_t size = 0;  // modes an axis
  std::int64_t points = 0;
  PointSet set = PointSet::uniform;
  double tolerance = 1e-2;
  std::int64_t batch = 1;

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::vector<std::int64_t> modes() const {
    return std::vector<std::int64_t>(static_cast<std::size_t>(dim), size);
  }
};

std::vector<Cell> all_cells();

// A pattern is a glob over the whole name ("single/2d1/*") or a regular expression found anywhere in it
// ("3d2/.*1e-1[24]").
bool matches(const std::string& name, const std::string& pattern);

}  // namespace cli
