#include "cpu/crowding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "core/dispatch.hpp"
#include "core/summation.hpp"
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
double overlap_of_neighbours(const PackedPoint<T, D>* points, const Layout& layout, Range range,
                             std::int64_t max_pairs) {
  const std::int64_t step = std::max<std::int64_t>(2, range.size() / max_pairs);
  double sum = 0;
  std::int64_t pairs = 0;
  for (std::int64_t p = range.begin; p + 1 < range.end; p += step, ++pairs)
    sum += overlap<D>(layout, points[p].cell, points[p + 1].cell);
  return pairs > 0 ? sum / static_cast<double>(pairs) : 0.0;
}

// A fixed sequence of random numbers: points that follow a pattern must not meet a sample that does.
class Sample {
 public:
  std::int64_t below(std::int64_t count) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(count));
  }

 private:
  std::uint64_t state_ = 1;
};

// Mean overlap of random pairs in [begin, end).
template <class T, int D>
double overlap_of_pairs(const PackedPoint<T, D>* points, const Layout& layout, Range range, std::int64_t pairs,
                        Sample& sample) {
  double sum = 0;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const auto& one = points[range.begin + sample.below(range.size())];
    const auto& other = points[range.begin + sample.below(range.size())];
    sum += overlap<D>(layout, one.cell, other.cell);
  }
  return sum / static_cast<double>(pairs);
}

// What the sums may be off by, in half units of the last place.
double allowed_error(const Design& design) {
  return summation_share * design.goal / (half_ulp(design.problem.precision) * design.amplification);
}

// What a sum is off by, in the same units: of n terms, of which `repeats` are equal.
double sum_error(double terms, double repeats) {
  const double equal = std::clamp(repeats, 1.0, std::max(1.0, terms));
  return std::max(std::sqrt(terms / 2), equal_terms_rounding * std::sqrt(terms * equal));
}

// Places of a cell along an axis that are told apart.
constexpr int places_of_cell(int dim) { return dim == 1 ? 1024 : dim == 2 ? 64 : 16; }

}  // namespace

PlaceCounts::PlaceCounts(const Layout& layout, std::int64_t points, int threads) : dim_(layout.dim), points_(points) {
  constexpr int fewest_bits = 10, most_bits = 18;
  const auto few_points_an_entry = static_cast<std::uint64_t>(points / 32 + 1);
  bits_ = std::clamp(static_cast<int>(std::bit_width(few_points_an_entry)), fewest_bits, most_bits);
  stride_ = {1, static_cast<std::uint32_t>(layout.padded[0]), static_cast<std::uint32_t>(layout.plane_stride)};
  counts_.resize(static_cast<std::size_t>(threads) << bits_);
}

// Places are counted along the grid in steps of 1/places of a cell: places x cell - (t + 1) places / 2, so that points on
// both sides of a node are near to each other. A shift keeps nodes off the borders of places.
template <class T> void PlaceCounts::add(int thread, const FoldedChunk<T>& chunk, std::int64_t count) {
  constexpr T shift = T(0.37);
  const int places = places_of_cell(dim_);
  const T half = static_cast<T>(places) / 2;
  std::uint32_t entry[fold_chunk];
  for (std::int64_t i = 0; i < fold_chunk; ++i) entry[i] = chunk.cell[i] * static_cast<std::uint32_t>(places);
  for (int axis = 0; axis < dim_; ++axis)
    for (std::int64_t i = 0; i < fold_chunk; ++i) {
      const auto part = static_cast<std::int32_t>((T(1) - chunk.t[axis][i]) * half + shift);
      entry[i] += stride_[axis] * static_cast<std::uint32_t>(part);
    }
  for (std::int64_t i = 0; i < fold_chunk; ++i) {
    std::uint32_t hash = (entry[i] ^ (chunk.key[i] * 0x85ebca6bU)) * 0x9e3779b1U;
    hash = (hash ^ (hash >> 15)) * 0x2c1b3c6dU;
    entry[i] = hash >> (32 - bits_);
  }
  std::uint32_t* mine = counts_.data() + (static_cast<std::size_t>(thread) << bits_);
  for (std::int64_t i = 0; i < count; ++i) ++mine[entry[i]];
}

template <class T> void PlaceCounts::add(int thread, const PackedPoint<T, 1>* points, std::int64_t count) {
  FoldedChunk<T> chunk;
  for (std::int64_t i = 0; i < fold_chunk; ++i) {
    const PackedPoint<T, 1>& point = points[std::min(i, count - 1)];
    chunk.t[0][i] = point.t[0];
    chunk.cell[i] = point.cell;
    chunk.key[i] = 0;
  }
  add(thread, chunk, count);
}

double PlaceCounts::most_repeats() const {
  const std::size_t entries = std::size_t{1} << bits_;
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    std::uint32_t sum = 0;
    for (std::size_t thread = i; thread < counts_.size(); thread += entries) sum += counts_[thread];
    most = std::max(most, sum);
  }
  const double mean = static_cast<double>(points_) / static_cast<double>(entries);
  const double by_chance = mean + 5 * std::sqrt(mean) + 5;
  return std::max(1.0, most - by_chance);
}

// Dense boxes decide: each is looked at. Of the others a sample will do.
template <class T>
double mean_overlap(const SortedPoints& points, const Layout& layout, const std::vector<std::uint32_t>& box_begin) {
  constexpr std::int64_t pairs_in_box = 32, pairs_in_dense = 256, pairs_in_all = std::int64_t{1} << 16;
  constexpr std::int64_t sampled_boxes = 1024;
  const auto boxes = static_cast<std::int64_t>(box_begin.size()) - 1;
  const std::int64_t dense = 8 * (points.count / boxes) + 2 * pairs_in_box, step = boxes / sampled_boxes + 1;
  double sum = 0;
  Sample sample;
  dispatch<1, max_dim>(layout.dim, [&](auto dim) {
    const auto* packed = points.points<T, dim()>();
    for (std::int64_t box = 0; box < boxes; ++box) {
      const std::int64_t begin = box_begin[box], end = box_begin[box + 1], count = end - begin;
      if (count < 2 || (count <= dense && box % step != 0)) continue;
      const double all = static_cast<double>(count) * static_cast<double>(count > dense ? count : count * step);
      const std::int64_t pairs = std::max(count > dense ? pairs_in_dense : pairs_in_box, pairs_in_all / boxes);
      sum += all * overlap_of_pairs(packed, layout, {begin, end}, pairs, sample);
    }
  });
  return sum / static_cast<double>(std::max<std::int64_t>(points.count, 1));
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
    for (int axis = 0; axis < dim; ++axis)
{
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
template double mean_overlap<float>(const SortedPoints&, const Layout&, const std::vector<std::uint32_t>&);
template double mean_overlap<double>(const SortedPoints&, const Layout&, const std::vector<std::uint32_t>&);
template void PlaceCounts::add(int, const FoldedChunk<float>&, std::int64_t);
template void PlaceCounts::add(int, const FoldedChunk<double>&, std::int64_t);
template void PlaceCounts::add(int, const PackedPoint<float, 1>*, std::int64_t);
template void PlaceCounts::add(int, const PackedPoint<double, 1>*, std::int64_t);

}  // namespace offgrid::cpu
