#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "core/dispatch.hpp"
#include "cuda/policy.hpp"
#include "cuda/sort_kernels.cuh"

namespace offgrid::cuda {
namespace {

int blocks_for(std::int64_t count) { return static_cast<int>((count + sort_threads - 1) / sort_threads); }

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
  if (spec_.densest) set.densest = DeviceBuffer<std::uint32_t>(1, memory_);
  return set;
}

template <class T> void Sorter<T>::look_for_bad(const Points<T>& points, cudaStream_t stream) {
  look_kernel<T><<<4096, sort_threads, 0, stream>>>(coordinates(points), spec_.dim, points.count, bad_.data());
  check_launch("look for bad points");
}

template <class T> void Sorter<T>::fold_part(const Points<T>& part, const Work& work, cudaStream_t stream) {
  with_record<T>(spec_.dim, cells_, [&](auto d, auto kind) {
    fold_kernel<T, d(), kind()><<<blocks_for(part.count), sort_threads, 0, stream>>>(
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
          <<<blocks_for((part.count + permute_rounds - 1) / permute_rounds), sort_threads, 0, stream>>>(
              reinterpret_cast<const Record<T, d(), kind()>*>(work.records), places, part.count, to);
    else
      permute_points_kernel<T, d(), kind()><<<blocks_for(part.count), sort_threads, 0, stream>>>(
          coordinates(part), fold_arguments(spec_, shift_, part.count), places, to);
  });
  check_launch("permute");
}

template <class T>
void Sorter<T>::make_subproblems(PointSet<T>& set, const std::uint32_t* keys, std::int64_t count, cudaStream_t stream) {
  const auto bins = static_cast<std::uint32_t>(item_bins());
  const auto most = static_cast<std::uint32_t>(spec_.subproblem_points);
  if (spec_.densest)
    call("clearing a count", [&] { return cudaMemsetAsync(set.densest.data(), 0, set.densest.bytes(), stream); });
  bins_kernel<<<blocks_for(bins + 1), sort_threads, 0, stream>>>(keys, keys_a_bin(), static_cast<std::uint32_t>(count),
                                                                 bins, set.bin_first.data());
  item_counts_kernel<<<blocks_for(bins + 1), sort_threads, 0, stream>>>(set.bin_first.data(), bins, most,
                                                                        bin_items_.data(), set.densest.data());
  check_launch("bins");
  std::size_t bytes = primitives_.bytes();
  call("scan", [&] {
    return cub::DeviceScan::ExclusiveSum(primitives_.data(), bytes, bin_items_.data(), std::int64_t{bins} + 1, stream);
  });
  set.max_items = max_items(count);
  items_kernel<<<blocks_for(set.max_items), sort_threads, 0, stream>>>(set.bin_first.data(), bin_items_.data(), bins,
                                                                       most, set.items.data(), set.item_count.data());
  check_launch("subproblems");
}

template class Sorter<float>;
template class Sorter<double>;

}  // namespace offgrid::cuda
