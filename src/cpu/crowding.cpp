#include "cpu/crowding.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/dispatch.hpp"
#include "cpu/policy.hpp"

namespace offgrid::cpu {
namespace {

// How much of two points' cells coincides, from their first cells.
template <int D> double overlap(const Layout& layout, std::int64_t a, std::int64_t b) {
  const Sizes stride{1, layout.padded[0], layout.plane_stride};
  const auto common = [&](std::int64_t apart) {
    return std::max(0.0, 1 - static_cast<double>(std::abs(apart)) / layout.width);
  };
  double all = 1;
  for (int axis = D - 1; axis > 0; --axis) {
    all *= common(a / stride[axis] - b / stride[axis]);
    a %= stride[axis], b %= stride[axis];
  }
  return all * common(a - b);
}

// Mean overlap of neighbours in [begin, end), at most max_pairs of them.
template <class T, int D>
double mean_overlap(const PackedPoint<T, D>* points, const Layout& layout, Range range, std::int64_t max_pairs) {
  const std::int64_t step = std::max<std::int64_t>(2, range.size() / max_pairs);
  double sum = 0;
  std::int64_t pairs = 0;
  for (std::int64_t p = range.begin; p + 1 < range.end; p += step, ++pairs)
    sum += overlap<D>(layout, points[p].cell, points[p + 1].cell);
  return pairs > 0 ? sum / static_cast<double>(pairs) : 0.0;
}

// What the sums may be off by, in half units of the last place.
double allowed_error(const Design& design) {
  const double half_ulp = design.problem.precision == Precision::f32 ? 0x1p-24 : 0x1p-53;
  return summation_share * design.problem.tolerance / (half_ulp * design.amplification);
}

// The most terms to add up one by one: their errors, too, may all have one sign.
double most_terms(double allowed) { return std::min(allowed / rounding_bias, allowed * allowed); }

}  // namespace

// Dense boxes decide: each is looked at. Of the others a sample will do.
template <class T>
double crowding(const SortedPoints& points, const Layout& layout, const std::vector<std::uint32_t>& box_begin) {
  constexpr std::int64_t pairs_in_box = 32, sampled_boxes = 1024, pairs_in_all = std::int64_t{1} << 16;
  const auto boxes = static_cast<std::int64_t>(box_begin.size()) - 1;
  const std::int64_t dense = 8 * (points.count / boxes) + 2 * pairs_in_box, step = boxes / sampled_boxes + 1;
  double sum = 0;
  dispatch<1, max_dim>(layout.dim, [&](auto dim) {
    const auto* packed = points.points<T, dim()>();
    for (std::int64_t box = 0; box < boxes; ++box) {
      const std::int64_t begin = box_begin[box], end = box_begin[box + 1], count = end - begin;
      if (count <= dense && box % step != 0) continue;
      const std::int64_t looked_at = boxes == 1 ? end : std::min(end, begin + 2 * pairs_in_box);
      const double all = static_cast<double>(count) * static_cast<double>(count > dense ? count : count * step);
      sum += all * mean_overlap(packed, layout, {begin, looked_at}, pairs_in_all);
    }
  });
  return sum / static_cast<double>(std::max<std::int64_t>(points.count, 1));
}

template <class T> double neighbour_overlap(const SortedPoints& points, const Layout& layout) {
  constexpr std::int64_t max_pairs = 256;
  return mean_overlap(points.points<T, 1>(), layout, {0, points.count}, max_pairs);
}

template <class T> bool look_clustered(const Points<T>& points, int dim) {
  constexpr std::int64_t samples = 128;
  constexpr T near = T(0.4);  // a sixteenth of the period
  const std::int64_t step = points.count / (2 * samples);
  if (step == 0) return false;
  std::int64_t close = 0;
  for (std::int64_t i = 0; i < samples; ++i) {  // a point and one half a set further on
    bool all = true;
    for (int axis = 0; axis < dim; ++axis)
      all = all && std::abs(points.axis[axis][i * step] - points.axis[axis][(i + samples) * step]) < near;
    close += all ? 1 : 0;
  }
  return close > samples / 2;
}

bool may_crowd(const Design& design, std::int64_t count) {
  return static_cast<double>(count) > most_terms(allowed_error(design));
}

Summation summation_for(const Design& design, const SortedPoints& points) {
  const double allowed = allowed_error(design), most = most_terms(allowed);
  if (points.crowding <= most) return {};  // rounded up: pairs in neighbouring boxes are not seen
  const std::int64_t part = std::max(careful_part_points, static_cast<std::int64_t>(std::min(most / 2, 0x1p30)));
  const auto terms = static_cast<double>(part);
  const bool suffices = std::sqrt(terms / 2) + std::sqrt(points.crowding / terms / 2) <= allowed;
  // A part clears and adds all columns of points in order.
  return suffices && points.column_count() <= part ? Summation{false, part} : Summation{true};
}

template bool look_clustered(const Points<float>&, int);
template bool look_clustered(const Points<double>&, int);
template double neighbour_overlap<float>(const SortedPoints&, const Layout&);
template double neighbour_overlap<double>(const SortedPoints&, const Layout&);
template double crowding<float>(const SortedPoints&, const Layout&, const std::vector<std::uint32_t>&);
template double crowding<double>(const SortedPoints&, const Layout&, const std::vector<std::uint32_t>&);

}  // namespace offgrid::cpu
