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
MethodChoice choose_method(const Design& design, const Device& device, std::int64_t points);
const char* name_of(Method method);

}  // namespace offgrid::cuda
