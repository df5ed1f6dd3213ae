#include "cpu/simd.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/sort/place_counts.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/dispatch.hpp"
#include "cpu/sort/place_counts.hpp"
#include "cpu/threads.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {

// Places are counted along the grid in steps of 1/places of a cell: places x cell - (t + 1) places / 2, so that points on
// both sides of a node are near to each other. A shift keeps nodes off the borders of places. Plain loops, which the compiler
// turns into vectors of each instruction set.
template <class T>
void hash_chunk(const PlaceHash& hash, const FoldedChunk<T>& chunk, std::uint32_t* HWY_RESTRICT entry) {
  constexpr T shift = T(0.37);
  const T half = static_cast<T>(hash.places) / 2;
  const int unused_bits = 32 - hash.bits;
  for (std::int64_t i = 0; i < fold_chunk; ++i) entry[i] = chunk.cell[i] * static_cast<std::uint32_t>(hash.places);
  for (int axis = 0; axis < hash.dim; ++axis)
    for (std::int64_t i = 0; i < fold_chunk; ++i) {
      const auto part = static_cast<std::int32_t>((T(1) - chunk.t[axis][i]) * half + shift);
      entry[i] += hash.stride[axis] * static_cast<std::uint32_t>(part);
    }
  for (std::int64_t i = 0; i < fold_chunk; ++i) {
    std::uint32_t mixed = (entry[i] ^ (chunk.key[i] * 0x85ebca6bU)) * 0x9e3779b1U;
    mixed = (mixed ^ (mixed >> 15)) * 0x2c1b3c6dU;
    entry[i] = mixed >> unused_bits;
  }
}

void hash_chunk_f32(const PlaceHash& hash, const FoldedChunk<float>& chunk, std::uint32_t* entry) {
  hash_chunk(hash, chunk, entry);
}
void hash_chunk_f64(const PlaceHash& hash, const FoldedChunk<double>& chunk, std::uint32_t* entry) {
  hash_chunk(hash, chunk, entry);
}

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace offgrid::cpu {
namespace {

HWY_EXPORT(hash_chunk_f32);
HWY_EXPORT(hash_chunk_f64);

// Places of a cell along an axis that are told apart.
constexpr int places_of_cell(int dim) { return dim == 1 ? 1024 : dim == 2 ? 64 : 16; }

// Walks through sorted points in ascending order, one at random of each `step`.
template <class T, int D> class SampledPoints {
 public:
  SampledPoints(const SortedPoints& points, std::int64_t step)
      : points_(points), step_(step), packed_(points.points<T, D>()) {}

  // The samples of a range, at most a chunk of them. Cells count from the first one of a block, whose number is the key.
  void read(Range range, FoldedChunk<T>& chunk) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t p = i * step_ + random_below(step_, static_cast<std::uint64_t>(i)), place = i - range.begin;
      while (p >= points_.blocks[block_].first_point + points_.blocks[block_].points) ++block_;
      for (int axis = 0; axis < D; ++axis) chunk.t[axis][place] = packed_[p].t[axis];
      chunk.cell[place] = packed_[p].cell;
      chunk.key[place] = static_cast<std::uint32_t>(block_);
    }
  }

 private:
  const SortedPoints& points_;
  std::int64_t step_;
  const PackedPoint<T, D>* packed_;
  std::size_t block_ = 0;
};

}  // namespace

PlaceCounts::PlaceCounts(const Layout& layout, std::int64_t points, int threads, int points_an_entry)
    : points_(points) {
  constexpr int fewest_bits = 10, most_bits = 18;
  const auto entries = static_cast<std::uint64_t>(points / points_an_entry + 1);
  hash_.dim = layout.dim;
  hash_.places = places_of_cell(layout.dim);
  hash_.bits = std::clamp(static_cast<int>(std::bit_width(entries)), fewest_bits, most_bits);
  hash_.stride = {1, static_cast<std::uint32_t>(layout.padded[0]), static_cast<std::uint32_t>(layout.plane_stride)};
  counts_.resize(static_cast<std::size_t>(threads) << hash_.bits);
}

template <class T> void PlaceCounts::add(int thread, const FoldedChunk<T>& chunk, std::int64_t count) {
  std::uint32_t entry[fold_chunk];
  if constexpr (sizeof(T) == 4)
    HWY_DYNAMIC_DISPATCH(hash_chunk_f32)(hash_, chunk, entry);
  else
    HWY_DYNAMIC_DISPATCH(hash_chunk_f64)(hash_, chunk, entry);
  std::uint32_t* mine = counts_.data() + (static_cast<std::size_t>(thread) << hash_.bits);
  for (std::int64_t i = 0; i < count; ++i) ++mine[entry[i]];
}

double PlaceCounts::most() const {
  const std::size_t entries = std::size_t{1} << hash_.bits;
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    std::uint32_t sum = 0;
    for (std::size_t thread = i; thread < counts_.size(); thread += entries) sum += counts_[thread];
    most = std::max(most, sum);
  }
  return most;
}

double PlaceCounts::most_repeats() const {
  const double mean = static_cast<double>(points_) / std::exp2(hash_.bits);
  const double by_chance = mean + 5 * std::sqrt(mean) + 5;
  return std::max(1.0, most() - by_chance);
}

template <class T>
PlaceCounts count_places(const SortedPoints& points, const Layout& layout, std::int64_t step, int threads) {
  const std::int64_t samples = points.count / step;
  const Work work{threads, fold_point_time * static_cast<double>(samples)};
  const int parts = threads_for(work.nanoseconds, work.threads);
  PlaceCounts counts(layout, samples, parts, step == 1 ? PlaceCounts::many_an_entry : PlaceCounts::few_an_entry);
  dispatch<1, max_dim>(layout.dim, [&](auto dim) {
    parallel_for(work, parts, [&](std::int64_t part, int) {
      const Range mine = part_of(samples, parts, part);
      SampledPoints<T, dim()> sample(points, step);
      FoldedChunk<T> chunk{};
      for (Range some{mine.begin, 0}; some.begin < mine.end; some.begin = some.end) {
        some.end = std::min(some.begin + fold_chunk, mine.end);
        sample.read(some, chunk);
        counts.add(static_cast<int>(part), chunk, some.size());
      }
    });
  });
  return counts;
}

template void PlaceCounts::add(int, const FoldedChunk<float>&, std::int64_t);
template void PlaceCounts::add(int, const FoldedChunk<double>&, std::int64_t);
template PlaceCounts count_places<float>(const SortedPoints&, const Layout&, std::int64_t, int);
template PlaceCounts count_places<double>(const SortedPoints&, const Layout&, std::int64_t, int);

}  // namespace offgrid::cpu
#endif
