#include "bench/cells.hpp"

#include <fnmatch.h>

#include <cmath>
#include <regex>

#include "text.hpp"

namespace cli {
namespace {

constexpr std::int64_t ten_million = 10'000'000;

std::int64_t default_size(int dim) { return dim == 2 ? 1000 : 100; }

std::int64_t power(std::int64_t base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

// The same problem at the tolerances 10^-decade.
void add_tolerances(std::vector<Cell>& cells, Cell cell, std::initializer_list<int> decades) {
  for (const int decade : decades) {
    cell.tolerance = std::pow(10.0, -decade);
    cells.push_back(cell);
  }
}

// Both types of a problem that is otherwise fixed.
void add_types(std::vector<Cell>& cells, Cell cell) {
  for (cell.type = 1; cell.type <= 2; ++cell.type) cells.push_back(cell);
}

// Figures 4 to 7 of the paper: time against tolerance, 2D and 3D, both types, random and clustered points.
void add_tolerance_sweeps(std::vector<Cell>& cells) {
  for (const int type : {1, 2})
    for (const int dim : {2, 3}) {
      const Cell cell{"single", dim, type, Precision::f32, default_size(dim), ten_million};
      Cell wide = cell;
      wide.figure = "double";
      wide.precision = Precision::f64;
      add_tolerances(cells, cell, {1, 2, 3, 4, 5, 6});
      add_tolerances(cells, wide, {2, 4, 6, 8, 10, 12, 14});
    }
}

void add_clusters(std::vector<Cell>& cells) {
  for (const int type : {1, 2})
    for (const int dim : {2, 3}) {
      add_tolerances(cells, {"single", dim, type, Precision::f32, default_size(dim), ten_million, PointSet::clustered},
                     {2, 5});
      add_tolerances(cells, {"double", dim, type, Precision::f64, default_size(dim), ten_million, PointSet::clustered},
                     {6, 12});
    }
}

// The paper's table 1: 3D at one point an upsampled cell.
void add_table(std::vector<Cell>& cells) {
  for (const std::int64_t size : {32, 256})
    for (const double tolerance : {1e-2, 1e-5})
      add_types(cells, {"table1", 3, 1, Precision::f32, size, 8 * power(size, 3), PointSet::uniform, tolerance});
}

// Time against the number of modes, at one point an upsampled cell.
void add_mode_sweeps(std::vector<Cell>& cells) {
  for (const auto set : {PointSet::uniform, PointSet::clustered})
    for (const int type : {1, 2})
      for (const std::int64_t size : {64, 256, 1024, 4096})
        cells.push_back({"modes", 2, type, Precision::f32, size, 4 * power(size, 2), set, 1e-2});
}

// What the paper's figures leave out: M-TIP's own sizes, 1D, batches, tiny, crowded and sparse problems.
void add_others(std::vector<Cell>& cells) {
  cells.push_back({"mtip", 3, 2, Precision::f64, 41, 1'024'000, PointSet::uniform, 1e-12});
  cells.push_back({"mtip", 3, 1, Precision::f64, 81, 16'384'000, PointSet::uniform, 1e-12});
  add_types(cells, {"oned", 1, 1, Precision::f32, 1'000'000, ten_million, PointSet::uniform, 1e-5});
  add_types(cells, {"oned", 1, 1, Precision::f64, 1'000'000, ten_million, PointSet::uniform, 1e-12});
  add_types(cells, {"batch", 2, 1, Precision::f32, 256, 100'000, PointSet::uniform, 1e-4, 32});
  add_types(cells, {"batch", 3, 1, Precision::f32, 64, 200'000, PointSet::uniform, 1e-4, 16});
  add_types(cells, {"small", 2, 1, Precision::f32, 64, 10'000, PointSet::uniform, 1e-5});
  add_types(cells, {"small", 3, 1, Precision::f64, 32, 30'000, PointSet::uniform, 1e-9});
  add_types(cells, {"dense", 2, 1, Precision::f32, 256, ten_million, PointSet::uniform, 1e-5});
  add_types(cells, {"dense", 3, 1, Precision::f32, 32, ten_million, PointSet::uniform, 1e-5});
  add_types(cells, {"sparse", 3, 1, Precision::f32, 256, 1'000'000, PointSet::uniform, 1e-5});
  add_types(cells, {"sparse", 3, 1, Precision::f64, 256, 1'000'000, PointSet::uniform, 1e-9});
}

}  // namespace

std::string Cell::name() const {
  return format("%s/%dd%d/%s/N%lld/M%.3g/%s/%.0e/x%lld", figure.c_str(), dim, type,
                precision == Precision::f32 ? "f32" : "f64", static_cast<long long>(size), static_cast<double>(points),
                set == PointSet::uniform ? "rand" : "cluster", tolerance, static_cast<long long>(batch));
}

std::vector<Cell> all_cells() {
  std::vector<Cell> cells;
  add_tolerance_sweeps(cells);
  add_clusters(cells);
  add_table(cells);
  add_mode_sweeps(cells);
  add_others(cells);
  return cells;
}

bool matches(const std::string& name, const std::string& pattern) {
  if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  try {
    return std::regex_search(name, std::regex(pattern));
  } catch (const std::regex_error&) {
    return false;  // a glob such as *2d1* is no regular expression
  }
}

}  // namespace cli
