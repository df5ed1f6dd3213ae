#include <algorithm>
#include <bit>
#include <cub/device/device_scan.cuh>
#include <utility>

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

// Calls body(elements that a thread has in a pass).
template <class Body> void with_items(std::int64_t count, Body&& body) {
  if (count >= many_points_a_pass)
    body(std::integral_constant<int, many_items>{});
  else
    body(std::integral_constant<int, few_items>{});
}

std::int64_t tiles_for(std::int64_t count) {
  std::int64_t tile = 0;
  with_items(count, [&](auto items) { tile = pass_threads * items(); });
  return (count + tile - 1) / tile;
}

FoldArguments fold_arguments(const SortSpec& spec, const int* shift, std::int64_t count) {
  FoldArguments arguments{
      spec.grid, spec.bins, {}, {}, spec.width, count, spec.fraction_bits, static_cast<std::uint32_t>(spec.levels())};
  for (int axis = 0; axis < max_dim; ++axis)
    arguments.inverse_bin[axis] = spec.bins.size[axis] == 1 ? 0 : ~std::uint64_t{0} / spec.bins.size[axis] + 1;
  std::copy_n(shift, max_dim + 1, arguments.shift);
  return arguments;
}

template <class Source, int Items>
void launch_scatter(const Source& source, const Pass& pass, int tiles, std::uint32_t* keys, std::byte* to,
                    std::uint32_t* keys_to, bool keep_places, cudaStream_t stream) {
  using Element = typename Source::Element;
  const auto kernel = scatter_kernel<Source, Items>;
  constexpr std::size_t bytes = sizeof(ScatterMemory<Element, Items>);
  if (bytes > unasked_shared_bytes) ask_for_shared(kernel, bytes);
  kernel<<<tiles, pass_threads, bytes, stream>>>(keys, source, pass, reinterpret_cast<Element*>(to), keys_to,
                                                 keep_places);
}

}  // namespace

template <class T> Sorter<T>::Sorter(const SortSpec& spec, MemoryCount& memory) : spec_(spec), memory_(memory) {
  for (int axis = 0; axis < max_dim; ++axis)
    shift_[axis + 1] = shift_[axis] + static_cast<int>(std::bit_width(spec.grid.n[axis] - 1));
  cells_ = spec.fraction_bits > 0 ? CellKind::joined : shift_[max_dim] > 32 ? CellKind::low_and_high : CellKind::low;
  with_record<T>(spec.dim, cells_, [&](auto d, auto kind) { record_bytes_ = sizeof(Record<T, d(), kind()>); });
  const int key_bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(spec.keys() - 1))));
  passes_ = (key_bits + most_digit_bits - 1) / most_digit_bits;
  digit_bits_ = (key_bits + passes_ - 1) / passes_;
}

// What is scattered to a small array meets in the cache; and what is gathered takes memory.
template <class T> bool Sorter<T>::inverts(std::int64_t count) const {
  const std::int64_t bytes = count * std::int64_t{sizeof(std::complex<T>)};
  const bool possible = passes_ <= 3 && count <= spec_.set_points && moves(count) != Moves::places_in_set;
  return spec_.inverse && possible && bytes >= scattered_bytes && bytes <= most_gathered_bytes / spec_.vectors;
}

// In the set, if two halves of keys and of places fit into it.
template <class T> Moves Sorter<T>::moves(std::int64_t count) const {
  const bool large = spec_.dim == 3 || sizeof(T) == 8;
  if (count > most_record_points && large && record_bytes_ >= 16) return Moves::places_in_set;
  return record_bytes_ <= 16 ? Moves::records : Moves::places;
}

template <class T> void Sorter<T>::run(const Points<T>& points, std::vector<PointSet<T>>& sets, cudaStream_t stream) {
  const std::int64_t count = points.count, most = spec_.set_points;
  const auto parts = static_cast<std::size_t>((count + most - 1) / most);
  const auto size_of = [&](std::size_t part) { return std::min(most, count - static_cast<std::int64_t>(part) * most); };
  if (parts == 0) return;
  moves_ = moves(count), inverting_ = inverts(count);
  const bool look_first = !spec_.sorted || moves_ == Moves::places_in_set || parts > 1;
  reserve_scratch(std::min(count, most));
  std::vector<PointSet<T>> fresh(parts);
  sets.reserve(parts);
  for (std::size_t part = 0; part < parts; ++part)
    if (part >= sets.size() || !fits(sets[part], size_of(part))) fresh[part] = make_set(size_of(part));
  *bad_ = 0;
  if (look_first) look_for_bad(points, stream);
  for (std::size_t part = 0; part < parts; ++part) {
    PointSet<T>& set = fresh[part].records.size() > 0 ? fresh[part] : sets[part];
    const std::int64_t first = static_cast<std::int64_t>(part) * most;
    Points<T> some{size_of(part), {}};
    for (int axis = 0; axis < spec_.dim; ++axis) some.axis[axis] = points.axis[axis] + first;
    const Work work = work_for(set, some.count);
    if (spec_.sorted) sort(some, work, !look_first, stream);
    finish(set, some, work, stream);
    set.inverted = inverting_;
    if (inverting_) {
      inverse_kernel<<<blocks_for(some.count), sort_threads, 0, stream>>>(
          work.keys[0], passes_ > 1 ? work.keys[1] : nullptr, passes_ > 2 ? work.keys[2] : nullptr, some.count,
          set.inverse.data());
      check_launch("inverse");
    }
    set.points = packed(set, first, some.count);
    if (spec_.subproblems) make_subproblems(set, some, work, stream);
  }
  sets.resize(parts);
  for (std::size_t part = 0; part < parts; ++part)
    if (fresh[part].records.size() > 0) sets[part] = std::move(fresh[part]);
}

template <class T> void Sorter<T>::trim(std::size_t most_bytes) {
  if (scratch_.bytes() + primitives_.bytes() > most_bytes) scratch_ = {}, primitives_ = {};
}

template <class T> void Sorter<T>::reserve_scratch(std::int64_t count) {
  if (!spec_.sorted) return;
  const std::int64_t bins = spec_.item_bins(), entries = tiles_for(count) << digit_bits_;
  const std::size_t words = aligned(4 * static_cast<std::size_t>(count));
  const std::size_t records = aligned(static_cast<std::size_t>(count * record_bytes_));
  const std::size_t keys = words * static_cast<std::size_t>(inverting_ ? passes_ : std::min(passes_, 2));
  std::size_t moved = words;  // the places at last, of those in the set
  if (moves_ == Moves::records) moved = keys + (passes_ > 1 ? records : 0);
  if (moves_ == Moves::places) moved = keys + 2 * words + records;
  scratch_.grow_to(static_cast<std::int64_t>(aligned(4 * static_cast<std::size_t>(entries)) + moved), memory_);
  std::size_t table_bytes = 0, items_bytes = 0;
  auto* none = static_cast<std::uint32_t*>(nullptr);
  call("scan", [&] { return cub::DeviceScan::ExclusiveSum(nullptr, table_bytes, none, entries); });
  call("scan", [&] { return cub::DeviceScan::ExclusiveSum(nullptr, items_bytes, none, bins + 1); });
  primitives_.grow_to(static_cast<std::int64_t>(std::max(table_bytes, items_bytes)), memory_);
  if (spec_.subproblems) bin_items_.grow_to(bins + 1, memory_);
}

// Places that are moved in the set end in scratch memory.
template <class T> typename Sorter<T>::Work Sorter<T>::work_for(const PointSet<T>& set, std::int64_t count) const {
  if (!spec_.sorted) return {};
  const auto words = [](std::byte* memory) { return reinterpret_cast<std::uint32_t*>(memory); };
  const std::size_t size = 4 * static_cast<std::size_t>(count);
  std::byte* next = scratch_.data();
  const auto take = [&](std::size_t bytes) { return std::exchange(next, next + aligned(bytes)); };
  Work work{};
  work.table = words(take(static_cast<std::size_t>(4 * (tiles_for(count) << digit_bits_))));
  if (moves_ == Moves::places_in_set) {
    std::byte* base = set.records.data();
    for (int pass = 0; pass < max_passes; ++pass) {
      work.keys[pass] = words(base + pass % 2 * size);
      work.moved[pass] = pass == 0 ? next : base + (2 + pass % 2) * size;
    }
    return work;
  }
  for (int pass = 0; pass < passes_; ++pass)
    work.keys[pass] = pass >= 2 && !inverting_ ? work.keys[pass - 2] : words(take(size));
  std::byte* moved[] = {moves_ == Moves::records ? set.records.data() : take(size), next};
  if (moves_ == Moves::places) moved[1] = take(size), work.records = next;
  for (int left = 0; left < passes_; ++left) work.moved[left] = moved[left % 2];
  return work;
}

template <class T> std::int64_t Sorter<T>::max_items(std::int64_t count) const {
  return std::min(spec_.item_bins(), count) + count / spec_.subproblem_points;
}

template <class T> bool Sorter<T>::fits(const PointSet<T>& set, std::int64_t count) const {
  return set.records.size() >= record_bytes_ * count && (!inverting_ || set.inverse.size() >= count) &&
         (!spec_.subproblems || set.items.size() >= max_items(count));
}

template <class T> PointSet<T> Sorter<T>::make_set(std::int64_t count) {
  PointSet<T> set;
  set.records = DeviceBuffer<std::byte>(record_bytes_ * count, memory_);
  if (inverting_) set.inverse = DeviceBuffer<std::uint32_t>(count, memory_);
  if (!spec_.subproblems) return set;
  set.bin_first = DeviceBuffer<std::uint32_t>(spec_.item_bins() + 1, memory_);
  set.items = DeviceBuffer<Subproblem>(max_items(count), memory_);
  set.item_count = DeviceBuffer<std::uint32_t>(1, memory_);
  if (spec_.densest) set.densest = DeviceBuffer<std::uint32_t>(1, memory_);
  return set;
}

template <class T>
PackedPoints<T> Sorter<T>::packed(const PointSet<T>& set, std::int64_t first, std::int64_t count) const {
  PackedPoints<T> points{set.records.data(), static_cast<std::uint32_t>(record_bytes_), first, count, {},
                         spec_.fraction_bits};
  std::copy_n(shift_, max_dim + 1, points.shift);
  return points;
}

template <class T> void Sorter<T>::look_for_bad(const Points<T>& points, cudaStream_t stream) {
  look_kernel<T><<<4096, sort_threads, 0, stream>>>(coordinates(points), spec_.dim, points.count, bad_.get());
  check_launch("look for bad points");
  folded_.record(stream);
  refuse_bad();
}

template <class T> void Sorter<T>::refuse_bad() {
  folded_.wait();
  if (*bad_ != 0) throw Error(Status::invalid_argument, "points: a coordinate is not finite");
}

template <class T> Pass Sorter<T>::pass_of(int number, std::int64_t count, const Work& work) const {
  return {static_cast<std::uint32_t>(count), number * digit_bits_, digit_bits_, work.table};
}

template <class T> void Sorter<T>::sort(const Points<T>& part, const Work& work, bool look, cudaStream_t stream) {
  for (int number = 0; number < passes_; ++number) {
    const Pass pass = pass_of(number, part.count, work);
    if (number == 0)
      fold(part, work, pass, stream);
    else
      with_items(part.count, [&](auto items) {
        count_kernel<items()>
            <<<static_cast<int>(tiles_for(part.count)), pass_threads, 0, stream>>>(work.keys[number], pass);
      });
    check_launch("count");
    if (number == 0 && look) folded_.record(stream);
    sum(pass.table, tiles_for(part.count) << pass.bits, stream);
    // Before the set is written to for the first time; by now some of the sort is under way.
    if (look && number == (passes_ - 1) % 2) refuse_bad();
    scatter(part, work, number, pass, stream);
  }
}

template <class T>
void Sorter<T>::fold(const Points<T>& part, const Work& work, const Pass& pass, cudaStream_t stream) {
  with_record<T>(spec_.dim, cells_, [&](auto d, auto kind) {
    with_items(part.count, [&](auto items) {
      fold_kernel<T, d(), kind(), items()><<<static_cast<int>(tiles_for(part.count)), pass_threads, 0, stream>>>(
          coordinates(part), fold_arguments(spec_, shift_, part.count), work.keys[0],
          reinterpret_cast<Record<T, d(), kind()>*>(work.records), bad_.get(), pass);
    });
  });
}

template <class T> void Sorter<T>::sum(std::uint32_t* values, std::int64_t count, cudaStream_t stream) {
  if (count <= most_block_sums) {
    sum_kernel<<<1, pass_threads, 0, stream>>>(values, static_cast<std::uint32_t>(count));
    return check_launch("sums");
  }
  std::size_t bytes = primitives_.bytes();
  call("sums", [&] { return cub::DeviceScan::ExclusiveSum(primitives_.data(), bytes, values, count, stream); });
}

template <class T>
void Sorter<T>::scatter(const Points<T>& part, const Work& work, int number, const Pass& pass, cudaStream_t stream) {
  const int left = passes_ - 1 - number;
  std::byte *to = work.moved[left], *from = number > 0 ? work.moved[left + 1] : nullptr;
  std::uint32_t *keys = work.keys[number], *keys_to = left > 0 ? work.keys[number + 1] : nullptr;
  const int tiles = static_cast<int>(tiles_for(part.count));
  with_items(part.count, [&](auto items) {
    const auto launch = [&](const auto& source) {
      launch_scatter<std::decay_t<decltype(source)>, items()>(source, pass, tiles, keys, to, keys_to, inverting_,
                                                              stream);
    };
    if (moves_ != Moves::records && number == 0)
      launch(Places{});
    else if (moves_ != Moves::records)
      launch(Moved<std::uint32_t>{reinterpret_cast<const std::uint32_t*>(from)});
    else
      with_record<T>(spec_.dim, cells_, [&](auto d, auto kind) {
        using Element = Record<T, d(), kind()>;
        if constexpr (sizeof(Element) <= 16) {
          using Words = Block<sizeof(Element)>;
          if (number == 0)
            launch(FoldedRecords<T, d(), kind()>{coordinates(part), fold_arguments(spec_, shift_, part.count)});
          else
            launch(Moved<Words>{reinterpret_cast<const Words*>(from)});
        }
      });
  });
  check_launch("sort");
}

// Brings the records to their places, unless the sort has.
template <class T>
void Sorter<T>::finish(const PointSet<T>& set, const Points<T>& part, const Work& work, cudaStream_t stream) {
  if (spec_.sorted && moves_ == Moves::records) return;
  const int blocks = blocks_for(part.count);
  const auto* places = reinterpret_cast<const std::uint32_t*>(work.moved[0]);
  with_record<T>(spec_.dim, cells_, [&](auto d, auto kind) {
    using Element = Record<T, d(), kind()>;
    auto* to = reinterpret_cast<Element*>(set.records.data());
    if (work.records != nullptr)
      move_kernel<<<blocks, sort_threads, 0, stream>>>(reinterpret_cast<const Element*>(work.records), places,
                                                       part.count, to);
    else
      gather_kernel<T, d(), kind()><<<blocks, sort_threads, 0, stream>>>(
          coordinates(part), fold_arguments(spec_, shift_, part.count), places, to);
  });
  check_launch("gather");
}

template <class T>
void Sorter<T>::make_subproblems(PointSet<T>& set, const Points<T>& part, const Work& work, cudaStream_t stream) {
  const auto bins = static_cast<std::uint32_t>(spec_.item_bins());
  const auto most = static_cast<std::uint32_t>(spec_.subproblem_points);
  if (spec_.densest)
    call("clearing a count", [&] { return cudaMemsetAsync(set.densest.data(), 0, set.densest.bytes(), stream); });
  dispatch<1, 3>(spec_.dim, [&](auto d) {
    bins_kernel<T, d()><<<blocks_for(bins + 1), sort_threads, 0, stream>>>(
        set.points, fold_arguments(spec_, shift_, part.count), pass_of(passes_ - 1, part.count, work),
        static_cast<std::uint32_t>(tiles_for(part.count)), bins, most, set.bin_first.data(), bin_items_.data(),
        set.densest.data());
  });
  check_launch("bins");
  sum(bin_items_.data(), std::int64_t{bins} + 1, stream);
  set.max_items = max_items(part.count);
  items_kernel<<<blocks_for(set.max_items), sort_threads, 0, stream>>>(set.bin_first.data(), bin_items_.data(), bins,
                                                                       most, set.items.data(), set.item_count.data());
  check_launch("subproblems");
}

template class Sorter<float>;
template class Sorter<double>;

}  // namespace offgrid::cuda
