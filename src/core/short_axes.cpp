#include "core/short_axes.hpp"

#include <algorithm>
#include <utility>

#include "core/arguments.hpp"
#include "core/text.hpp"
#include "core/validate.hpp"

namespace offgrid {
namespace {

constexpr std::int64_t longest_short_axis = 3;
constexpr std::int64_t fewest_rest_modes = 4096;              // where there are fewer, the other axes gain too little
constexpr double gain = 1.25;                                 // that pays for products with phases and for moving modes
constexpr std::int64_t group_bytes = std::int64_t{64} << 20;  // of modes that wait beside the caller's

// Bit i of `chosen` stands for axis i.
AxisSplit split_by(const Problem& problem, unsigned chosen) {
  AxisSplit split;
  for (int axis = 0; axis < problem.dim; ++axis)
    if ((chosen >> axis & 1U) != 0) {
      split.short_axes[split.short_count++] = axis;
      split.short_modes *= problem.modes[axis];
    } else {
      split.rest[split.rest_count++] = axis;
      split.rest_modes *= problem.modes[axis];
    }
  return split;
}

unsigned find_short_axes(const Problem& problem) {
  unsigned found = 0;
  for (int axis = 0; axis < problem.dim; ++axis)
    if (problem.modes[axis] > 1 && problem.modes[axis] <= longest_short_axis) found |= 1U << axis;
  return found;
}

Problem inner_problem(const Problem& problem, const AxisSplit& split) {
  Problem inner = problem;
  inner.dim = split.rest_count;
  inner.modes = {1, 1, 1};
  for (int axis = 0; axis < split.rest_count; ++axis) inner.modes[axis] = problem.modes[split.rest[axis]];
  return inner;
}

// The largest part of all vectors whose modes are few enough to be held a second time; at least one vector.
std::int64_t vectors_per_group(const Problem& problem, const Options& options, const AxisSplit& split) {
  const std::int64_t real_bytes = problem.precision == Precision::f32 ? 4 : 8;
  const std::int64_t most =
      std::max<std::int64_t>(1, group_bytes / (2 * real_bytes * split.short_modes * split.rest_modes));
  std::int64_t group = std::min(most, options.transforms);
  while (options.transforms % group != 0) --group;
  return group;
}

Options inner_options(const Problem& problem, const Options& options, const AxisSplit& split) {
  Options inner = options;
  inner.transforms = vectors_per_group(problem, options, split) * split.short_modes;
  return inner;
}

int frequency(std::int64_t index, std::int64_t modes, ModeOrder order) {
  const std::int64_t first_negative = order == ModeOrder::centred ? 0 : (modes + 1) / 2;
  if (order == ModeOrder::centred) return static_cast<int>(index - modes / 2);
  return static_cast<int>(index < first_negative ? index : index - modes);
}

// The modes of the short axes in the order of their vectors: the first short axis is the faster one.
ShortModes list_short_modes(const Problem& problem, const AxisSplit& split, ModeOrder order) {
  ShortModes all;
  all.count = static_cast<int>(split.short_modes);
  for (int mode = 0; mode < all.count; ++mode) {
    std::int64_t left = mode;
    for (int i = 0; i < split.short_count; ++i) {
      const std::int64_t modes = problem.modes[split.short_axes[i]];
      all.k[mode][i] = frequency(left % modes, modes, order);
      left /= modes;
    }
  }
  return all;
}

std::int64_t stride_of(const Problem& problem, int axis) {
  std::int64_t stride = 1;
  for (int before = 0; before < axis; ++before) stride *= problem.modes[before];
  return stride;
}

ModeOrders find_orders(const Problem& problem, const AxisSplit& split, std::int64_t vectors) {
  ModeOrders orders;
  orders.vectors = vectors;
  orders.parts = static_cast<int>(split.short_modes);
  for (int part = 0; part < orders.parts; ++part) {
    std::int64_t left = part;
    for (int i = 0; i < split.short_count; ++i) {
      const std::int64_t modes = problem.modes[split.short_axes[i]];
      orders.first[part] += left % modes * stride_of(problem, split.short_axes[i]);
      left /= modes;
    }
  }
  for (int i = 0; i < split.rest_count; ++i) {
    orders.size[i] = problem.modes[split.rest[i]];
    orders.stride[i] = stride_of(problem, split.rest[i]);
  }
  return orders;
}

bool are_the_same(const ModeOrders& orders) {
  const bool dense = orders.stride[0] == 1 && (orders.size[1] == 1 || orders.stride[1] == orders.size[0]);
  for (int part = 0; part < orders.parts; ++part)
    if (orders.first[part] != part * orders.rest()) return false;
  return dense;
}

}  // namespace

// Bins are given by the caller's axes, which the inner plan does not have.
std::optional<AxisSplit> cheapest_split(const Problem& problem, const Options& options, const BackendTraits& traits) {
  validate(problem, options);
  const unsigned candidates = find_short_axes(problem);
  if (candidates == 0 || options.bin1 + options.bin2 + options.bin3 != 0) return std::nullopt;
  if (split_by(problem, candidates).rest_modes < fewest_rest_modes) return std::nullopt;
  Options hinted = options;
  hinted.points_hint = expected_points(problem, options);
  double lowest = estimate_design(problem, hinted, traits).cost / gain;
  std::optional<AxisSplit> best;
  for (unsigned chosen = 1; chosen <= candidates; ++chosen) {
    if ((chosen & ~candidates) != 0) continue;
    const AxisSplit split = split_by(problem, chosen);
    const double cost =
        static_cast<double>(split.short_modes) *
        estimate_design(inner_problem(problem, split), inner_options(problem, hinted, split), traits).cost;
    if (cost >= lowest) continue;
    lowest = cost;
    best = split;
  }
  return best;
}

template <class T>
ShortAxesPlan<T>::ShortAxesPlan(const Problem& problem, const Options& options, const Backend& backend,
                                const AxisSplit& split)
    : backend_(backend),
      problem_(problem),
      options_(options),
      split_(split),
      group_(vectors_per_group(problem, options, split)),
      short_modes_(list_short_modes(problem, split, options.mode_order)),
      orders_(find_orders(problem, split, group_)),
      same_order_(are_the_same(orders_)),
      pointwise_(backend.pointwise<T>()(options)),
      inner_(inner_problem(problem, split), inner_options(problem, options, split), backend),
      rooms_(*pointwise_) {}

// Where something throws, the earlier points, phases and rooms are as they were.
template <class T>
void ShortAxesPlan<T>::set_points(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) {
  require_points<T>(backend_, problem_.dim, options_.transforms, count, axes);
  checked_product("points x transforms", count, group_ * split_.short_modes, std::int64_t{sizeof(Complex)});
  Phases phases = phases_of(count, axes, stream);
  auto rooms = rooms_.prepare(count > 0 ? room_size(count) : 0);
  std::array<const void*, max_dim> rest{};
  for (int axis = 0; axis < split_.rest_count; ++axis) rest[axis] = axes[split_.rest[axis]];
  inner_.set_points(count, rest, stream);
  phases_ = std::move(phases);
  count_ = count;
  rooms_.replace_by(std::move(rooms), room_size(count));
}

template <class T>
typename ShortAxesPlan<T>::Phases ShortAxesPlan<T>::phases_of(std::int64_t count,
                                                              const std::array<const void*, max_dim>& axes,
                                                              Stream stream) {
  Phases phases;
  for (int i = 0; i < split_.short_count && count > 0; ++i) {
    phases[i] = pointwise_->make_room(count);
    pointwise_->find_phases(static_cast<const T*>(axes[split_.short_axes[i]]), count, phases[i]->data, stream);
  }
  return phases;
}

// Strengths of a group, then its modes where they have to be moved.
template <class T> std::int64_t ShortAxesPlan<T>::room_size(std::int64_t count) const {
  return group_ * (split_.short_modes * count + (same_order_ ? 0 : orders_.modes()));
}

template <class T> void ShortAxesPlan<T>::execute(void* strengths, void* modes, Stream stream) const {
  run({direction_of(problem_), sign_of(problem_, options_), stream},
      {static_cast<Complex*>(strengths), static_cast<Complex*>(modes), count_});
}

template <class T> void ShortAxesPlan<T>::adjoint(void* strengths, void* modes, Stream stream) const {
  run({opposite(direction_of(problem_)), opposite(sign_of(problem_, options_)), stream},
      {static_cast<Complex*>(strengths), static_cast<Complex*>(modes), count_});
}

template <class T> void ShortAxesPlan<T>::run(const Call& call, const Vectors<T>& vectors) const {
  require_set(inner_.points());
  const std::int64_t modes = orders_.modes() * options_.transforms;
  require_vectors(backend_, vectors, count_ * options_.transforms, modes);
  if (count_ == 0) {  // a sum over nothing is zero
    if (call.direction == Direction::to_modes)
      backend_.clear(vectors.uniform, static_cast<std::size_t>(modes) * sizeof(Complex), call.stream);
    return;
  }
  const auto room = rooms_.lease(call.stream);
  for (std::int64_t first = 0; first < options_.transforms; first += group_)
    run_group(call, {vectors.strengths + first * count_, vectors.uniform + first * orders_.modes(), count_}, *room);
}

template <class T>
void ShortAxesPlan<T>::run_group(const Call& call, const Vectors<T>& group, const Room<T>& room) const {
  Complex* modulated = room.data;
  Complex* parts = same_order_ ? group.uniform : modulated + group_ * split_.short_modes * count_;
  const Modulation<T> by = modulation(call.sign);
  const auto transform = [&] {
    if (call.direction == direction_of(problem_))
      inner_.execute(modulated, parts, call.stream);
    else
      inner_.adjoint(modulated, parts, call.stream);
  };
  if (call.direction == Direction::to_modes) {
    pointwise_->modulate(by, group.strengths, modulated, call.stream);
    transform();
    if (!same_order_) pointwise_->from_parts(orders_, parts, group.uniform, call.stream);
  } else {
    if (!same_order_) pointwise_->to_parts(orders_, group.uniform, parts, call.stream);
    transform();
    pointwise_->demodulate(by, modulated, group.strengths, call.stream);
  }
}

template <class T> Modulation<T> ShortAxesPlan<T>::modulation(Sign sign) const {
  Modulation<T> by{short_modes_, {}, count_, group_};
  for (auto& k : by.modes.k)
    for (int& of_axis : k) of_axis *= static_cast<int>(sign);
  for (int i = 0; i < split_.short_count; ++i) by.phases[i] = phases_[i]->data;
  return by;
}

template <class T> std::string ShortAxesPlan<T>::describe() const {
  std::string short_sizes;
  for (int axis = 0; axis < problem_.dim; ++axis) {
    const auto end = split_.short_axes.begin() + split_.short_count;
    const bool is_short = std::find(split_.short_axes.begin(), end, axis) != end;
    short_sizes += text(axis ? " x " : "", is_short ? problem_.modes[axis] : 1);
  }
  const std::string inner = inner_.describe();
  return text(describe_problem(problem_, options_),  //
              "short axes   ", short_sizes, " modes summed exactly, as ", group_ * split_.short_modes,
              " vectors of the other axes; ", pointwise_->memory_bytes() >> 10, " KiB of phases and products\n",
              inner.substr(inner.find('\n') + 1));
}

template <class T> double ShortAxesPlan<T>::get(std::string_view name) const {
  if (name == "transforms") return static_cast<double>(options_.transforms);
  if (name == "memory_bytes") return inner_.get(name) + static_cast<double>(pointwise_->memory_bytes());
  if (name == "peak_bytes") return inner_.get(name) + static_cast<double>(pointwise_->peak_bytes());
  constexpr std::array<std::string_view, max_dim> grids{"grid1", "grid2", "grid3"};
  const auto grid = std::find(grids.begin(), grids.end(), name);
  if (grid == grids.end()) return inner_.get(name);
  const auto end = split_.rest.begin() + split_.rest_count;
  const auto axis = std::find(split_.rest.begin(), end, static_cast<int>(grid - grids.begin()));
  if (axis != end) return inner_.get(grids[axis - split_.rest.begin()]);
  (void)inner_.get(name);  // throws where no grid is chosen yet
  return 1;
}

template class ShortAxesPlan<float>;
template class ShortAxesPlan<double>;

}  // namespace offgrid
