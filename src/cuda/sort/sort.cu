#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/dispatch.hpp"
#include "cuda/sort/refold.cuh"
#include "cuda/sort/sort.hpp"
#include "cuda/sort/sort_launch.cuh"
#include "cuda/sort/sort_policy.hpp"
#include "cuda/sort/subproblems.cuh"

namespace offgrid::cuda {
namespace {

const std::size_t starts_bytes = aligned(4 * ((1 << most_digit_bits) + 1));  // Buffers::starts, and densest behind it

int blocks_for(std::int64_t count) { return static_cast<int>((count + sort_threads - 1) / sort_threads); }

}  // namespace

template <class T> Sorter<T>::Sorter(const SortSpec& spec, MemoryCount& memory) : spec_(spec), memory_(memory) {
  for (int axis = 0; axis < max_dim; ++axis)
    shift_[axis + 1] = shift_[axis] + static_cast<int>(std::bit_width(spec.grid.n[axis] - 1));
  cells_ = spec.fraction_bits > 0 ? CellKind::joined : shift_[max_dim] > 32 ? CellKind::low_and_high : CellKind::low;
  with_record<T>(spec.dim, cells_, [&](auto d, auto kind) { record_bytes_ = sizeof(Record<T, d(), kind()>); });
  key_bits_ = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(spec.keys() - 1))));
  const int most = most_bits_of_several(record_bytes_);
  passes_ = key_bits_ <= most_digit_bits ? 1 : (key_bits_ + most - 1) / most;
  digit_bits_ = (key_bits_ + passes_ - 1) / passes_;
  refused_ = DeviceBuffer<int>(1, memory);
  longest_ = DeviceBuffer<std::uint32_t>(1, memory);
}

// Small results need no inverse, because scattered writes to them meet in the cache; and large ones would take too much
// memory (sort_policy.hpp).
template <class T> bool Sorter<T>::inverts(std::int64_t count) const {
  const bool possible = passes_ <= 3 && count <= spec_.set_points && moves(count) != Moves::indices_in_set;
  return spec_.inverse && possible && gathers<T>(count, spec_.vectors);
}

template <class T> void invert_later(PointSet<T>& set, MemoryCount& memory, cudaStream_t stream) {
  set.inverse.grow_to(set.points.count, memory);
  late_inverse_kernel<T><<<blocks_for(set.points.count), sort_threads, 0, stream>>>(set.points, set.inverse.data());
  check_launch("inverse");
  set.inverted = true;
}
template void invert_later(PointSet<float>&, MemoryCount&, cudaStream_t);
template void invert_later(PointSet<double>&, MemoryCount&, cudaStream_t);

// Indices are moved in the set only if a record has room for what two passes hold of a point: two keys and two indices.
template <class T> Moves Sorter<T>::moves(std::int64_t count) const {
  const bool large = spec_.dim == 3 || sizeof(T) == 8;
  return count > most_record_points && large && record_bytes_ >= 16 ? Moves::indices_in_set : Moves::records;
}

template <class T>
void Sorter<T>::run(const Points<T>& points, std::int64_t subproblem, std::vector<PointSet<T>>& sets,
                    cudaStream_t stream) {
  spec_.subproblem_points = subproblem;
  const std::int64_t count = points.count, most = spec_.set_points;
  const auto parts = static_cast<std::size_t>((count + most - 1) / most);
  const auto size_of = [&](std::size_t part) { return std::min(most, count - static_cast<std::int64_t>(part) * most); };
  if (parts == 0) return;
  moves_ = moves(count);
  inverting_ = inverts(count);
  const bool look_first = !spec_.sorted || moves_ == Moves::indices_in_set || parts > 1;
  reserve_scratch(std::min(count, most));
  std::vector<PointSet<T>> fresh(parts);
  sets.reserve(parts);
  for (std::size_t part = 0; part < parts; ++part)
    if (part >= sets.size() || !fits(sets[part], size_of(part))) fresh[part] = make_set(size_of(part));
  if (refused_may_be_set_)
    call("clearing a flag", [&] { return cudaMemsetAsync(refused_.data(), 0, refused_.bytes(), stream); });
  *bad_ = 0;
  refused_may_be_set_ = true;
  for (int axis = spec_.dim; axis < max_dim; ++axis)  // axes that the design has dropped are looked at alone
    if (points.axis[axis] != nullptr) look_for_bad({count, {points.axis[axis]}}, 1, stream);
  if (look_first) look_for_bad(points, spec_.dim, stream);
  for (std::size_t part = 0; part < parts; ++part) {
    PointSet<T>& set = fresh[part].records.size() > 0 ? fresh[part] : sets[part];
    const std::int64_t first = static_cast<std::int64_t>(part) * most;
    const Points<T> some = points.part(first, size_of(part));
    const Buffers buffers = buffers_for(set, some.count);
    const PackedPoints<T> sorted = packed(set, first, some.count);
    if (spec_.sorted) sort(some, buffers, stream);
    finish(set, some, buffers, stream);
    if (inverting_) invert(set, some.count, buffers, stream);
    if (spec_.subproblems) make_subproblems(set, sorted, buffers, stream);
    if (!look_first) refuse_bad(stream);  // by now everything is enqueued
    set.inverted = inverting_;
    set.points = sorted;
    set.max_items = max_items(some.count);
  }
  sets.resize(parts);
  for (std::size_t part = 0; part < parts; ++part)
    if (fresh[part].records.size() > 0) sets[part] = std::move(fresh[part]);
  refused_may_be_set_ = false;
}

template <class T>
bool Sorter<T>::run_from(const Sorted& from, std::int64_t subproblem, std::vector<PointSet<T>>& sets,
                         cudaStream_t stream) {
  std::int64_t count = 0;
  for (const PointSet<T>& points : from.sets) count += points.points.count;
  if (count == 0 || !moves_records(count)) return false;
  spec_.subproblem_points = subproblem;
  moves_ = Moves::records;
  inverting_ = false;  // by invert_later
  const std::int64_t most = from.sets[0].points.count;
  reserve_scratch(most);
  call("clearing a flag", [&] { return cudaMemsetAsync(refused_.data(), 0, refused_.bytes(), stream); });
  const DeviceBuffer<std::byte> refolded(record_bytes_ * most, memory_);
  std::vector<PointSet<T>> fresh;
  for (const PointSet<T>& points : from.sets) {
    PointSet<T>& set = fresh.emplace_back(make_set(points.points.count));
    const std::int64_t size = points.points.count;
    const Buffers buffers = buffers_for(set, size);
    call("clearing a count", [&] { return cudaMemsetAsync(buffers.densest, 0, sizeof(std::uint32_t), stream); });
    refold(points, from, refolded.data(), buffers.keys[0], stream);
    for (int number = 0; number < passes_; ++number) {
      const Pass pass = pass_of(number, size, buffers);
      count_digits(pass, number, buffers, stream);
      sum(pass.table, stream);
      const std::byte* moved = number == 0 ? refolded.data() : buffers.moved[passes_ - number];
      with_record<T>(spec_.dim, cells_, [&](auto d, auto kind) {
        using Element = Record<T, d(), kind()>;
        launch_any(Moved<Element>{reinterpret_cast<const Element*>(moved)}, pass, scatter_of(number, size, buffers),
                   stream);
      });
      check_launch("sort");
    }
    set.points = packed(set, points.points.first, size);
    if (spec_.subproblems) make_subproblems(set, set.points, buffers, stream);
    set.max_items = max_items(size);
  }
  sets = std::move(fresh);
  return true;
}

// The runs of all sets are added up, because the sets add to the same cells, one after the other.
template <class T> std::int64_t Sorter<T>::longest_run(const std::vector<PointSet<T>>& sets, cudaStream_t stream) {
  std::int64_t longest = 0;
  for (const PointSet<T>& set : sets) {
    call("longest run", [&] { return cudaMemsetAsync(longest_.data(), 0, longest_.bytes(), stream); });
    dispatch<1, 3>(spec_.dim, [&](auto d) {
      longest_run_kernel<T, d()><<<blocks_for(set.max_items), sort_threads, 0, stream>>>(
          set.points, set.items.data(), set.item_count.data(), spec_.columns, static_cast<std::uint32_t>(spec_.width),
          longest_.data());
    });
    check_launch("longest run");
    call("longest run", [&] {
      return cudaMemcpyAsync(longest_on_host_.get(), longest_.data(), longest_.bytes(), cudaMemcpyDeviceToHost, stream);
    });
    call("waiting for the device", [&] { return cudaStreamSynchronize(stream); });
    longest += *longest_on_host_;
  }
  return longest;
}

template <class T> void Sorter<T>::trim(std::size_t most_bytes) {
  if (scratch_.bytes() > most_bytes) scratch_ = {};
}

template <class T> bool Sorter<T>::large_tiles(std::int64_t count) const {
  return count >= many_points_per_pass && spec_.shared_bytes >= large_tile_bytes;
}

template <class T> std::int64_t Sorter<T>::tiles_for(std::int64_t count) const {
  std::int64_t tile = 0;
  with_items(large_tiles(count), element_bytes(), [&](auto items) { tile = pass_threads * items(); });
  return (count + tile - 1) / tile;
}

template <class T> std::size_t Sorter<T>::table_bytes(std::int64_t count) const {
  return aligned(static_cast<std::size_t>(4 * (tiles_for(count) << digit_bits_)));
}

// While indices are moved in a set, two passes need three of the four words that it has per point: two keys and one
// index. The table takes the fourth where it fits. Where it does not, as in a last part of few points, it follows the
// indices in scratch memory.
template <class T> bool Sorter<T>::table_in_set(std::int64_t count) const {
  return passes_ <= 2 && alignment + table_bytes(count) <= 4 * static_cast<std::size_t>(count);
}

template <class T> void Sorter<T>::reserve_scratch(std::int64_t count) {
  if (!spec_.sorted) return;
  const std::int64_t bins = spec_.item_bins();
  const std::size_t words = aligned(4 * static_cast<std::size_t>(count));
  const std::size_t records = aligned(static_cast<std::size_t>(count * record_bytes_));
  const std::size_t keys = words * static_cast<std::size_t>(inverting_ ? passes_ : std::min(passes_, 2));
  std::size_t bytes = starts_bytes + table_bytes(count) + keys + (passes_ > 1 ? records : 0);
  if (moves_ == Moves::indices_in_set) bytes = starts_bytes + words + (table_in_set(count) ? 0 : table_bytes(count));
  scratch_.grow_to(static_cast<std::int64_t>(bytes), memory_);
  const auto entries = static_cast<std::int64_t>(table_bytes(count) / 4);
  sum_states_.grow_to(sum_states(std::max(entries, bins + 1)), memory_);
  if (spec_.subproblems) bin_items_.grow_to(bins + 1, memory_);
}

// Where indices are moved in the set, the last pass writes them to scratch memory, because the records take their
// place.
template <class T>
typename Sorter<T>::Buffers Sorter<T>::buffers_for(const PointSet<T>& set, std::int64_t count) const {
  if (!spec_.sorted) return {};
  const auto words = [](std::byte* memory) { return reinterpret_cast<std::uint32_t*>(memory); };
  const std::size_t size = 4 * static_cast<std::size_t>(count);
  std::byte* next = scratch_.data();
  const auto take = [&](std::size_t bytes) { return std::exchange(next, next + aligned(bytes)); };
  Buffers buffers{};
  buffers.starts = words(take(starts_bytes));
  buffers.densest = buffers.starts + (1 << most_digit_bits);
  if (moves_ == Moves::indices_in_set) {
    std::byte* base = set.records.data();
    for (int pass = 0; pass < max_passes; ++pass) {
      buffers.keys[pass] = words(base + pass % 2 * size);
      buffers.moved[pass] = pass == 0 ? next : base + (2 + pass % 2) * size;
    }
    buffers.table = words(table_in_set(count) ? base + aligned(2 * size) : next + aligned(size));
    return buffers;
  }
  buffers.table = words(take(table_bytes(count)));
  for (int pass = 0; pass < passes_; ++pass)
    buffers.keys[pass] = pass >= 2 && !inverting_ ? buffers.keys[pass - 2] : words(take(size));
  for (int left = 0; left < passes_; ++left) buffers.moved[left] = left % 2 == 0 ? set.records.data() : next;
  return buffers;
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
  set.densest = DeviceBuffer<std::uint32_t>(1, memory_);
  return set;
}

template <class T>
PackedPoints<T> Sorter<T>::packed(const PointSet<T>& set, std::int64_t first, std::int64_t count) const {
  PackedPoints<T> points{.records = set.records.data(),
                         .record_bytes = static_cast<std::uint32_t>(record_bytes_),
                         .first = first,
                         .count = count,
                         .shift = {},
                         .fraction_bits = spec_.fraction_bits};
  std::copy_n(shift_, max_dim + 1, points.shift);
  return points;
}

template <class T> void Sorter<T>::look_for_bad(const Points<T>& points, int axes, cudaStream_t stream) {
  look_kernel<T><<<4096, sort_threads, 0, stream>>>(coordinates(points), axes, points.count, bad_.get());
  check_launch("look for bad points");
  folded_.record(stream);
  refuse_bad(stream);
}

template <class T> void Sorter<T>::refuse_bad(cudaStream_t stream) {
  folded_.wait();
  if (*bad_ == 0) return;
  call("waiting for the device", [&] { return cudaStreamSynchronize(stream); });  // the next run may be on another one
  throw Error(Status::invalid_argument, bad_coordinate);
}

template <class T> Refusal Sorter<T>::refusal() const { return {bad_.get(), refused_.data()}; }

template <class T> Pass Sorter<T>::pass_of(int number, std::int64_t count, const Buffers& buffers) const {
  const int shift = number * digit_bits_, bits = std::min(digit_bits_, key_bits_ - shift);
  const auto entries = static_cast<std::uint32_t>(tiles_for(count) << bits);
  return {.count = static_cast<std::uint32_t>(count),
          .shift = shift,
          .bits = bits,
          .table = {buffers.table, entries, sum_states_.data()},
          .starts = buffers.starts};
}

template <class T> void Sorter<T>::sort(const Points<T>& part, const Buffers& buffers, cudaStream_t stream) {
  for (int number = 0; number < passes_; ++number) {
    const Pass pass = pass_of(number, part.count, buffers);
    if (number == 0)
      fold(part, buffers, pass, stream);
    else
      count_digits(pass, number, buffers, stream);
    check_launch("count");
    if (number == 0) folded_.record(stream);
    sum(pass.table, stream);
    scatter(part, buffers, number, pass, stream);
  }
}

template <class T>
void Sorter<T>::fold(const Points<T>& part, const Buffers& buffers, const Pass& pass, cudaStream_t stream) {
  dispatch<1, 3>(spec_.dim, [&](auto d) {
    with_items(large_tiles(part.count), element_bytes(), [&](auto items) {
      fold_kernel<T, d(), items()><<<static_cast<int>(tiles_for(part.count)), pass_threads, 0, stream>>>(
          coordinates(part), fold_arguments(spec_, shift_, part), buffers.keys[0], refusal(), pass, buffers.densest);
    });
  });
}

template <class T> void Sorter<T>::sum(const Sums& sums, cudaStream_t stream) {
  sum_kernel<<<static_cast<int>((sums.count + sum_tile - 1) / sum_tile), pass_threads, 0, stream>>>(sums);
  check_launch("sums");
}

template <class T>
void Sorter<T>::count_digits(const Pass& pass, int number, const Buffers& buffers, cudaStream_t stream) {
  with_items(large_tiles(pass.count), element_bytes(), [&](auto items) {
    count_kernel<items()>
        <<<static_cast<int>(tiles_for(pass.count)), pass_threads, 0, stream>>>(buffers.keys[number], pass);
  });
}

template <class T> Scatter Sorter<T>::scatter_of(int number, std::int64_t count, const Buffers& buffers) const {
  const int left = passes_ - 1 - number;
  return {.tiles = static_cast<int>(tiles_for(count)),
          .keys = buffers.keys[number],
          .to = buffers.moved[left],
          .keys_to = left > 0 ? buffers.keys[number + 1] : nullptr,
          .keep_positions = inverting_,
          .refusal = refusal()};
}

template <class T>
template <class Source>
void Sorter<T>::launch_any(const Source& source, const Pass& pass, const Scatter& scatter, cudaStream_t stream) const {
  constexpr int many = many_items(sizeof(typename Source::Element));
  if (large_tiles(pass.count))
    launch_scatter<many>(source, pass, scatter, stream);
  else
    launch_scatter<few_items>(source, pass, scatter, stream);
}

template <class T>
void Sorter<T>::refold(const PointSet<T>& points, const Sorted& from, std::byte* records, std::uint32_t* keys,
                       cudaStream_t stream) {
  RefoldAxes axes{};
  for (int axis = 0; axis < spec_.dim; ++axis) {
    const double n = from.grid.n[axis], to = spec_.grid.n[axis], ratio = to / n;
    axes.axis[axis] = {.ratio = ratio, .ratio_low = std::fma(-ratio, n, to) / n, .half_width = 0.5 * from.width};
  }
  with_record<T>(spec_.dim, cells_, [&](auto d, auto kind) {
    refold_kernel<T, d(), kind()><<<blocks_for(points.points.count), sort_threads, 0, stream>>>(
        points.points, axes, fold_arguments(spec_, shift_, Points<T>{points.points.count}),
        reinterpret_cast<Record<T, d(), kind()>*>(records), keys);
  });
  check_launch("refold");
}

template <class T>
void Sorter<T>::scatter(const Points<T>& part, const Buffers& buffers, int number, const Pass& pass,
                        cudaStream_t stream) {
  const std::byte* from = number > 0 ? buffers.moved[passes_ - number] : nullptr;
  const Scatter scatter = scatter_of(number, part.count, buffers);
  const auto launch = [&](const auto& source) { launch_any(source, pass, scatter, stream); };
  if (moves_ == Moves::indices_in_set && number == 0)
    launch(Indices{});
  else if (moves_ == Moves::indices_in_set)
    launch(Moved<std::uint32_t>{reinterpret_cast<const std::uint32_t*>(from)});
  else
    with_record<T>(spec_.dim, cells_, [&](auto d, auto kind) {
      using Element = Record<T, d(), kind()>;
      if (number == 0)
        launch(FoldedRecords<T, d(), kind()>{coordinates(part), fold_arguments(spec_, shift_, part)});
      else
        launch(Moved<Element>{reinterpret_cast<const Element*>(from)});
    });
  check_launch("sort");
}

// Writes the records in their order, unless the sort has moved them there.
template <class T>
void Sorter<T>::finish(const PointSet<T>& set, const Points<T>& part, const Buffers& buffers, cudaStream_t stream) {
  if (spec_.sorted && moves_ == Moves::records) return;
  const int blocks = blocks_for(part.count);
  const auto* positions = reinterpret_cast<const std::uint32_t*>(buffers.moved[0]);
  with_record<T>(spec_.dim, cells_, [&](auto d, auto kind) {
    using Element = Record<T, d(), kind()>;
    auto* to = reinterpret_cast<Element*>(set.records.data());
    gather_kernel<T, d(), kind()>
        <<<blocks, sort_threads, 0, stream>>>(coordinates(part), fold_arguments(spec_, shift_, part), positions, to);
  });
  check_launch("gather");
}

template <class T>
void Sorter<T>::invert(const PointSet<T>& set, std::int64_t count, const Buffers& buffers, cudaStream_t stream) {
  inverse_kernel<<<blocks_for(count), sort_threads, 0, stream>>>(
      buffers.keys[0], passes_ > 1 ? buffers.keys[1] : nullptr, passes_ > 2 ? buffers.keys[2] : nullptr, count,
      set.inverse.data(), refusal());
  check_launch("inverse");
}

template <class T>
void Sorter<T>::make_subproblems(const PointSet<T>& set, const PackedPoints<T>& points, const Buffers& buffers,
                                 cudaStream_t stream) {
  const auto bins = static_cast<std::uint32_t>(spec_.item_bins());
  const auto most = static_cast<std::uint32_t>(spec_.subproblem_points);
  const BinCut cut{
      .bins = bins, .most = most, .first = set.bin_first.data(), .densest = buffers.densest, .refusal = refusal()};
  const FoldArguments arguments = fold_arguments(spec_, shift_, Points<T>{points.count});
  const Pass last = pass_of(passes_ - 1, points.count, buffers);
  const ItemsOfSet of_set{.items = set.items.data(),
                          .room = static_cast<std::uint32_t>(max_items(points.count)),
                          .count = set.item_count.data(),
                          .densest = set.densest.data()};
  if (bins < few_bins_threads && (passes_ == 1 || points.count < many_points_per_pass)) {
    dispatch<1, 3>(spec_.dim, [&](auto d) {
      few_bins_kernel<T, d()><<<1, few_bins_threads, 0, stream>>>(points, arguments, last, cut, of_set);
    });
    return check_launch("subproblems");
  }
  const Sums items{bin_items_.data(), bins + 1, sum_states_.data()};
  const auto blocks = static_cast<int>(bins / (sort_threads - 1) + 1);
  dispatch<1, 3>(spec_.dim, [&](auto d) {
    bins_kernel<T, d()><<<blocks, sort_threads, 0, stream>>>(points, arguments, last, cut, items);
  });
  check_launch("bins");
  sum(items, stream);
  items_kernel<<<blocks_for(max_items(points.count)), sort_threads, 0, stream>>>(
      BinItems{set.bin_first.data(), bin_items_.data(), bins, most}, buffers.densest, of_set, refusal());
  check_launch("subproblems");
}

template class Sorter<float>;
template class Sorter<double>;

}  // namespace offgrid::cuda
