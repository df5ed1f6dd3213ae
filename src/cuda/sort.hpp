// set_points on the device: fold -> sort by bin -> permute into packed records -> subproblems.
// The sort is a radix sort of (bin, place): stable, so its result depends on the points alone, and as fast on clusters as
// on scattered points. No host round trip but one: the flag that a coordinate is not finite, which is read while the sort
// runs and before anything of the earlier points is overwritten.
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
  bool columns = false;  // sorted by column of bins first, and inside by cell along z; subproblems are of columns
};

// Points that were sorted together, with their memory.
template <class T> struct PointSet {
  DeviceBuffer<T> t;                             // [dim][capacity]
  DeviceBuffer<std::uint32_t> low, high, index;  // [capacity]; high and index where they are needed
  DeviceBuffer<std::uint32_t> bin_first;         // [bins + 1]
  DeviceBuffer<Subproblem> items;                // [max_items], of which the first *item_count are there
  DeviceBuffer<std::uint32_t> item_count;        // [1]
  std::int64_t max_items = 0;
  PackedPoints<T> points{};
};

template <class T> class Sorter {
 public:
  Sorter(const SortSpec& spec, MemoryCount& memory);

  // Where it throws, `sets` are the earlier ones, whole.
  void run(const Points<T>& points, std::vector<PointSet<T>>& sets, cudaStream_t stream);

  // Scratch is kept for the next call, unless there is too much of it.
  void trim(std::size_t most_bytes);

 private:
  void reserve_scratch(std::int64_t count);
  PointSet<T> make_set(std::int64_t count);
  bool fits(const PointSet<T>& set, std::int64_t count) const;
  void look_for_bad(const Points<T>& points, cudaStream_t stream);
  void fold_part(const Points<T>& part, cudaStream_t stream);
  void read_flag(cudaStream_t stream);
  void refuse_bad();
  void sort_keys(std::int64_t count, cudaStream_t stream);
  void permute(PointSet<T>& set, std::int64_t first, std::int64_t count, cudaStream_t stream);
  void make_subproblems(PointSet<T>& set, std::int64_t count, cudaStream_t stream);
  std::int64_t max_items(std::int64_t count) const;
  std::uint32_t keys_a_bin() const { return spec_.columns ? spec_.bins.count[2] : 1; }
  std::int64_t item_bins() const { return spec_.bins.total() / keys_a_bin(); }  // bins, or columns of them

  SortSpec spec_;
  MemoryCount& memory_;
  int key_bits_ = 0;
  int shift_[max_dim + 1]{};
  bool wide_cells_ = false;  // a cell needs more than 32 bits

  DeviceBuffer<std::uint32_t> keys_, places_;  // two halves each, [2][capacity]
  std::int64_t capacity_ = 0;
  int half_ = 0;  // the half that is sorted
  DeviceBuffer<std::byte> records_, primitives_;
  DeviceBuffer<std::uint32_t> bin_items_;  // [bins + 1]: subproblems in the bins before this one
  DeviceBuffer<int> bad_;
  HostValue<int> bad_here_;
  Event flag_read_;
};

}  // namespace offgrid::cuda
