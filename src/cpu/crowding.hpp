// How crowded the points are: the mean number A of points that add to a cell, weighted by points. Summing A terms of
// random sign one by one in working precision leaves a relative error of about (eps/2) sqrt(A/2); terms of one sign leave
// up to rounding_bias (eps/2) A, because a growing sum rounds its small terms alike. Both exceed a tight tolerance long
// before rounding does elsewhere.
//   A = sum over pairs (i, j) of prod over axes of max(0, 1 - |i0_i - i0_j| / w), over the number of points
// estimated from neighbours in the sorted order, box by box.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/types.hpp"
#include "cpu/layout.hpp"
#include "cpu/sort.hpp"

namespace offgrid::cpu {

template <class T>
double crowding(const SortedPoints& points, const Layout& layout, const std::vector<std::uint32_t>& box_begin);

// Whether so many points could be crowded enough to matter, were they all in one place.
bool may_crowd(const Design& design, std::int64_t count);

// What keeps the error of such sums within its share of the design's tolerance. Parts and then their sums leave
// (eps/2) (sqrt(part/2) + sqrt(A/part/2)) and, of one sign, rounding_bias (eps/2) (part + A/part).
struct Summation {
  bool wide = false;                                                    // more precision than the working one
  std::int64_t part_points = std::numeric_limits<std::int64_t>::max();  // that may be added up in one go
};
Summation summation_for(const Design& design, const SortedPoints& points);

// Whether most points seem to lie in a small part of the period: a guess from a few of them, which only costs speed.
template <class T> bool look_clustered(const Points<T>& points, int dim);

// How much of their cells neighbours in order have in common, from a sample.
template <class T> double neighbour_overlap(const SortedPoints& points, const Layout& layout);

}  // namespace offgrid::cpu
