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

constexpr int permute_rounds = 4;  // points a thread moves, their reads under way together

// What the permutation moves. Aligned, so that it is read and written at once.
template <class T, int D, CellKind> struct Record;
template <class T, int D> struct alignas(D * sizeof(T) <= 4 ? 8 : 16) Record<T, D, CellKind::low> {
  T t[D];
  std::uint32_t cell;
};
template <class T, int D> struct Record<T, D, CellKind::low_and_high> {
  T t[D];
  std::uint64_t cell;
};
template <class T, int D> struct alignas(D == 3 ? 16 : 4 * D) Record<T, D, CellKind::joined> {
  std::uint32_t words[D];
};

struct FoldArguments {
  GridShape grid;
  Bins bins;
  double inverse_bin[max_dim];
  int shift[max_dim + 1];
  double half_width;
  std::int64_t count;
  int fraction_bits;
  bool columns;
};

template <class T> struct Coordinates { const T* axis[max_dim]; };

template <class T, int D, CellKind K> struct FoldedPoint {
  Record<T, D, K> record;
  std::uint32_t bin[max_dim];
  bool finite;

  __device__ FoldedPoint(const Coordinates<T>& x, const FoldArguments& a, std::int64_t i) : bin{}, finite(true) {
    if constexpr (K != CellKind::joined) record.cell = 0;
#pragma unroll
    for (int axis = 0; axis < D; ++axis) {
      const auto value = static_cast<double>(x.axis[axis][i]);
      finite = finite && isfinite(value);
      const Folded folded = fold(value, static_cast<double>(a.grid.n[axis]), a.half_width);
      bin[axis] = static_cast<std::uint32_t>((folded.cell + 0.5) * a.inverse_bin[axis]);
      if constexpr (K == CellKind::joined) {
        const auto steps = static_cast<double>(1u << a.fraction_bits);
        const double fraction = fmin(fmax(floor((folded.t + 1) * (0.5 * steps)), 0.0), steps - 1);
        record.words[axis] = folded.cell << a.fraction_bits | static_cast<std::uint32_t>(fraction);
      } else {
        record.t[axis] = static_cast<T>(folded.t);
        record.cell |= static_cast<decltype(record.cell)>(folded.cell) << a.shift[axis];
      }
    }
  }

  __device__ std::uint32_t key(const FoldArguments& a) const {
    const std::uint32_t plane = bin[1] * a.bins.count[0] + bin[0];
    return a.columns ? plane * a.bins.count[2] + bin[2] : bin[2] * (a.bins.count[1] * a.bins.count[0]) + plane;
  }
};

template <class T, int D, CellKind K>
__global__ void __launch_bounds__(threads)
    fold_kernel(Coordinates<T> x, const __grid_constant__ FoldArguments a, Record<T, D, K>* records,
                std::uint32_t* keys, std::uint32_t* places, int* bad) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= a.count) return;
  const FoldedPoint<T, D, K> point(x, a, i);
  if (!point.finite) *bad = 1;
  if (records != nullptr) records[i] = point.record;
  keys[i] = point.key(a);
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

  template <int D, CellKind K> __device__ void write(const Record<T, D, K>& record, std::int64_t i) const {
#pragma unroll
    for (int axis = 0; axis < D; ++axis)
      if constexpr (K == CellKind::joined)
        reinterpret_cast<std::uint32_t*>(t[axis])[i] = record.words[axis];
      else
        t[axis][i] = record.t[axis];
    if constexpr (K != CellKind::joined) low[i] = static_cast<std::uint32_t>(record.cell);
    if constexpr (K == CellKind::low_and_high) high[i] = static_cast<std::uint32_t>(record.cell >> 32);
  }
};

template <class T, int D, CellKind K>
__global__ void __launch_bounds__(threads)
    permute_records_kernel(const Record<T, D, K>* records, const std::uint32_t* places, std::int64_t count,
                           PackTarget<T> to) {
  const std::int64_t first = std::int64_t{blockIdx.x} * threads * permute_rounds + threadIdx.x, last = count - 1;
  std::uint32_t from[permute_rounds];
  Record<T, D, K> moved[permute_rounds];
#pragma unroll
  for (int r = 0; r < permute_rounds; ++r) from[r] = places[min(first + r * threads, last)];
#pragma unroll
  for (int r = 0; r < permute_rounds; ++r) moved[r] = records[from[r]];
#pragma unroll
  for (int r = 0; r < permute_rounds; ++r) {
    const std::int64_t i = first + r * threads;
    if (i > last) return;
    to.write(moved[r], i);
    to.index[i] = from[r];
  }
}

// places: null where the points stay in their order.
template <class T, int D, CellKind K>
__global__ void __launch_bounds__(threads)
    permute_points_kernel(Coordinates<T> x, const __grid_constant__ FoldArguments a, const std::uint32_t* places,
                          PackTarget<T> to) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < a.count) to.write(FoldedPoint<T, D, K>(x, a, places != nullptr ? places[i] : i).record, i);
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

// Calls body(dim, kind) with both as compile-time values.
template <class T, class Body> void with_record(int dim, CellKind kind, Body&& body) {
  dispatch<1, 3>(dim, [&](auto d) {
    if (kind == CellKind::low_and_high)
      body(d, std::integral_constant<CellKind, CellKind::low_and_high>{});
    else if (kind == CellKind::low)
      body(d, std::integral_constant<CellKind, CellKind::low>{});
    else if constexpr (sizeof(T) == 4)
      body(d, std::integral_constant<CellKind, CellKind::joined>{});
  });
}

template <class T> std::int64_t record_bytes(int dim, CellKind kind) {
  std::int64_t bytes = 0;
  with_record<T>(dim, kind, [&](auto d, auto k) { bytes = sizeof(Record<T, d(), k()>); });
  return bytes;
}

FoldArguments fold_arguments(const SortSpec& spec, const int* shift, std::int64_t count) {
  FoldArguments arguments{spec.grid, spec.bins, {}, {}, spec.width / 2.0, count, spec.fraction_bits, spec.columns};
  for (int axis = 0; axis < max_dim; ++axis) arguments.inverse_bin[axis] = 1.0 / spec.bins.size[axis];
  std::copy_n(shift, max_dim + 1, arguments.shift);
  return arguments;
}

}  // namespace

template <class T>
Sorter<T>::Sorter(const SortSpec& spec, MemoryCount& memory) : spec_(spec), memory_(memory), bad_(1, memory) {
  for (int axis = 0; axis < max_dim; ++axis)
    shift_[axis + 1] = shift_[axis] + static_cast<int>(std::bit_width(spec.grid.n[axis] - 1));
  cells_ = spec.fraction_bits > 0 ? CellKind::joined : shift_[max_dim] > 32 ? CellKind::low_and_high : CellKind::low;
  key_bits_ = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(spec.bins.total() - 1))));
}

// The sort needs three words a point beside the index, which may be those of the packed points.
template <class T> bool Sorter<T>::gathers_coordinates(std::int64_t count) const {
  if (!spec_.sorted) return true;
  const bool room = spec_.dim * sizeof(T) + (cells_ == CellKind::joined ? 0 : 4) >= 12;
  return room && count > most_record_points;
}

template <class T> void Sorter<T>::run(const Points<T>& points, std::vector<PointSet<T>>& sets, cudaStream_t stream) {
  const std::int64_t count = points.count, most = spec_.set_points;
  const auto parts = static_cast<std::size_t>((count + most - 1) / most);
  const auto size_of = [&](std::size_t part) { return std::min(most, count - static_cast<std::int64_t>(part) * most); };
  if (parts == 0) return;
  const bool in_place = gathers_coordinates(count), look_first = in_place || parts > 1;
  reserve_scratch(std::min(count, most), in_place);
  std::vector<PointSet<T>> fresh(parts);
  sets.reserve(parts);
  for (std::size_t part = 0; part < parts; ++part)
    if (part >= sets.size() || !fits(sets[part], size_of(part))) fresh[part] = make_set(size_of(part));
  call("clearing a flag", [&] { return cudaMemsetAsync(bad_.data(), 0, sizeof(int), stream); });
  if (look_first) {
    look_for_bad(points, stream);
    read_flag(stream);
    refuse_bad();
  }
  for (std::size_t part = 0; part < parts; ++part) {
    PointSet<T>& set = fresh[part].t.size() > 0 ? fresh[part] : sets[part];
    const std::int64_t first = static_cast<std::int64_t>(part) * most;
    Points<T> some{size_of(part), {}};
    for (int axis = 0; axis < spec_.dim; ++axis) some.axis[axis] = points.axis[axis] + first;
    Work work = in_place ? work_in(set) : scratch();
    if (spec_.sorted) {
      fold_part(some, work, stream);
      if (!look_first) read_flag(stream);
      sort_keys(work, some.count, stream);
      if (!look_first) refuse_bad();  // by now the sort is under way
      if (spec_.subproblems) make_subproblems(set, work.keys[work.half], some.count, stream);
    }
    permute(set, some, work, first, stream);
  }
  sets.resize(parts);
  for (std::size_t part = 0; part < parts; ++part)
    if (fresh[part].t.size() > 0) sets[part] = std::move(fresh[part]);
}

template <class T> void Sorter<T>::trim(std::size_t most_bytes) {
  if (pairs_.bytes() + records_.bytes() + primitives_.bytes() <= most_bytes) return;
  pairs_ = {}, records_ = {}, primitives_ = {};
  capacity_ = 0;
}

template <class T> void Sorter<T>::reserve_scratch(std::int64_t count, bool in_place) {
  const std::int64_t bins = item_bins();
  if (!spec_.sorted) return;
  if (!in_place) {
    records_.grow_to(count * record_bytes<T>(spec_.dim, cells_), memory_);
    if (count > capacity_) {
      capacity_ = 0;
      pairs_.grow_to(4 * count, memory_);
      capacity_ = count;
    }
  }
  std::size_t sort_bytes = 0, scan_bytes = 0;
  cub::DoubleBuffer<std::uint32_t> none;
  call("sort", [&] { return cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes, none, none, count, 0, key_bits_); });
  call("scan", [&] {
    return cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, static_cast<std::uint32_t*>(nullptr), bins + 1);
  });
  primitives_.grow_to(static_cast<std::int64_t>(std::max(sort_bytes, scan_bytes)), memory_);
  if (spec_.subproblems) bin_items_.grow_to(bins + 1, memory_);
}

template <class T> typename Sorter<T>::Work Sorter<T>::scratch() const {
  std::uint32_t* base = pairs_.data();
  return {{base, base + capacity_}, {base + 2 * capacity_, base + 3 * capacity_}, records_.data()};
}

// In the set's index and in what the permutation will overwrite.
template <class T> typename Sorter<T>::Work Sorter<T>::work_in(const PointSet<T>& set) const {
  if (!spec_.sorted) return {};
  const std::int64_t capacity = set.index.size(), words = set.t.size() * std::int64_t{sizeof(T)} / 4;
  auto* base = reinterpret_cast<std::uint32_t*>(set.t.data());
  std::uint32_t* third = words >= 3 * capacity ? base + 2 * capacity : set.low.data();
  return {{base, base + capacity}, {set.index.data(), third}, nullptr};
}

template <class T> std::int64_t Sorter<T>::max_items(std::int64_t count) const {
  return std::min(item_bins(), count) + count / spec_.subproblem_points;
}

template <class T> bool Sorter<T>::fits(const PointSet<T>& set, std::int64_t count) const {
  return set.t.size() >= spec_.dim * count && (!spec_.subproblems || set.items.size() >= max_items(count));
}

template <class T> PointSet<T> Sorter<T>::make_set(std::int64_t count) {
  PointSet<T> set;
  set.t = DeviceBuffer<T>(spec_.dim * count, memory_);
  if (cells_ != CellKind::joined) set.low = DeviceBuffer<std::uint32_t>(count, memory_);
  if (cells_ == CellKind::low_and_high) set.high = DeviceBuffer<std::uint32_t>(count, memory_);
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

template <class T> void Sorter<T>::fold_part(const Points<T>& part, const Work& work, cudaStream_t stream) {
  with_record<T>(spec_.dim, cells_, [&](auto d, auto kind) {
    fold_kernel<T, d(), kind()><<<blocks_for(part.count), threads, 0, stream>>>(
        coordinates(part), fold_arguments(spec_, shift_, part.count),
        reinterpret_cast<Record<T, d(), kind()>*>(work.records), work.keys[0], work.places[0], bad_.data());
  });
  check_launch("fold");
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

template <class T> void Sorter<T>::sort_keys(Work& work, std::int64_t count, cudaStream_t stream) {
  cub::DoubleBuffer<std::uint32_t> keys(work.keys[0], work.keys[1]), places(work.places[0], work.places[1]);
  std::size_t bytes = primitives_.bytes();
  call("sort", [&] {
    return cub::DeviceRadixSort::SortPairs(primitives_.data(), bytes, keys, places, count, 0, key_bits_, stream);
  });
  work.half = keys.selector;
}

template <class T>
void Sorter<T>::permute(PointSet<T>& set, const Points<T>& part, const Work& work, std::int64_t first,
                        cudaStream_t stream) {
  const std::int64_t capacity = set.t.size() / spec_.dim;
  const std::uint32_t* places = work.places[work.half];
  PackTarget<T> to{{}, set.low.data(), set.high.data(), set.index.data()};
  set.points = {{}, to.low, to.high, to.index, first, part.count, {}, spec_.fraction_bits};
  for (int axis = 0; axis < spec_.dim; ++axis) set.points.t[axis] = to.t[axis] = set.t.data() + axis * capacity;
  std::copy_n(shift_, max_dim + 1, set.points.shift);
  if (work.records == nullptr && places != to.index) {  // they lie where the packed points will
    call("moving places", [&] {
      return cudaMemcpyAsync(to.index, places, sizeof(*places) * static_cast<std::size_t>(part.count),
                             cudaMemcpyDeviceToDevice, stream);
    });
    places = to.index;
  }
  with_record<T>(spec_.dim, cells_, [&](auto d, auto kind) {
    if (work.records != nullptr)
      permute_records_kernel<T, d(), kind()>
          <<<blocks_for((part.count + permute_rounds - 1) / permute_rounds), threads, 0, stream>>>(
              reinterpret_cast<const Record<T, d(), kind()>*>(work.records), places, part.count, to);
    else
      permute_points_kernel<T, d(), kind()><<<blocks_for(part.count), threads, 0, stream>>>(
          coordinates(part), fold_arguments(spec_, shift_, part.count), places, to);
  });
  check_launch("permute");
}

template <class T>
void Sorter<T>::make_subproblems(PointSet<T>& set, const std::uint32_t* keys, std::int64_t count, cudaStream_t stream) {
  const auto bins = static_cast<std::uint32_t>(item_bins());
  const auto most = static_cast<std::uint32_t>(spec_.subproblem_points);
  bins_kernel<<<blocks_for(bins + 1), threads, 0, stream>>>(keys, keys_a_bin(), static_cast<std::uint32_t>(count), bins,
                                                            set.bin_first.data());
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
