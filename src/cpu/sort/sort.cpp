#include "cpu/sort/sort.hpp"

#include <atomic>
#include <bit>

#include "core/dispatch.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "cpu/sort/crowding.hpp"
#include "cpu/sort/fold.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

std::int64_t cut(std::int64_t cells, std::int64_t log2) { return (cells + (std::int64_t{1} << log2) - 1) >> log2; }

template <class T> FoldPlan make_fold_plan(const Points<T>& points, const Layout& layout, const Tiling& tiling) {
  FoldPlan plan{layout.dim, {}};
  const Sizes stride{1, layout.padded[0], layout.plane_stride};
  // Inside a block boxes run x slowest, so that a part of a block is an interval in x.
  const Sizes box_weight{tiling.bricks(1) * tiling.bricks(2), 1, tiling.bricks(1)};
  const Sizes block_weight{1, 1, tiling.blocks[1]};
  for (int a = 0; a < layout.dim; ++a) {
    FoldAxis& axis = plan.axis[a];
    axis.map = points.map[a];
    axis.cells = static_cast<double>(layout.grid[a]);
    axis.half_width = 0.5 * layout.width;
    axis.inverse_box = 1.0 / static_cast<double>(std::int64_t{1} << tiling.box_log2[a]);
    axis.box_weight = static_cast<double>(box_weight[a]);
    axis.cell_weight = static_cast<double>(stride[a]);
    if (!tiling.is_cut(a)) continue;
    axis.block = static_cast<double>(std::int64_t{1} << tiling.block_log2);
    axis.inverse_block = 1.0 / axis.block;
    axis.block_weight = static_cast<double>(tiling.boxes_in_block * block_weight[a]);
  }
  return plan;
}

struct Histograms {
  int parts;  // each is counted by one thread
  std::int64_t box_count;
  MemoryCount* memory;
};

// The counting sort of one set of points: a histogram of each thread's part, then places, then the scatter. It is
// stable, so the order does not depend on the number of threads.
template <class T, int D> class Sorter {
 public:
  Sorter(const Points<T>& points, const FoldPlan& plan, const Histograms& wanted, PlaceCounts& counts)
      : points_(points),
        plan_(plan),
        counts_(counts),
        box_count_(wanted.box_count),
        parts_(std::max(1, wanted.parts)),
        places_(parts_ * box_count_, wanted.memory) {}

  void count_boxes() {
    if (box_count_ == 1) {
      for (int part = 0; part < parts_; ++part)
        places_[part] = static_cast<std::uint32_t>(part_of(points_.count, parts_, part).size());
      return;
    }
    for_each_chunk([&](std::int64_t part, ChunkOfPoints which, FoldedChunk<T>& chunk) {
      std::uint32_t* histogram = places_.data() + part * box_count_;
      if (which.first == part_of(points_.count, parts_, part).begin) std::fill_n(histogram, box_count_, 0U);
      if (!fold_keys(plan_, points_, which, chunk)) return false;
      for (std::int64_t i = 0; i < which.count; ++i) ++histogram[chunk.key[i]];
      return true;
    });
  }

  // Turns counts into places; box_begin receives where each box starts.
  void find_places(std::vector<std::uint32_t>& box_begin) {
    std::uint32_t place = 0;
    for (std::int64_t box = 0; box < box_count_; ++box) {
      box_begin[box] = place;
      for (int part = 0; part < parts_; ++part) {
        const std::uint32_t count = places_[part * box_count_ + box];
        places_[part * box_count_ + box] = place;
        place += count;
      }
    }
    box_begin[box_count_] = place;
  }

  void scatter(PackedPoint<T, D>* sorted) {
    for_each_chunk([&](std::int64_t part, ChunkOfPoints which, FoldedChunk<T>& chunk) {
      std::uint32_t* places = places_.data() + part * box_count_;
      if (!fold_points(plan_, points_, which, chunk)) return false;
      if (counts_.is_counting()) counts_.add(static_cast<int>(part), chunk, which.count);
      // The places are all over memory: ask for a chunk's cache lines before the first of them is written.
      for (std::int64_t i = 0; i < which.count; ++i) __builtin_prefetch(sorted + places[chunk.key[i]], 1);
      for (std::int64_t i = 0; i < which.count; ++i) {
        PackedPoint<T, D>& point = sorted[places[chunk.key[i]]++];
        for (int axis = 0; axis < D; ++axis) point.t[axis] = chunk.t[axis][i];
        point.cell = chunk.cell[i];
        point.index = static_cast<std::uint32_t>(which.first + i);
      }
      return true;
    });
  }

  void pack_in_order(PackedPoint<T, D>* packed) {
    if constexpr (D == 1)
      for_each_chunk([&](std::int64_t part, ChunkOfPoints which, FoldedChunk<T>& chunk) {
        if (!fold_in_order(plan_, points_, which, packed + which.first)) return false;
        if (counts_.is_counting()) count_packed(static_cast<int>(part), packed + which.first, which.count, chunk);
        return true;
      });
  }

 private:
  // Counts the places of points in order while they are in the first-level cache. All of them are in one block.
  void count_packed(int part, const PackedPoint<T, D>* packed, std::int64_t count, FoldedChunk<T>& chunk) {
    if (count < fold_chunk) chunk = {};
    std::fill_n(chunk.key, fold_chunk, 0U);
    for (std::int64_t i = 0; i < count; ++i) {
      chunk.t[0][i] = packed[i].t[0];
      chunk.cell[i] = packed[i].cell;
    }
    counts_.add(part, chunk, count);
  }

  // body(part, chunk of points, room), false where a coordinate is not finite; a thread takes a part's chunks in order.
  template <class F> void for_each_chunk(F&& body) const {
    std::atomic<bool> finite{true};
    parallel_for({parts_, fold_point_time * static_cast<double>(points_.count)}, parts_, [&](std::int64_t part, int) {
      const Range range = part_of(points_.count, parts_, part);
      FoldedChunk<T> room;
      for (std::int64_t first = range.begin; first < range.end; first += fold_chunk)
        if (!body(part, {first, std::min<std::int64_t>(fold_chunk, range.end - first)}, room)) {
          finite = false;
          return;
        }
    });
    if (!finite) throw Error(Status::invalid_argument, bad_coordinate);
  }

  const Points<T>& points_;
  const FoldPlan& plan_;
  PlaceCounts& counts_;
  std::int64_t box_count_;
  int parts_;
  Buffer<std::uint32_t> places_;  // [part][box]
};

std::vector<Block> list_blocks(const Tiling& tiling, const Layout& layout,
                               const std::vector<std::uint32_t>& box_begin) {
  std::vector<Block> blocks;
  for (std::int64_t b = 0; b < tiling.block_count; ++b) {
    const std::int64_t begin = box_begin[b * tiling.boxes_in_block], end = box_begin[(b + 1) * tiling.boxes_in_block];
    if (begin == end) continue;
    const std::int64_t y = b % tiling.blocks[1], z = b / tiling.blocks[1];
    const std::int64_t cell = tiling.dim == 1 ? b : y * layout.padded[0] + z * layout.plane_stride;
    const std::int64_t colour = tiling.dim == 1 ? b & 1 : (y & 1) + 2 * (z & 1);
    blocks.push_back({begin, end - begin, cell << tiling.block_log2, static_cast<int>(colour)});
  }
  return blocks;
}

// A packed point counts the cells of its block in 32 bits.
void require_countable(const Layout& layout, const Tiling& tiling) {
  const std::int64_t outermost = layout.dim == 1 ? 1 : layout.dim == 2 ? layout.padded[0] : layout.plane_stride;
  if (outermost >= (std::int64_t{1} << 32) >> tiling.block_log2)
    throw Error(Status::invalid_argument,
                text("grid: ", outermost, " cells in a row or plane are too many for the CPU"));
}

// The columns that 1D points in order reach, in whole segments.
template <class T> std::vector<Range> reached_columns(const SortedPoints& points, const Layout& layout, int threads) {
  constexpr std::int64_t segment = 32;
  std::vector<std::atomic<bool>> reached(layout.cells / segment + 1);
  parallel_for({threads, look_point_time * static_cast<double>(points.count)}, threads, [&](std::int64_t part, int) {
    const Range range = part_of(points.count, threads, part);
    for (std::int64_t p = range.begin; p < range.end; ++p) {
      std::atomic<bool>& mine = reached[points.points<T, 1>()[p].cell / segment];
      if (!mine.load(std::memory_order_relaxed)) mine.store(true, std::memory_order_relaxed);
    }
  });
  std::vector<Range> columns;
  for (std::int64_t s = 0; s < static_cast<std::int64_t>(reached.size()); ++s) {
    if (!reached[s]) continue;
    const Range range{s * segment, std::min((s + 1) * segment + Layout::row_reach, layout.cells)};
    if (!columns.empty() && columns.back().end >= range.begin)
      columns.back().end = range.end;
    else
      columns.push_back(range);
  }
  return columns;
}

bool fits(const Buffer<std::byte>& spare, std::int64_t bytes) {
  return spare.size() >= bytes && spare.size() <= 4 * bytes;
}

}  // namespace

Tiling::Tiling(const Layout& layout, const SortPolicy& policy)
    : dim(layout.dim), box_log2(policy.box_log2), block_log2(cpu::block_log2(layout.dim, layout.width)) {
  if (policy.in_order) {
    box_log2[0] = block_log2 = std::bit_width(static_cast<std::uint64_t>(layout.grid[0]));
    return;
  }
  const auto count_boxes = [&] {
    boxes_in_block = dim == 1 ? bricks(0) : cut(layout.grid[0], box_log2[0]) * bricks(1) * bricks(2);
    block_count = 1;
    for (int axis = 0; axis < dim; ++axis) {
      blocks[axis] = is_cut(axis) ? cut(layout.grid[axis], block_log2) : 1;
      block_count *= blocks[axis];
    }
  };
  const auto too_many = [&] {
    const bool roomy = std::int64_t{1} << (box_log2[0] + box_log2[1] + box_log2[2]) >= policy.roomy;
    return box_count() > policy.max_boxes || (box_count() > policy.few_boxes && !roomy);
  };
  for (count_boxes(); too_many(); count_boxes()) {  // grow the shortest side
    int shortest = 0;
    for (int axis = 1; axis < dim; ++axis)
      if (box_log2[axis] < box_log2[shortest]) shortest = axis;
    ++box_log2[shortest];
    if (is_cut(shortest)) block_log2 = std::max(block_log2, box_log2[shortest]);
  }
}

template <class T>
SortedPoints sort_points(const Points<T>& points, const Layout& layout, const SortPolicy& policy, int threads,
                         PointStorage& storage) {
  const Tiling tiling(layout, policy);
  require_countable(layout, tiling);
  const FoldPlan plan = make_fold_plan(points, layout, tiling);
  const int parts = threads_for(fold_point_time * static_cast<double>(points.count), threads);
  const std::int64_t bytes = points.count * packed_size<T>(layout.dim);
  const bool reuse = fits(storage.spare, bytes);
  SortedPoints sorted{reuse ? Buffer<std::byte>() : Buffer<std::byte>(bytes, storage.count),
                      {},
                      0,
                      points.count,
                      policy.in_order,
                      std::int64_t{1} << tiling.block_log2,
                      std::int64_t{1} << tiling.box_log2[0]};
  std::vector<std::uint32_t> box_begin(tiling.box_count() + 1);
  const CrowdingCase crowding{layout, box_begin, policy.allowed_error, parts};
  PlaceCounts counts;
  dispatch<1, max_dim>(layout.dim, [&](auto dim) {
    static_assert(sizeof(PackedPoint<T, dim()>) == packed_size<T>(dim()));
    Sorter<T, dim()> sorter(points, plan, {parts, tiling.box_count(), storage.count}, counts);
    sorter.count_boxes();
    sorter.find_places(box_begin);
    sorted.blocks = list_blocks(tiling, layout, box_begin);
    if (policy.may_crowd && counts_every_place(crowding)) counts = PlaceCounts(layout, points.count, parts);
    auto* packed = reinterpret_cast<PackedPoint<T, dim()>*>((reuse ? storage.spare : sorted.packed).data());
    policy.in_order ? sorter.pack_in_order(packed) : sorter.scatter(packed);
  });
  if (reuse) sorted.packed = std::move(storage.spare);
  if (policy.may_crowd) {
    const auto [overlap, repeats] = measure_crowding<T>(sorted, crowding, counts);
    sorted.overlap = overlap;
    sorted.repeats = repeats;
  }
  if (policy.in_order) {
    const bool close = neighbour_overlap<T>(sorted, layout) >= clustered_overlap;
    sorted.columns = close ? reached_columns<T>(sorted, layout, parts) : std::vector<Range>{{0, layout.cells}};
    sorted.clustered = close && sorted.column_count() * clustered_points <= points.count;
  }
  return sorted;
}

template <class T> void require_dropped_axes(const Points<T>& points, int dim, int threads) {
  for (int axis = dim; axis < max_dim; ++axis) {
    const T* x = points.axis[axis];
    if (x == nullptr) continue;
    std::atomic<bool> good{true};
    const double time = look_point_time * static_cast<double>(points.count);
    const int parts = threads_for(time, threads);
    parallel_for({threads, time}, parts, [&](std::int64_t part, int) {
      const Range range = part_of(points.count, parts, part);
      const bool mine = std::all_of(x + range.begin, x + range.end,
                                    [](T value) { return std::abs(static_cast<double>(value)) <= largest_coordinate; });
      if (!mine) good = false;
    });
    if (!good) throw Error(Status::invalid_argument, bad_coordinate);
  }
}

template <class T>
SortedPoints convert_points(const SortedPoints& points, const Conversion& how, PointStorage& storage) {
  const std::int64_t bytes = points.count * packed_size<T>(how.dim);
  SortedPoints wide{fits(storage.spare, bytes) ? std::move(storage.spare) : Buffer<std::byte>(bytes, storage.count),
                    points.blocks,
                    points.first_point,
                    points.count,
                    points.in_order,
                    points.block_side,
                    points.box_side,
                    points.overlap,
                    points.repeats,
                    points.clustered,
                    points.columns};
  dispatch<1, max_dim>(how.dim, [&](auto dim) {
    const auto* source = points.points<float, dim()>();
    auto* target = reinterpret_cast<PackedPoint<T, dim()>*>(wide.packed.data());
    for_ranges(how.threads, {1, points.count, copied_chunk}, copy_time, [&](std::int64_t, const Range& range) {
      for (std::int64_t p = range.begin; p < range.end; ++p) {
        for (int axis = 0; axis < dim(); ++axis) target[p].t[axis] = source[p].t[axis];
        target[p].cell = source[p].cell;
        target[p].index = source[p].index;
      }
    });
  });
  return wide;
}

template void require_dropped_axes(const Points<float>&, int, int);
template void require_dropped_axes(const Points<double>&, int, int);
template SortedPoints convert_points<double>(const SortedPoints&, const Conversion&, PointStorage&);
template SortedPoints sort_points(const Points<float>&, const Layout&, const SortPolicy&, int, PointStorage&);
template SortedPoints sort_points(const Points<double>&, const Layout&, const SortPolicy&, int, PointStorage&);

}  // namespace offgrid::cpu
