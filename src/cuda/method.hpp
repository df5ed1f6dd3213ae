// What a design becomes on a device: the method, its bins, and the tile that fits.
#pragma once

#include "core/design.hpp"
#include "cuda/device.hpp"
#include "cuda/sort.hpp"
#include "cuda/spread.hpp"

namespace offgrid::cuda {

struct MethodChoice {
  Method method = Method::gm_sort;  // never automatic
  bool fell_back = false;           // another one was asked for, but does not fit
  bool fixed_point = false;         // for a deterministic sweep: see fixed.hpp
  bool wide = false;                // sums of f32 strengths are made in f64
  SortSpec sort{};
  TileSpec tile{};
};

// That a block spreads, of so many points.
std::int64_t subproblem_points(const Design& design, const Device& device, Method method, std::int64_t points);

// How many terms a cell adds up one by one in the grid's precision, where `run` subproblems of a bin or column reach it, of
// `items` in all; and whether so many equal ones would miss the tolerance.
double longest_sum(const Design& design, const MethodChoice& choice, std::int64_t run, std::int64_t items);
bool is_too_long(const Design& design, bool wide, double terms);

enum class SumPrecision { as_needed, f64 };
MethodChoice choose_method(const Design& design, const Device& device, std::int64_t points, SumPrecision sums = SumPrecision::as_needed);
const char* name_of(Method method);

}  // namespace offgrid::cuda
