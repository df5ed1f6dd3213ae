#include "cpu/sort/crowding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/dispatch.hpp"
#include "core/kernel/summation.hpp"
#include "cpu/policy.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

// How much of two points' cells coincides, from their first cells. In 32 bits, whose divisions are quick.
template <int D> double overlap(const Layout& layout, std::uint32_t a, std::uint32_t b) {
  const std::array<std::uint32_t, max_dim> stride{1, static_cast<std::uint32_t>(layout.padded[0]),
                                                  static_cast<std::uint32_t>(layout.plane_stride)};
  const auto common = [&](std::uint32_t one, std::uint32_t other) {
    const auto apart = static_cast<double>(one > other ? one - other : other - one);
    return std::max(0.0, 1 - apart / layout.width);
  };
  double all = 1;
  for (int axis = D - 1; axis > 0; --axis) {
    all *= common(a / stride[axis], b / stride[axis]);
    a %= stride[axis];
    b %= stride[axis];
  }
  return all * common(a, b);
}

// Mean overlap of neighbours in [begin, end), at most max_pairs of them.
template <class T, int D>
double overlap_of_neighbours(const PackedPoint<T, D>* points, const Layout& layout, Range range,
                             std::int64_t max_pairs) {
  const std::int64_t step = std::max<std::int64_t>(2, range.size() / max_pairs);
  double sum = 0;
  std::int64_t pairs = 0;
  for (std::int64_t p = range.begin; p + 1 < range.end; p += step, ++pairs)
    sum += overlap<D>(layout, points[p].cell, points[p + 1].cell);
  return pairs > 0 ? sum / static_cast<double>(pairs) : 0.0;
}

// What a sum is off by, in half units of the last place: of n terms, of which `repeats` are equal.
double sum_error(double terms, double repeats) {
  const double equal = std::clamp(repeats, 1.0, std::max(1.0, terms));
  return std::max(std::sqrt(terms / 2), equal_terms_rounding * std::sqrt(terms * equal));
}

// The most terms and the most repeats that keep sum_error within what is allowed.
double most_terms(double allowed, double repeats) {
  const double equal = allowed / equal_terms_rounding;
  return std::min(2 * allowed * allowed, equal * equal / std::max(1.0, repeats));
}
double most_repeats(double allowed, double terms) {
  const double equal = allowed / equal_terms_rounding;
  return std::min({2 * allowed * allowed, equal, equal * equal / std::max(1.0, terms)});
}

double sum_of_squares(const std::vector<std::uint32_t>& box_begin) {
  double sum = 0;
  for (std::size_t box = 0; box + 1 < box_begin.size(); ++box) {
    const double count = box_begin[box + 1] - box_begin[box];
    sum += count * count;
  }
  return sum;
}

// What a sample should hold of what it looks for, were there just as much of it as is allowed. A sample of more than one
// point in eight would not save much.
constexpr double wanted_finds = 64;
constexpr std::int64_t fewest_in_step = 8;

// Chooses the boxes of `pairs` pairs: a box is chosen as often as is its share of all pairs of points.
std::vector<std::uint32_t> boxes_of_pairs(const std::vector<std::uint32_t>& box_begin, std::int64_t pairs) {
  constexpr std::int64_t fine = std::int64_t{1} << 31;
  const double step = sum_of_squares(box_begin) / static_cast<double>(pairs);
  std::vector<std::uint32_t> boxes(static_cast<std::size_t>(pairs));
  std::uint32_t box = 0;
  double before = 0;  // pairs of the boxes up to and with this one
  const auto squared = [&] { return std::pow(static_cast<double>(box_begin[box + 1] - box_begin[box]), 2); };
  for (std::int64_t i = 0; i < pairs; ++i) {
    const double part = static_cast<double>(random_below(fine, static_cast<std::uint64_t>(i))) / fine;
    const double place = (static_cast<double>(i) + part) * step;
    while (box + 2 < box_begin.size() && before + squared() <= place) {
      before += squared();
      ++box;
    }
    boxes[i] = box;
  }
  return boxes;
}

// Estimates the overlap from pairs of points inside boxes. Enough pairs are looked at to find about `finds` that
// overlap, if the overlap is `terms`, the most that is allowed.
template <class T>
double sampled_overlap(const SortedPoints& points, const CrowdingCase& wanted, double terms, double finds) {
  constexpr double fewest_pairs = 256, most_pairs = 1 << 16;
  constexpr std::int64_t some = 1024;  // pairs that a thread takes at a time
  constexpr double pair_time = 15;     // nanoseconds
  const double most = sum_of_squares(wanted.box_begin) / static_cast<double>(points.count);
  const auto pairs =
      static_cast<std::int64_t>(terms > 0 ? std::clamp(finds * most / terms, fewest_pairs, most_pairs) : most_pairs);
  const auto boxes = boxes_of_pairs(wanted.box_begin, pairs);
  std::vector<double> sums(static_cast<std::size_t>((pairs + some - 1) / some));
  dispatch<1, max_dim>(wanted.layout.dim, [&](auto dim) {
    const auto* packed = points.points<T, dim()>();
    const Work work{wanted.threads, pair_time * static_cast<double>(pairs)};
    parallel_for(work, static_cast<std::int64_t>(sums.size()), [&](std::int64_t part, int) {
      for (std::int64_t i = part * some; i < std::min(pairs, (part + 1) * some); ++i) {
        const std::int64_t begin = wanted.box_begin[boxes[i]], count = wanted.box_begin[boxes[i] + 1] - begin;
        const auto random = static_cast<std::uint64_t>(pairs + 2 * i);
        const auto &one = packed[begin + random_below(count, random)],
                   &other = packed[begin + random_below(count, random + 1)];
        sums[part] += overlap<dim()>(wanted.layout, one.cell, other.cell);
      }
    });
  });
  return most * std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(pairs);
}

// A quarter of the pairs will do where they show less than an eighth of what is allowed: were it all of that, so few would be
// found twice in 100,000 times (Poisson: fewer than 2 where 16 are expected).
template <class T> double mean_overlap(const SortedPoints& points, const CrowdingCase& wanted, double terms) {
  const double first = terms > 0 ? sampled_overlap<T>(points, wanted, terms, wanted_finds / 4) : terms;
  return first < terms / 8 ? first : sampled_overlap<T>(points, wanted, terms, wanted_finds);
}

// The most repeats, where `most` of them are allowed: from a sample if that shows that there are few enough.
template <class T> double find_repeats(const SortedPoints& points, const CrowdingCase& wanted, double most) {
  const auto all = static_cast<double>(points.count);
  if (most >= all) return all;
  const auto step = static_cast<std::int64_t>(most / wanted_finds);
  if (step >= fewest_in_step) {
    const double found = count_places<T>(points, wanted.layout, step, wanted.threads).most();
    if (found <= wanted_finds / 2) return std::max(1.0, found * static_cast<double>(step));
  }
  return count_places<T>(points, wanted.layout, 1, wanted.threads).most_repeats();
}

}  // namespace

double allowed_error(const Design& design) {
  return summation_share * design.goal / (half_ulp(design.problem.precision) * design.amplification);
}

// A place may be on the border of two boxes along each axis.
Crowding most_crowding(const CrowdingCase& wanted) {
  std::uint32_t largest = 0;
  for (std::size_t box = 0; box + 1 < wanted.box_begin.size(); ++box)
    largest = std::max(largest, wanted.box_begin[box + 1] - wanted.box_begin[box]);
  const double all = std::max(1.0, static_cast<double>(wanted.box_begin.back()));
  const double at_one_place = std::exp2(wanted.layout.dim) * static_cast<double>(largest);
  return {sum_of_squares(wanted.box_begin) / all, std::min(all, at_one_place)};
}

bool is_allowed(const Crowding& crowding, double allowed) {
  return sum_error(std::max(crowding.overlap, crowding.repeats), crowding.repeats) <= allowed;
}

// Points that are not spread evenly overlap the more.
bool counts_every_place(const CrowdingCase& wanted) {
  if (is_allowed(most_crowding(wanted), wanted.allowed)) return false;
  double even = static_cast<double>(wanted.box_begin.back()) / static_cast<double>(wanted.layout.cells);
  for (int axis = 0; axis < wanted.layout.dim; ++axis) even *= wanted.layout.width;
  return most_repeats(wanted.allowed, even) < fewest_in_step * wanted_finds;
}

template <class T>
Crowding measure_crowding(const SortedPoints& points, const CrowdingCase& wanted, const PlaceCounts& counts) {
  const Crowding most = most_crowding(wanted);
  if (is_allowed(most, wanted.allowed) || points.count == 0) return most;
  Crowding found;
  const double terms = most_terms(wanted.allowed, 1);
  found.overlap = mean_overlap<T>(points, wanted, terms);
  found.repeats = counts.is_counting() ? counts.most_repeats()
                                       : find_repeats<T>(points, wanted, most_repeats(wanted.allowed, found.overlap));
  const double fewer_terms = most_terms(wanted.allowed, found.repeats);
  if (fewer_terms < terms) found.overlap = mean_overlap<T>(points, wanted, fewer_terms);
  return found;
}

template <class T> double neighbour_overlap(const SortedPoints& points, const Layout& layout) {
  constexpr std::int64_t max_pairs = 256;
  return overlap_of_neighbours(points.points<T, 1>(), layout, {0, points.count}, max_pairs);
}

template <class T> bool look_clustered(const Points<T>& points, int dim) {
  constexpr std::int64_t samples = 128;
  constexpr double near = 0.0625;  // of the period
  const std::int64_t step = points.count / (2 * samples);
  if (step == 0) return false;
  std::int64_t close = 0;
  for (std::int64_t i = 0; i < samples; ++i) {  // a point and one half a set further on
    bool all = true;
    for (int axis = 0; axis < dim; ++axis) {
      const T* x = points.axis[axis];
      all = all && std::abs(double{x[i * step]} - double{x[(i + samples) * step]}) * points.map[axis].rate < near;
    }
    close += all ? 1 : 0;
  }
  return close > samples / 2;
}

bool may_crowd(const Design& design, std::int64_t count) {
  const auto all = static_cast<double>(count);
  return sum_error(all, all) > allowed_error(design);
}

Summation summation_for(const Design& design, const SortedPoints& points) {
  const double allowed = allowed_error(design), repeats = points.repeats;
  const double terms = std::max(points.overlap, repeats);
  if (sum_error(terms, repeats) <= allowed) return {};
  const std::int64_t part = std::max(fewest_part_points, static_cast<std::int64_t>(allowed));
  const double in_part = std::min(terms, static_cast<double>(part)), parts = terms / in_part;
  const bool suffices = sum_error(in_part, repeats) + sum_error(parts, repeats / in_part) <= allowed;
  // A part clears and adds all columns of points in order.
  return suffices && points.column_count() <= part ? Summation{false, part} : Summation{true};
}

template bool look_clustered(const Points<float>&, int);
template bool look_clustered(const Points<double>&, int);
template double neighbour_overlap<float>(const SortedPoints&, const Layout&);
template double neighbour_overlap<double>(const SortedPoints&, const Layout&);
template Crowding measure_crowding<float>(const SortedPoints&, const CrowdingCase&, const PlaceCounts&);
template Crowding measure_crowding<double>(const SortedPoints&, const CrowdingCase&, const PlaceCounts&);

}  // namespace offgrid::cpu
