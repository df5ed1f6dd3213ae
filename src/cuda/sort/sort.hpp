// set_points on the device: fold -> sort by bin -> subproblems. The sort is a radix sort with digits of up to 11 bits.
// It is stable, so that its result depends on the points alone, and it is as fast on clusters as on scattered points.
// The host waits for the device once, at the end, to read the flag which says that a coordinate cannot be folded.
// Kernels that would overwrite the earlier points read this flag too.
//
// What the passes move decides their speed and the memory (Moves):
//   records         whole records. They are in their final order after one or two passes, rarely after three.
//   indices_in_set  indices of the points, where there are so many points that memory matters. The sort works in the memory
//                   of the set that it makes. At the end all points are folded once more, read in the sorted order.
#pragma once

#include <vector>

#include "cuda/kernels/points.hpp"
#include "cuda/memory.hpp"
#include "cuda/sort/sort_policy.hpp"

namespace offgrid::cuda {

struct SortSpec {
  int dim = 1, width = 2;
  GridShape grid{};
  Bins bins{};
  std::int64_t subproblem_points = 1024;
  std::int64_t set_points = 0;  // at most this many are sorted together
  bool sorted = true, subproblems = true;
  bool columns = false;  // sort by column of bins first, then along z inside a column; a subproblem is part of a column
  bool rows = false;     // in 2D, sort a column by cell along y, so that neighbouring points read the same rows
  bool inverse = false;  // results are wanted in the caller's order (PointSet::inverse)
  std::int64_t vectors = 1;      // how many vectors are transformed together
  int fraction_bits = 0;         // of joined records (points.hpp); 0: cell and t are apart
  std::size_t shared_bytes = 0;  // the most that a block of this device may have

  // How many different keys a column has; 0 where there are no columns.
  [[nodiscard]] std::int64_t levels() const { return !columns ? 0 : rows ? bins.size[1] : bins.count[2]; }
  // How many bins, or columns of bins, are cut into subproblems.
  [[nodiscard]] std::int64_t item_bins() const { return bins.total() / (columns ? bins.count[2] : 1); }
  [[nodiscard]] std::int64_t keys() const { return columns ? item_bins() * levels() : bins.total(); }
};

// Points that were sorted together, with their memory.
template <class T> struct PointSet {
  DeviceBuffer<std::byte> records;
  DeviceBuffer<std::uint32_t> inverse;  // [capacity]: the packed position of each of the caller's points, if `inverted`
  DeviceBuffer<std::uint32_t> bin_first;   // [bins + 1]
  DeviceBuffer<Subproblem> items;          // [max_items]; the first *item_count of them have points
  DeviceBuffer<std::uint32_t> item_count;  // [1]
  DeviceBuffer<std::uint32_t> densest;     // [1]: the points of the fullest bin or column
  bool inverted = false;
  std::int64_t max_items = 0;
  PackedPoints<T> points{};
};

// Whether the results of `count` points are first written in the packed order and then gathered into the caller's order
// (sort_policy.hpp), if the method gathers results at all.
template <class T> bool gathers(std::int64_t count, std::int64_t vectors) {
  const std::int64_t bytes = count * std::int64_t{2 * sizeof(T)};
  return bytes >= scattered_bytes && bytes <= most_gathered_bytes / vectors;
}

// Makes the inverse of points that were sorted without it.
template <class T> void invert_later(PointSet<T>& set, MemoryCount& memory, cudaStream_t stream);

enum class Moves { records, indices_in_set };

template <class T> class Sorter {
 public:
  Sorter(const SortSpec& spec, MemoryCount& memory);

  // If this throws, `sets` still holds the earlier points, unharmed. `subproblem` is the most points of one subproblem.
  void run(const Points<T>& points, std::int64_t subproblem, std::vector<PointSet<T>>& sets, cudaStream_t stream);

  // The points that another sorter has sorted for a grid of `grid` cells and a kernel of `width`, from its sets. False: this
  // sorter would have to go back to their coordinates. `sets` must be empty.
  struct Sorted {
    const std::vector<PointSet<T>>& sets;
    const GridShape& grid;
    int width;
  };
  bool run_from(const Sorted& from, std::int64_t subproblem, std::vector<PointSet<T>>& sets, cudaStream_t stream);

  // Whether records of `count` points are sorted as such, which run_from asks of both sorters.
  bool moves_records(std::int64_t count) const { return spec_.sorted && moves(count) == Moves::records; }

  // How many subproblems of one bin or column reach the same cell, at most. This waits for the sort.
  std::int64_t longest_run(const std::vector<PointSet<T>>& sets, cudaStream_t stream);

  // Whether run() makes the inverse for `count` points.
  bool inverts(std::int64_t count) const;

  // Frees the scratch memory, which otherwise is kept for the next run, if it has more than `most_bytes`.
  void trim(std::size_t most_bytes);

 private:
  static constexpr int max_passes = 4;
  // The memory between which the passes move a part of the points.
  struct Buffers {
    std::uint32_t* keys[max_passes];  // [pass]: the keys that this pass reads
    std::byte* moved[max_passes];     // [passes left]: where a pass writes after which so many are left
    std::uint32_t* table;             // [digit][tile] (Pass)
    std::uint32_t* starts;            // [digit] (Pass)
    std::uint32_t* densest;           // [1]: the points of the fullest bin or column
  };

  Moves moves(std::int64_t count) const;
  void reserve_scratch(std::int64_t count);
  Buffers buffers_for(const PointSet<T>& set, std::int64_t count) const;
  PointSet<T> make_set(std::int64_t count);
  bool fits(const PointSet<T>& set, std::int64_t count) const;
  PackedPoints<T> packed(const PointSet<T>& set, std::int64_t first, std::int64_t count) const;
  void look_for_bad(const Points<T>& points, int axes, cudaStream_t stream);
  void refuse_bad(cudaStream_t stream);
  void sort(const Points<T>& part, const Buffers& buffers, cudaStream_t stream);
  void fold(const Points<T>& part, const Buffers& buffers, const struct Pass& pass, cudaStream_t stream);
  void sum(const struct Sums& sums, cudaStream_t stream);
  void scatter(const Points<T>& part, const Buffers& buffers, int number, const struct Pass& pass, cudaStream_t stream);
  void count_digits(const struct Pass& pass, int number, const Buffers& buffers, cudaStream_t stream);
  struct Scatter scatter_of(int number, std::int64_t count, const Buffers& buffers) const;
  template <class Source>
  void launch_any(const Source& source, const struct Pass& pass, const struct Scatter& scatter,
                  cudaStream_t stream) const;
  void refold(const PointSet<T>& points, const Sorted& from, std::byte* records, std::uint32_t* keys,
              cudaStream_t stream);
  void finish(const PointSet<T>& set, const Points<T>& part, const Buffers& buffers, cudaStream_t stream);
  void invert(const PointSet<T>& set, std::int64_t count, const Buffers& buffers, cudaStream_t stream);
  void make_subproblems(const PointSet<T>& set, const PackedPoints<T>& points, const Buffers& buffers,
                        cudaStream_t stream);
  struct Refusal refusal() const;
  bool large_tiles(std::int64_t count) const;
  std::int64_t element_bytes() const { return moves_ == Moves::records ? record_bytes_ : 4; }  // of what a pass moves
  std::int64_t tiles_for(std::int64_t count) const;
  std::size_t table_bytes(std::int64_t count) const;
  bool table_in_set(std::int64_t count) const;
  struct Pass pass_of(int number, std::int64_t count, const Buffers& buffers) const;
  std::int64_t max_items(std::int64_t count) const;

  SortSpec spec_;
  MemoryCount& memory_;
  int key_bits_ = 1, passes_ = 1, digit_bits_ = 1;
  int shift_[max_dim + 1]{};
  CellKind cells_ = CellKind::low;
  std::int64_t record_bytes_ = 0;
  Moves moves_ = Moves::records;
  bool inverting_ = false;

  DeviceBuffer<std::byte> scratch_;
  DeviceBuffer<unsigned long long> sum_states_;
  DeviceBuffer<std::uint32_t> bin_items_;  // [bins + 1]: subproblems in the bins before this one
  HostValue<int> bad_;                     // 1: a coordinate cannot be folded; written by kernels, read by the host
  DeviceBuffer<int> refused_;              // [1]: the same, for kernels to read
  DeviceBuffer<std::uint32_t> longest_;    // [1], for longest_run
  HostValue<std::uint32_t> longest_on_host_;
  bool refused_may_be_set_ = true;  // the last run did not end well, so that refused_ has to be cleared
  Event folded_;                    // bad_ is final
};

}  // namespace offgrid::cuda
