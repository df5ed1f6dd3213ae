// How crowded the points are, which decides how their sums are made (core/summation.hpp):
//   overlap A   the mean number of points that add to a cell, weighted by points,
//                 A = sum over pairs (i, j) of prod over axes of max(0, 1 - |i0_i - i0_j| / w), over the number of points
//               estimated from random pairs inside boxes of the sort
//   repeats k   the most points at one place, or so near to each other that the sums cannot tell: within a small part of a
//               cell. Counted in a table that is indexed by a hash of the place
// Terms from one place are equal where strengths are, and their errors add up; those of different places are random. One long
// sum leaves an error of max(sqrt(A/2), 0.375 sqrt(A k)) half units in the last place.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/types.hpp"
#include "cpu/fold.hpp"
#include "cpu/layout.hpp"
#include "cpu/sort.hpp"

namespace offgrid::cpu {

template <class T>
double mean_overlap(const SortedPoints& points, const Layout& layout, const std::vector<std::uint32_t>& box_begin);

// Counts points by place, each thread in a table of its own.
class PlaceCounts {
 public:
  PlaceCounts() = default;  // counts nothing
  PlaceCounts(const Layout& layout, std::int64_t points, int threads);

  [[nodiscard]] bool is_counting() const { return !counts_.empty(); }
  template <class T> void add(int thread, const FoldedChunk<T>& chunk, std::int64_t count);
  template <class T> void add(int thread, const PackedPoint<T, 1>* points, std::int64_t count);
  // The most points of a place, less what chance puts into the fullest entry of the table.
  [[nodiscard]] double most_repeats() const;

 private:
  int dim_ = 1, bits_ = 0;
  std::int64_t points_ = 0;
  std::array<std::uint32_t, max_dim> stride_{1, 0, 0};
  std::vector<std::uint32_t> counts_;  // [thread][place]
};

// Whether so many points could be crowded enough to matter, were they all in one place.
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
