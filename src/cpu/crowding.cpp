#include "cpu/crowding.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/dispatch.hpp"
#include "cpu/policy.hpp"

namespace offgrid::cpu {
namespace {

// How much of two points' cells coincides, from their first cells.
double overlap(const Layout& layout, std::int64_t a, std::int64_t b) {
  const Sizes stride{1, layout.padded[0], layout.plane_stride};
  double common = 1;
  for (int axis = layout.dim - 1; axis >= 0; --axis) {
    const auto apart = static_cast<double>(std::abs(a / stride[axis] - b / stride[axis]));
    common *= std::max(0.0, 1 - apart / layout.width);
    a %= stride[axis], b %= stride[axis];
  }
  return common;
}

// Mean overlap of neighbours in [begin, end), at most max_pairs of them.
template <class T, int D>
double mean_overlap(const PackedPoint<T, D>* points, const Layout& layout, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t max_pairs = std::int64_t{1} << 16;
  const std::int64_t step = std::max<std::int64_t>(2, (end - begin) / max_pairs);
  double sum = 0;
  std::int64_t pairs = 0;
  for (std::int64_t p = begin; p + 1 < end; p += step, ++pairs)
    sum += overlap(layout, points[p].cell, points[p + 1].cell);
  return pairs > 0 ? sum / static_cast<double>(pairs) : 0.0;
}

}  // namespace

// Dense boxes decide: each is looked at. Of the others a sample will do.
template <class T>
double crowding(const SortedPoints& points, const Layout& layout, const std::vector<std::uint32_t>& box_begin) {
  constexpr std::int64_t pairs_in_box = 32, sampled_boxes = 1024;
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
      sum += all * mean_overlap(packed, layout, begin, looked_at);
    }
  });
  return sum / static_cast<double>(std::max<std::int64_t>(points.count, 1));
}

Summation summation_for(const Design& design, const SortedPoints& points) {
  const double half_ulp = design.problem.precision == Precision::f32 ? 0x1p-24 : 0x1p-53;
  const double allowed = summation_share * design.problem.tolerance / (half_ulp * design.amplification);
  const auto part = static_cast<double>(careful_part_points);
  if (std::sqrt(points.crowding) <= allowed)
    return Summation::plain;  // rounded up: pairs in neighbouring boxes are not seen
  const bool parts_suffice = std::sqrt(part / 2) + std::sqrt(points.crowding / part / 2) <= allowed;
  if (parts_suffice && !points.in_order) return Summation::in_parts;  // unsorted parts reach all over the grid
  return Summation::wide;
}

template double crowding<float>(const SortedPoints&, const Layout&, const std::vector<std::uint32_t>&);
template double crowding<double>(const SortedPoints&, const Layout&, const std::vector<std::uint32_t>&);

}  // namespace offgrid::cpu
