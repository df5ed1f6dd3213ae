// Where points are: the box around them, and from some of them how they lie in it. A type 3 is designed from it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace offgrid {

// Low and high along each axis; of no points, both are 0.
struct Box {
  std::array<double, max_dim> low{}, high{};
  bool operator==(const Box&) const = default;
};

struct Extent {
  Box box;
  // The largest share of points, over the axes, in the outer tenth of the box: a tenth where they are all over it.
  double at_ends = 1;
  // The number of different coordinates along the axis that has the fewest, axes of one place alone aside.
  std::int64_t places = 1;
};

// Positions of the points that tell, chosen at random; the same for all engines.
inline constexpr std::int64_t extent_samples = 256;
constexpr std::int64_t sampled_point(std::int64_t sample, std::int64_t count) {
  const std::uint64_t mixed = (static_cast<std::uint64_t>(sample) + 1) * 0x9e3779b97f4a7c15U;
  return static_cast<std::int64_t>((mixed ^ (mixed >> 29)) % static_cast<std::uint64_t>(count));
}

// `samples` are the coordinates of these points, [axis][extent_samples].
template <class T> Extent extent_of(const Box& box, int dim, const T* samples) {
  Extent extent{box, 0, extent_samples};
  for (int axis = 0; axis < dim; ++axis) {
    const double size = box.high[axis] - box.low[axis], tenth = 0.05 * size;
    std::vector<T> x(samples + axis * extent_samples, samples + (axis + 1) * extent_samples);
    const auto is_outer = [&](double at) { return at < box.low[axis] + tenth || at > box.high[axis] - tenth; };
    const auto outer = static_cast<double>(std::count_if(x.begin(), x.end(), is_outer));
    extent.at_ends = std::max(extent.at_ends, outer / static_cast<double>(extent_samples));
    if (size == 0) continue;
    std::sort(x.begin(), x.end());
    extent.places = std::min<std::int64_t>(extent.places, std::unique(x.begin(), x.end()) - x.begin());
  }
  return extent;
}

}  // namespace offgrid
