// How crowded the points are: the mean number A of points that add to a cell, weighted by points. Summing A terms of
// random sign one by one in working precision leaves a relative error of about (eps/2) sqrt(A/2), which exceeds a tight
// tolerance long before rounding does elsewhere.
//   A = sum over pairs (i, j) of prod over axes of max(0, 1 - |i0_i - i0_j| / w), over the number of points
// estimated from neighbours in the sorted order, box by box.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/layout.hpp"
#include "cpu/sort.hpp"

namespace offgrid::cpu {

template <class T>
double crowding(const SortedPoints& points, const Layout& layout, const std::vector<std::uint32_t>& box_begin);

// What keeps the error of such sums within its share of the design's tolerance.
enum class Summation {
  plain,     // one by one
  in_parts,  // parts of careful_part_points, then their sums: (eps/2) (sqrt(part/2) + sqrt(A/part/2))
  wide       // more precision than the working one
};
Summation summation_for(const Design& design, const SortedPoints& points);

}  // namespace offgrid::cpu
