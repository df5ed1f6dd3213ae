// How crowded the points are, which decides how their sums are made (core/kernel/summation.hpp):
//   overlap A   the mean number of points that add to a cell, weighted by points,
//                 A = sum over pairs (i, j) of prod over axes of max(0, 1 - |i0_i - i0_j| / w), over the number of points
//               estimated from random pairs inside boxes of the sort
//   repeats k   the most points at one place (place_counts.hpp)
// Terms from one place are equal where strengths are, and their errors add up; those of different places are random. One long
// sum leaves an error of max(sqrt(A/2), 0.375 sqrt(A k)) half units in the last place.
// Both are measured only as closely as it takes to know whether that is too much: where the numbers of points in boxes show
// that it cannot be, they are bounds; otherwise samples are as large as what is allowed makes necessary.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/types.hpp"
#include "cpu/sort/place_counts.hpp"
#include "cpu/sort/sort.hpp"
#include "cpu/spread/layout.hpp"

namespace offgrid::cpu {

struct Crowding {
  double overlap = 0, repeats = 1;
};

// What sums may be off by, in half units of the last place. Nothing: both numbers are measured as closely as they can be.
struct CrowdingCase {
  const Layout& layout;
  const std::vector<std::uint32_t>& box_begin;  // of the sorted points
  double allowed = 0;
  int threads = 1;
};

// The most that they can be, from the numbers of points in boxes.
Crowding most_crowding(const CrowdingCase& wanted);
bool is_allowed(const Crowding& crowding, double allowed);

// Whether each point's place has to be counted for sure, which is best done while points are sorted.
bool counts_every_place(const CrowdingCase& wanted);

// From the sorted points, and from the counts of all places where they were made.
template <class T>
Crowding measure_crowding(const SortedPoints& points, const CrowdingCase& wanted, const PlaceCounts& counts);

double allowed_error(const Design& design);

// Whether `count` points would be crowded enough to matter if all of them were at one place.
bool may_crowd(const Design& design, std::int64_t count);

// What keeps the error of such sums within its share of the design's tolerance. Parts, whose sums are then added up, leave the
// errors of both: of sums of `part_points` and of A / part_points terms.
struct Summation {
  bool wide = false;                                                    // it takes more than the working precision
  std::int64_t part_points = std::numeric_limits<std::int64_t>::max();  // that may be added up in one go
};
Summation summation_for(const Design& design, const SortedPoints& points);

// Whether most points seem to lie in a small part of the period: a guess from a few of them, which only costs speed.
template <class T> bool look_clustered(const Points<T>& points, int dim);

// How much of their cells neighbours in order have in common, from a sample.
template <class T> double neighbour_overlap(const SortedPoints& points, const Layout& layout);

}  // namespace offgrid::cpu
