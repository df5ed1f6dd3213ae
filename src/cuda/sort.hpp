// set_points on the device: fold -> sort by bin -> subproblems -> permute into packed records.
// The sort is a radix sort of (bin, place): stable, so its result depends on the points alone, and as fast on clusters as
// on scattered points. No host round trip but one: the flag that a coordinate is not finite, which is read before
// anything of the earlier points is overwritten.
//
// What the permutation gathers, a point at a time from anywhere, decides its speed and the memory:
//   from records      which the fold has written, so that a point is one read of one sector; the flag is read while the
//                     sort runs. The sort has scratch memory of its own
//   from coordinates  folded once more, for so many points that memory matters. The sort works in the memory of the set
//                     that it makes, and the flag is read first
#pragma once

#include <vector>

#include "cuda/memory.hpp"
#include "cuda/points.hpp"

namespace offgrid::cuda {

struct SortSpec {
  int dim = 1, width = 2;
  GridShape grid{};
  Bins bins{};
  std::int64_t subproblem_points = 1024;
  std::int64_t set_points = 0;  // at most this many are sorted together
  bool sorted = true, subproblems = true;
  bool columns = false;   // sorted by column of bins first, and inside by cell along z; subproblems are of columns
  bool densest = false;   // how many points the densest bin or column has is needed
  int fraction_bits = 0;  // of joined records (points.hpp); 0: apart
};

// Points that were sorted together, with their memory.
template <class T> struct PointSet {
  DeviceBuffer<T> t;                             // [dim][capacity], or words of joined records
  DeviceBuffer<std::uint32_t> low, high, index;  // [capacity], where they are needed
  DeviceBuffer<std::uint32_t> bin_first;         // [bins + 1]
  DeviceBuffer<Subproblem> items;                // [max_items], of which the first *item_count are there
  DeviceBuffer<std::uint32_t> item_count;        // [1]
  DeviceBuffer<std::uint32_t> densest;           // [1]: most points of a bin or column, where that is needed
  std::int64_t max_items = 0;
  PackedPoints<T> points{};
};

enum class CellKind { joined, low, low_and_high };

template <class T> class Sorter {
 public:
  Sorter(const SortSpec& spec, MemoryCount& memory);

  // Where it throws, `sets` are the earlier ones, whole.
  void run(const Points<T>& points, std::vector<PointSet<T>>& sets, cudaStream_t stream);

  // Scratch is kept for the next call, unless there is too much of it.
  void trim(std::size_t most_bytes);

 private:
  // Where the keys and places of a part are sorted, to and fro.
  struct Work {
    std::uint32_t *keys[2], *places[2];
    std::byte* records;  // null: the permutation gathers coordinates
    int half = 0;        // the one that is sorted
  };

  bool gathers_coordinates(std::int64_t count) const;
  void reserve_scratch(std::int64_t count, bool in_place);
  Work scratch() const;
  Work work_in(const PointSet<T>& set) const;
  PointSet<T> make_set(std::int64_t count);
  bool fits(const PointSet<T>& set, std::int64_t count) const;
  void look_for_bad(const Points<T>& points, cudaStream_t stream);
  void fold_part(const Points<T>& part, const Work& work, cudaStream_t stream);
  void read_flag(cudaStream_t stream);
  void refuse_bad();
  void sort_keys(Work& work, std::int64_t count, cudaStream_t stream);
  void permute(PointSet<T>& set, const Points<T>& part, const Work& work, std::int64_t first, cudaStream_t stream);
  void make_subproblems(PointSet<T>& set, const std::uint32_t* keys, std::int64_t count, cudaStream_t stream);
  std::int64_t max_items(std::int64_t count) const;
  std::uint32_t keys_a_bin() const { return spec_.columns ? spec_.bins.count[2] : 1; }
  std::int64_t item_bins() const { return spec_.bins.total() / keys_a_bin(); }  // bins, or columns of them

  SortSpec spec_;
  MemoryCount& memory_;
  int key_bits_ = 0;
  int shift_[max_dim + 1]{};
  CellKind cells_ = CellKind::low;

  DeviceBuffer<std::uint32_t> pairs_;  // [4][capacity]: two halves of keys, two of places
  std::int64_t capacity_ = 0;
  DeviceBuffer<std::byte> records_, primitives_;
  DeviceBuffer<std::uint32_t> bin_items_;  // [bins + 1]: subproblems in the bins before this one
  DeviceBuffer<int> bad_;
  HostValue<int> bad_here_;
  Event flag_read_;
};

}  // namespace offgrid::cuda
