// set_points on the device: fold -> sort by bin -> subproblems.
// The sort is a radix sort with digits of up to 11 bits: stable, so its result depends on the points alone, and as fast
// on clusters as on scattered points. No host round trip but one, at the end: the flag that a coordinate cannot be folded.
// Kernels that would overwrite the earlier points read it too.
//
// What it moves decides its speed and the memory:
//   records        one or two passes, rarely three, and they are where they belong
//   indices in set  for so many points that memory matters. The sort works in the memory of the set that it makes, and in
//                  the end the points are folded once more, each read from anywhere
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
  bool columns = false;      // sorted by column of bins first, and inside by cell along z; subproblems are of columns
  bool rows = false;         // in 2D, columns are sorted by cell along y, so that neighbours read the same rows
  bool inverse = false;      // results are wanted in the caller's order (PointSet::inverse),
  std::int64_t vectors = 1;  // of so many vectors together
  int fraction_bits = 0;     // of joined records (points.hpp); 0: apart
  std::size_t shared_bytes = 0;  // that a block of this device may have

  [[nodiscard]] std::int64_t levels() const { return !columns ? 0 : rows ? bins.size[1] : bins.count[2]; }
  [[nodiscard]] std::int64_t item_bins() const { return bins.total() / (columns ? bins.count[2] : 1); }  // or columns
  [[nodiscard]] std::int64_t keys() const { return columns ? item_bins() * levels() : bins.total(); }
};

// Points that were sorted together, with their memory.
template <class T> struct PointSet {
  DeviceBuffer<std::byte> records;
  DeviceBuffer<std::uint32_t> inverse;     // [capacity]: where the caller's points are packed, if `inverted`
  DeviceBuffer<std::uint32_t> bin_first;   // [bins + 1]
  DeviceBuffer<Subproblem> items;          // [max_items], of which the first *item_count have points
  DeviceBuffer<std::uint32_t> item_count;  // [1]
  DeviceBuffer<std::uint32_t> densest;     // [1]: most points of a bin or column
  bool inverted = false;
  std::int64_t max_items = 0;
  PackedPoints<T> points{};
};

// Whether results of so many points are brought into the caller's order in the end (sort_policy.hpp), where a method gathers
// them at all.
template <class T> bool gathers(std::int64_t count, std::int64_t vectors) {
  const std::int64_t bytes = count * std::int64_t{2 * sizeof(T)};
  return bytes >= scattered_bytes && bytes <= most_gathered_bytes / vectors;
}

// Gives points that were sorted without an inverse one.
template <class T> void invert_later(PointSet<T>& set, MemoryCount& memory, cudaStream_t stream);

enum class Moves { records, indices_in_set };

template <class T> class Sorter {
 public:
  Sorter(const SortSpec& spec, MemoryCount& memory);

  // Where it throws, `sets` are the earlier ones, whole. subproblem: points of one, at most.
  void run(const Points<T>& points, std::int64_t subproblem, std::vector<PointSet<T>>& sets, cudaStream_t stream);

  // The most subproblems of a bin or column that reach one cell. Waits for the sort.
  std::int64_t longest_run(const std::vector<PointSet<T>>& sets, cudaStream_t stream);

  // Whether so many points get an inverse.
  bool inverts(std::int64_t count) const;

  // Scratch is kept for the next call, unless there is too much of it.
  void trim(std::size_t most_bytes);

 private:
  static constexpr int max_passes = 4;
  // Where a part is sorted, to and fro.
  struct Work {
    std::uint32_t* keys[max_passes];  // that a pass reads
    std::byte* moved[max_passes];     // what the last pass writes, the one before it, and so on
    std::uint32_t* table;
    std::uint32_t *starts, *densest;  // of the digits; most points of a bin or column
  };

  Moves moves(std::int64_t count) const;
  void reserve_scratch(std::int64_t count);
  Work work_for(const PointSet<T>& set, std::int64_t count) const;
  PointSet<T> make_set(std::int64_t count);
  bool fits(const PointSet<T>& set, std::int64_t count) const;
  PackedPoints<T> packed(const PointSet<T>& set, std::int64_t first, std::int64_t count) const;
  void look_for_bad(const Points<T>& points, int axes, cudaStream_t stream);
  void refuse_bad(cudaStream_t stream);
  void sort(const Points<T>& part, const Work& work, cudaStream_t stream);
  void fold(const Points<T>& part, const Work& work, const struct Pass& pass, cudaStream_t stream);
  void sum(const struct Sums& sums, cudaStream_t stream);
  void scatter(const Points<T>& part, const Work& work, int number, const struct Pass& pass, cudaStream_t stream);
  void finish(const PointSet<T>& set, const Points<T>& part, const Work& work, cudaStream_t stream);
  void invert(const PointSet<T>& set, std::int64_t count, const Work& work, cudaStream_t stream);
  void make_subproblems(const PointSet<T>& set, const PackedPoints<T>& points, const Work& work, cudaStream_t stream);
  struct Refusal refusal() const;
  bool large_tiles(std::int64_t count) const;
  std::int64_t element_bytes() const { return moves_ == Moves::records ? record_bytes_ : 4; }  // that a pass moves
  std::int64_t tiles_for(std::int64_t count) const;
  std::size_t table_bytes(std::int64_t count) const;
  bool table_in_set(std::int64_t count) const;
  struct Pass pass_of(int number, std::int64_t count, const Work& work) const;
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
  HostValue<int> bad_;                     // kernels write to it,
  DeviceBuffer<int> refused_;              // [1]: and to this one, which they read
  DeviceBuffer<std::uint32_t> longest_;    // [1], for longest_run
  HostValue<std::uint32_t> longest_on_host_;
  bool unsure_ = true;  // whether it is 0
  Event folded_;
};

}  // namespace offgrid::cuda
