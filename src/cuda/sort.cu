#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "core/dispatch.hpp"
#include "cuda/fold.cuh"
#include "cuda/policy.hpp"
#include "cuda/sort.hpp"

namespace offgrid::cuda {
namespace {

constexpr int threads = 256;

int blocks_for(std::int64_t count) { return static_cast<int>((count + threads - 1) / threads); }

// What the permutation moves: one read of one place in memory a point.
template <class T, int D, class Cell> struct Record {
  T t[D];
  Cell cell;
};

struct FoldArguments {
  GridShape grid;
  Bins bins;
  int shift[max_dim + 1];
  double half_width;
  std::int64_t count;
  bool columns;
};

template <class T> struct Coordinates { const T* axis[max_dim]; };

template <class T, int D, class Cell>
__global__ void __launch_bounds__(threads) fold_kernel(Coordinates<T> x, FoldArguments a, Record<T, D, Cell>* records,
                                                       std::uint32_t* keys, std::uint32_t* places, int* bad) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= a.count) return;
  Record<T, D, Cell> record;
  record.cell = 0;
  std::uint32_t bin[max_dim]{};
  bool finite = true;
#pragma unroll
  for (int axis = D - 1; axis >= 0; --axis) {
    const auto value = static_cast<double>(x.axis[axis][i]);
    finite = finite && isfinite(value);
    const Folded folded = fold(value, static_cast<double>(a.grid.n[axis]), a.half_width);
    record.t[axis] = static_cast<T>(folded.t);
    record.cell |= static_cast<Cell>(folded.cell) << a.shift[axis];
    bin[axis] = folded.cell / a.bins.size[axis];
  }
  if (!finite) *bad = 1;
  records[i] = record;
  if (keys == nullptr) return;
  const std::uint32_t plane = bin[1] * a.bins.count[0] + bin[0];
  keys[i] = a.columns ? plane * a.bins.count[2] + bin[2] : bin[2] * (a.bins.count[1] * a.bins.count[0]) + plane;
  places[i] = static_cast<std::uint32_t>(i);
}

template <class T>
__global__ void __launch_bounds__(threads) look_kernel(Coordinates<T> x, int dim, std::int64_t count, int* bad) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * threads)
    for (int axis = 0; axis < dim; ++axis)
      if (!isfinite(x.axis[axis][i])) *bad = 1;
}

template <class T> struct PackTarget {
  T* t[max_dim];
  std::uint32_t *low, *high, *index;
};

template <class T, int D, class Cell>
__global__ void __launch_bounds__(threads)
    permute_kernel(const Record<T, D, Cell>* records, const std::uint32_t* places, std::int64_t count,
                   PackTarget<T> to) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::uint32_t from = places ? places[i] : static_cast<std::uint32_t>(i);
  const Record<T, D, Cell> record = records[from];
#pragma unroll
  for (int axis = 0; axis < D; ++axis) to.t[axis][i] = record.t[axis];
  to.low[i] = static_cast<std::uint32_t>(record.cell);
  if constexpr (sizeof(Cell) == 8) to.high[i] = static_cast<std::uint32_t>(record.cell >> 32);
  if (to.index) to.index[i] = from;
}

// first[b]: how many points are in bins before b; items[b]: how many subproblems bin b makes. b = bins: the ends.
__global__ void __launch_bounds__(threads) bins_kernel(const std::uint32_t* keys, std::uint32_t keys_a_bin,
                                                       std::uint32_t count, std::uint32_t bins, std::uint32_t* first) {
  const std::uint32_t bin = blockIdx.x * threads + threadIdx.x;
  if (bin > bins) return;
  std::uint32_t low = 0, high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (keys[middle] / keys_a_bin < bin)
      low = middle + 1;
    else
      high = middle;
  }
  first[bin] = low;
}

__global__ void __launch_bounds__(threads)
    item_counts_kernel(const std::uint32_t* first, std::uint32_t bins, std::uint32_t most, std::uint32_t* items) {
  const std::uint32_t bin = blockIdx.x * threads + threadIdx.x;
  if (bin > bins) return;
  items[bin] = bin < bins ? (first[bin + 1] - first[bin] + most - 1) / most : 0;
}

// Item by item, each finds its bin: a bin with all the points is no slower than many with a few.
__global__ void __launch_bounds__(threads)
    items_kernel(const std::uint32_t* first, const std::uint32_t* before, std::uint32_t bins, std::uint32_t most,
                 Subproblem* items, std::uint32_t* item_count) {
  const std::uint32_t item = blockIdx.x * threads + threadIdx.x;
  const std::uint32_t total = before[bins];
  if (item == 0) *item_count = total;
  if (item >= total) return;
  std::uint32_t low = 0, high = bins;  // the last bin with before[bin] <= item
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (before[middle] <= item ? low : high) = middle;
  }
  const std::uint32_t start = first[low] + (item - before[low]) * most;
  items[item] = {low, min(most, first[low + 1] - start), start};
}

template <class T> Coordinates<T> coordinates(const Points<T>& points) {
  return {{points.axis[0], points.axis[1], points.axis[2]}};
}

// Calls body(dim, Cell{}) with both as compile-time values.
template <class Body> void with_record(int dim, bool wide, Body&& body) {
  dispatch<1, 3>(dim, [&](auto d) {
    if (wide)
      body(d, std::uint64_t{});
    else
      body(d, std::uint32_t{});
  });
}

template <class T> std::int64_t record_bytes(int dim, bool wide) {
  std::int64_t bytes = 0;
  with_record(dim, wide, [&](auto d, auto cell) { bytes = sizeof(Record<T, d(), decltype(cell)>); });
  return bytes;
}

}  // namespace

template <class T>
Sorter<T>::Sorter(const SortSpec& spec, MemoryCount& memory) : spec_(spec), memory_(memory), bad_(1, memory) {
  for (int axis = 0; axis < max_dim; ++axis)
    shift_[axis + 1] = shift_[axis] + static_cast<int>(std::bit_width(spec.grid.n[axis] - 1));
  wide_cells_ = shift_[max_dim] > 32;
  key_bits_ = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(spec.bins.total() - 1))));
}

template <class T> void Sorter<T>::run(const Points<T>& points, std::vector<PointSet<T>>& sets, cudaStream_t stream) {
  const std::int64_t count = points.count, most = spec_.set_points;
  const auto parts = static_cast<std::size_t>((count + most - 1) / most);
  const auto size_of = [&](std::size_t part) { return std::min(most, count - static_cast<std::int64_t>(part) * most); };
  if (parts == 0) return;
  reserve_scratch(std::min(count, most));
  std::vector<PointSet<T>> fresh(parts);
  for (std::size_t part = 0; part < parts; ++part)
    if (part >= sets.size() || !fits(sets[part], size_of(part))) fresh[part] = make_set(size_of(part));
  call("clearing a flag", [&] { return cudaMemsetAsync(bad_.data(), 0, sizeof(int), stream); });
  if (parts > 1) look_for_bad(points, stream);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::int64_t first = static_cast<std::int64_t>(part) * most, size = size_of(part);
    Points<T> some{size, {}};
    for (int axis = 0; axis < spec_.dim; ++axis) some.axis[axis] = points.axis[axis] + first;
    fold_part(some, stream);
    if (part == 0) read_flag(stream);
    if (spec_.sorted) sort_keys(size, stream);
    if (part == 0) {
      refuse_bad();  // by now the sort is under way
      sets.resize(std::max(sets.size(), parts));
      for (std::size_t p = 0; p < parts; ++p)
        if (fresh[p].t.size() > 0) sets[p] = std::move(fresh[p]);
      sets.resize(parts);
    }
    permute(sets[part], first, size, stream);
    if (spec_.subproblems) make_subproblems(sets[part], size, stream);
  }
}

template <class T> void Sorter<T>::trim(std::size_t most_bytes) {
  if (keys_.bytes() + places_.bytes() + records_.bytes() + primitives_.bytes() <= most_bytes) return;
  keys_ = {}, places_ = {}, records_ = {}, primitives_ = {};
  capacity_ = 0;
}

template <class T> void Sorter<T>::reserve_scratch(std::int64_t count) {
  const std::int64_t bins = item_bins();
  records_.grow_to(count * record_bytes<T>(spec_.dim, wide_cells_), memory_);
  if (!spec_.sorted) return;
  if (count > capacity_) {
    capacity_ = 0;
    keys_.grow_to(2 * count, memory_);
    places_.grow_to(2 * count, memory_);
    capacity_ = count;
  }
  std::size_t sort_bytes = 0, scan_bytes = 0;
  cub::DoubleBuffer<std::uint32_t> none;
  call("sort",
       [&] { return cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes, none, none, capacity_, 0, key_bits_); });
  call("scan", [&] {
    return cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, static_cast<std::uint32_t*>(nullptr), bins + 1);
  });
  primitives_.grow_to(static_cast<std::int64_t>(std::max(sort_bytes, scan_bytes)), memory_);
  if (spec_.subproblems) bin_items_.grow_to(bins + 1, memory_);
}

template <class T> std::int64_t Sorter<T>::max_items(std::int64_t count) const {
  return std::min(item_bins(), count) + count / spec_.subproblem_points;
}

template <class T> bool Sorter<T>::fits(const PointSet<T>& set, std::int64_t count) const {
  return set.low.size() >= count && (!spec_.subproblems || set.items.size() >= max_items(count));
}

template <class T> PointSet<T> Sorter<T>::make_set(std::int64_t count) {
  PointSet<T> set;
  set.t = DeviceBuffer<T>(spec_.dim * count, memory_);
  set.low = DeviceBuffer<std::uint32_t>(count, memory_);
  if (wide_cells_) set.high = DeviceBuffer<std::uint32_t>(count, memory_);
  if (spec_.sorted) set.index = DeviceBuffer<std::uint32_t>(count, memory_);
  if (!spec_.subproblems) return set;
  set.bin_first = DeviceBuffer<std::uint32_t>(item_bins() + 1, memory_);
  set.items = DeviceBuffer<Subproblem>(max_items(count), memory_);
  set.item_count = DeviceBuffer<std::uint32_t>(1, memory_);
  return set;
}

template <class T> void Sorter<T>::look_for_bad(const Points<T>& points, cudaStream_t stream) {
  look_kernel<T><<<4096, threads, 0, stream>>>(coordinates(points), spec_.dim, points.count, bad_.data());
  check_launch("look for bad points");
}

template <class T> void Sorter<T>::fold_part(const Points<T>& part, cudaStream_t stream) {
  FoldArguments arguments{spec_.grid, spec_.bins, {}, spec_.width / 2.0, part.count, spec_.columns};
  std::copy_n(shift_, max_dim + 1, arguments.shift);
  std::uint32_t* keys = spec_.sorted ? keys_.data() : nullptr;
  with_record(spec_.dim, wide_cells_, [&](auto d, auto cell) {
    using R = Record<T, d(), decltype(cell)>;
    fold_kernel<T, d(), decltype(cell)><<<blocks_for(part.count), threads, 0, stream>>>(
        coordinates(part), arguments, reinterpret_cast<R*>(records_.data()), keys, places_.data(), bad_.data());
  });
  check_launch("fold");
  half_ = 0;
}

template <class T> void Sorter<T>::read_flag(cudaStream_t stream) {
  call("reading a flag",
       [&] { return cudaMemcpyAsync(bad_here_.get(), bad_.data(), sizeof(int), cudaMemcpyDeviceToHost, stream); });
  flag_read_.record(stream);
}

template <class T> void Sorter<T>::refuse_bad() {
  flag_read_.wait();
  if (*bad_here_ != 0) throw Error(Status::invalid_argument, "points: a coordinate is not finite");
}

template <class T> void Sorter<T>::sort_keys(std::int64_t count, cudaStream_t stream) {
  cub::DoubleBuffer<std::uint32_t> keys(keys_.data(), keys_.data() + capacity_);
  cub::DoubleBuffer<std::uint32_t> places(places_.data(), places_.data() + capacity_);
  std::size_t bytes = primitives_.bytes();
  call("sort", [&] {
    return cub::DeviceRadixSort::SortPairs(primitives_.data(), bytes, keys, places, count, 0, key_bits_, stream);
  });
  half_ = keys.selector;
}

template <class T>
void Sorter<T>::permute(PointSet<T>& set, std::int64_t first, std::int64_t count, cudaStream_t stream) {
  const std::int64_t capacity = set.low.size();
  PackTarget<T> to{{}, set.low.data(), set.high.data(), set.index.data()};
  set.points = {{}, to.low, to.high, to.index, first, count, {}};
  for (int axis = 0; axis < spec_.dim; ++axis) set.points.t[axis] = to.t[axis] = set.t.data() + axis * capacity;
  std::copy_n(shift_, max_dim + 1, set.points.shift);
  const std::uint32_t* places = spec_.sorted ? places_.data() + half_ * capacity_ : nullptr;
  with_record(spec_.dim, wide_cells_, [&](auto d, auto cell) {
    using R = Record<T, d(), decltype(cell)>;
    permute_kernel<T, d(), decltype(cell)>
        <<<blocks_for(count), threads, 0, stream>>>(reinterpret_cast<const R*>(records_.data()), places, count, to);
  });
  check_launch("permute");
}

template <class T> void Sorter<T>::make_subproblems(PointSet<T>& set, std::int64_t count, cudaStream_t stream) {
  const auto bins = static_cast<std::uint32_t>(item_bins());
  const auto most = static_cast<std::uint32_t>(spec_.subproblem_points);
  bins_kernel<<<blocks_for(bins + 1), threads, 0, stream>>>(
      keys_.data() + half_ * capacity_, keys_a_bin(), static_cast<std::uint32_t>(count), bins, set.bin_first.data());
  item_counts_kernel<<<blocks_for(bins + 1), threads, 0, stream>>>(set.bin_first.data(), bins, most, bin_items_.data());
  check_launch("bins");
  std::size_t bytes = primitives_.bytes();
  call("scan", [&] {
    return cub::DeviceScan::ExclusiveSum(primitives_.data(), bytes, bin_items_.data(), std::int64_t{bins} + 1, stream);
  });
  set.max_items = max_items(count);
  items_kernel<<<blocks_for(set.max_items), threads, 0, stream>>>(set.bin_first.data(), bin_items_.data(), bins, most,
                                                                  set.items.data(), set.item_count.data());
  check_launch("subproblems");
}

template class Sorter<float>;
template class Sorter<double>;

}  // namespace offgrid::cuda
