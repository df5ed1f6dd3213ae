#include "core/type3/plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/arguments.hpp"
#include "core/text.hpp"

namespace offgrid {
namespace {

void require_box(const char* what, const Box& box, int dim) {
  for (int axis = 0; axis < dim; ++axis)
    if (!(box.low[axis] <= box.high[axis]))
      throw Error(Status::invalid_argument, text(what, " box: axis ", axis, " runs from ", box.low[axis], " to ",
                                                 box.high[axis], ", expected low <= high"));
}

}  // namespace

template <class T>
Type3Plan<T>::Type3Plan(const Problem& problem, const Options& options, const Backend& backend)
    : backend_(backend),
      problem_(problem),
      options_(options),
      pointwise_(backend.pointwise<T>()(options)),
      rooms_(*pointwise_) {
  problem_.modes = {1, 1, 1};
  validate(problem_, options_);
}

// --- points ---------------------------------------------------------------------------------------------------------------
template <class T> Points<T> Type3Plan<T>::checked(End end, const RawPoints& raw) const {
  require_points<T>(backend_, problem_.dim, options_.transforms, raw.count, raw.axes, name_of(end));
  Points<T> points{raw.count, {}};
  for (int axis = 0; axis < problem_.dim; ++axis) points.axis[axis] = static_cast<const T*>(raw.axes[axis]);
  return points;
}

template <class T> void Type3Plan<T>::keep(Side& side, const Points<T>& points, Stream stream) {
  auto room = pointwise_->make_room((problem_.dim * points.count + 1) / 2);
  pointwise_->keep_points(points, problem_.dim, reinterpret_cast<T*>(room->data), stream);
  side.points = std::move(room);
  side.count = points.count;
}

// Everything that can fail of one end.
template <class T> void Type3Plan<T>::fill(Stages& stages, End end, Points<T> points, Stream stream) {
  Side& side = stages.at(end);
  const Type3Design& design = stages.design;
  if (design.direct) return keep(side, points, stream);
  const bool at_sources = end == End::sources;
  points.map = at_sources ? design.source_map : design.target_map;
  RoomHandle factors;
  if (points.count > 0 && (!at_sources || design.has_source_phases())) {
    factors = pointwise_->make_room(points.count);
    pointwise_->find_factors(at_sources ? design.source_rule : design.target_rule, points, factors->data, stream);
  }
  if (points.count > 0 && !side.engine) side.engine = backend_.make<T>(at_sources ? design.spread : design.inner);
  try {
    if (points.count > 0) side.engine->set_points(points, stream);
  } catch (...) {
    if (side.engine->lost_points()) side.count = -1;
    throw;
  }
  side.factors = std::move(factors);
  side.count = points.count;
  side.in_sums_only = false;
}

template <class T>
void Type3Plan<T>::set_points_and_targets(const RawPoints& raw_sources, const RawPoints& raw_targets, Stream stream) {
  const Points<T> sources = checked(End::sources, raw_sources), targets = checked(End::targets, raw_targets);
  if (from_boxes_) {
    require_suited(End::targets, targets, stream);
    require_suited(End::sources, sources, stream);
    fill_both(sources, targets, stream);
  } else if (sources.count > 0 && targets.count > 0) {
    set_by_points(sources, targets, stream);
  } else if (stages_) {  // nothing to transform; the stages do not know these points
    stages_->sources.count = stages_->targets.count = -1;
    stages_->has_sums = false;
  }
  source_count_ = sources.count;
  target_count_ = targets.count;
}

// In the present stages. Where it fails, the earlier points are there unless the stages have lost them.
template <class T> void Type3Plan<T>::fill_or_lose(End end, const Points<T>& points, Stream stream) {
  try {
    fill(*stages_, end, points, stream);
  } catch (...) {
    if (stages_->at(end).count < 0) count_at(end) = -1;
    throw;
  }
}

template <class T> void Type3Plan<T>::fill_both(const Points<T>& sources, const Points<T>& targets, Stream stream) {
  fill_or_lose(End::sources, sources, stream);
  source_count_ = target_count_ = -1;  // until both are there
  fill(*stages_, End::targets, targets, stream);
  commit(std::nullopt);
}

// The boxes are those around the points. Stages that suit them are kept, unless results may depend on these points only.
template <class T> void Type3Plan<T>::set_by_points(const Points<T>& sources, const Points<T>& targets, Stream stream) {
  const Extent of_targets = pointwise_->find_extent("targets", targets, problem_.dim, stream);
  const Extent of_sources = pointwise_->find_extent("points", sources, problem_.dim, stream);
  const Type3Boxes boxes{of_sources.box,
                         of_targets.box,
                         sources.count,
                         targets.count,
                         are_all_over(of_sources, sources.count),
                         are_all_over(of_targets, targets.count)};
  if (stages_ && !options_.deterministic && stages_->design.suits(boxes)) return fill_both(sources, targets, stream);
  Stages fresh{make_type3_design(problem_, options_, backend_.traits, boxes), boxes, {}, {}};
  fill(fresh, End::sources, sources, stream);
  fill(fresh, End::targets, targets, stream);
  commit(std::move(fresh));
}

// Rooms are made before the present stages are given up.
template <class T> void Type3Plan<T>::commit(std::optional<Stages> fresh) {
  const Stages& next = fresh ? *fresh : *stages_;
  const std::int64_t size = room_size(next.design, next.sources.count, next.targets.count);
  auto rooms = rooms_.prepare(size);
  if (fresh) stages_ = std::move(fresh);
  stages_->has_sums = false;
  rooms_.replace_by(std::move(rooms), size);
}

template <class T> Type3Design Type3Plan<T>::design_by_grids(const Type3Boxes& boxes) const {
  Options by_grids = options_;
  by_grids.type3 = Type3Method::grid;
  return make_type3_design(problem_, by_grids, backend_.traits, boxes);
}

// What a sum over all pairs cannot do, grids can: sources and targets that come one after the other, in boxes.
template <class T> void Type3Plan<T>::take_grids(Stream stream) {
  if (!stages_ || !stages_->design.direct) return;
  Stages fresh{design_by_grids(stages_->boxes), stages_->boxes, {}, {}};
  for (const End end : {End::sources, End::targets}) {
    const Side& kept = stages_->at(end);
    if (kept.count < 0) continue;
    Points<T> points{kept.count, {}};
    for (int axis = 0; axis < problem_.dim; ++axis)
      points.axis[axis] = reinterpret_cast<const T*>(kept.points->data) + axis * kept.count;
    fill(fresh, end, points, stream);
  }
  commit(std::move(fresh));
}

template <class T> void Type3Plan<T>::require_box_known() const {
  if (!stages_)
    throw Error(
        Status::wrong_state,
        "type 3: the grid depends on the boxes around sources and targets; set both in one call, or give the boxes");
}

// Whether the present grids keep the tolerance for these points, for which they were not designed. Only a chunk of a sum may be
// anything in the box: what counts is the whole sum.
template <class T> bool Type3Plan<T>::require_suited(End end, const Points<T>& points, Stream stream) {
  if (points.count == 0) return true;
  const Extent extent = pointwise_->find_extent(name_of(end), points, problem_.dim, stream);
  const Type3Design& design = stages_->design;
  const Type3Axis& first = design.axis[0];
  const bool at_sources = end == End::sources;
  if (!(at_sources ? design.holds_sources(extent.box) : design.holds_targets(extent.box)))
    throw Error(Status::invalid_argument,
                text(name_of(end), ": some lie outside of the box that the plan was made for (along the first axis ",
                     at_sources ? first.source_half : first.target_half, " around ",
                     at_sources ? first.source_centre : first.target_centre, "); ",
                     from_boxes_ ? "" : "set sources and targets in one call, or ", "give larger boxes"));
  const bool is_chunk = at_sources && stages_->has_sums;
  const bool must_be_all_over = at_sources ? design.sources_all_over : design.targets_all_over;
  const bool suited = !must_be_all_over || are_all_over(extent, points.count);
  if (!suited && !is_chunk)
    throw Error(Status::invalid_argument,
                text(name_of(end), ": the plan's grids are for many that are spread over their box, and these ",
                     points.count, " are few, at few places or at the ends of it, where the error would exceed the ",
                     "tolerance; set points and targets in one call, or give the boxes"));
  return suited;
}

// One end anew, within its box.
template <class T> void Type3Plan<T>::refill(End end, const RawPoints& raw, Stream stream) {
  const Points<T> points = checked(end, raw);
  require_box_known();
  const bool suited = require_suited(end, points, stream);
  take_grids(stream);
  Stages& stages = *stages_;
  const bool at_sources = end == End::sources;
  const std::int64_t size =
      room_size(stages.design, at_sources ? raw.count : source_count_, at_sources ? target_count_ : raw.count);
  auto rooms = rooms_.prepare(size);  // what can fail comes before what cannot be undone
  fill_or_lose(end, points, stream);
  stages.at(end).in_sums_only = !suited;
  rooms_.replace_by(std::move(rooms), size);
  count_at(end) = raw.count;
}

template <class T>
void Type3Plan<T>::set_points(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) {
  refill(End::sources, {count, axes}, stream);
}

template <class T>
void Type3Plan<T>::set_targets(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) {
  refill(End::targets, {count, axes}, stream);
}

template <class T> void Type3Plan<T>::set_boxes(const Box& sources, const Box& targets) {
  require_box("sources", sources, problem_.dim);
  require_box("targets", targets, problem_.dim);
  const std::int64_t hint = options_.points_hint > 0 ? options_.points_hint : std::int64_t{1} << 20;
  const Type3Boxes boxes{sources, targets, hint, hint};
  stages_ = Stages{design_by_grids(boxes), boxes, {}, {}};
  from_boxes_ = true;
  source_count_ = target_count_ = -1;
}

// --- execute --------------------------------------------------------------------------------------------------------------
template <class T>
std::int64_t Type3Plan<T>::room_size(const Type3Design& design, std::int64_t sources, std::int64_t targets) {
  if (design.direct) return 0;
  const std::int64_t products = std::max(design.has_source_phases() ? sources : 0, targets);
  return design.group * (design.cells + std::max<std::int64_t>(0, products));
}

template <class T> const typename Type3Plan<T>::Stages& Type3Plan<T>::stages(std::string_view asker) const {
  if (!stages_) throw Error(Status::wrong_state, text(asker, ": the grid is chosen when sources and targets are set"));
  return *stages_;
}

// Whether points or targets were set, and where there is something to transform, whether the stages have them.
template <class T> void Type3Plan<T>::require_set(const char* asker, End end) const {
  const std::int64_t count = count_at(end);
  const bool is_there = stages_ && stages_->at(end).count == count;
  if (count == 0 || (count > 0 && is_there)) return;
  throw Error(Status::wrong_state, text(asker, ": the plan has no ", name_of(end), " yet, set them first"));
}

template <class T> void Type3Plan<T>::require_no_chunk(const char* asker) const {
  if (stages_ && stages_->sources.in_sums_only)
    throw Error(Status::wrong_state,
                text(asker, ": these points were set as a chunk of a sum, and the plan's grids do not ",
                     "keep the tolerance for them alone; set points and targets in one call"));
}

// A group of vectors at the points of one side, times their factors.
template <class T>
void Type3Plan<T>::multiply(const Side& side, Sign sign, const Complex* from, Complex* to, Stream stream) const {
  pointwise_->multiply({.from = from,
                        .complex = side.factors->data,
                        .to = to,
                        .count = side.count,
                        .vectors = stages_->design.group,
                        .conjugate = sign == Sign::minus},
                       stream);
}

// One group of vectors from the points of one side, times their factors, to the cells that both sides share.
template <class T>
void Type3Plan<T>::to_cells(const Side& side, const Design& design, const Vectors<T>& group, Complex* scratch,
                            const Call& call) const {
  Vectors<T> products = group;
  if (side.factors) {
    multiply(side, call.sign, group.strengths, scratch, call.stream);
    products.strengths = scratch;
  }
  offgrid::execute(*side.engine, design, products, Direction::to_modes, call.sign, call.stream);
}

template <class T>
void Type3Plan<T>::from_cells(const Side& side, const Design& design, const Vectors<T>& group, const Call& call) const {
  Vectors<T> products = group;
  const bool on_the_way = side.factors && side.engine->multiplies_results();
  if (on_the_way) products.factors = {side.factors->data, call.sign == Sign::minus};
  offgrid::execute(*side.engine, design, products, Direction::to_points, call.sign, call.stream);
  if (side.factors && !on_the_way) multiply(side, call.sign, group.strengths, group.strengths, call.stream);
}

template <class T>
void Type3Plan<T>::spread(const Complex* strengths, Complex* scratch, Complex* cells, const Call& call) const {
  const Side& side = stages_->sources;
  to_cells(side, stages_->design.spread, {const_cast<Complex*>(strengths), cells, side.count}, scratch, call);
}

template <class T> void Type3Plan<T>::read(Complex* cells, Complex* values, const Call& call) const {
  const Side& side = stages_->targets;
  from_cells(side, stages_->design.inner, {values, cells, side.count}, call);
}

template <class T>
void Type3Plan<T>::run_adjoint(Complex* strengths, Complex* values, const Room<T>& room, const Call& call) const {
  const Type3Design& design = stages_->design;
  const Side &sources = stages_->sources, &targets = stages_->targets;
  Complex *cells = room.data, *scratch = cells + design.group * design.cells;
  to_cells(targets, design.inner, {values, cells, targets.count}, scratch, call);
  from_cells(sources, design.spread, {strengths, cells, sources.count}, call);
}

template <class T> void Type3Plan<T>::sum_directly(const Call& call, Complex* strengths, Complex* values) const {
  const bool forward = call.direction == Direction::to_points;
  const Side& over = forward ? stages_->sources : stages_->targets;
  const Side& at = forward ? stages_->targets : stages_->sources;
  pointwise_->sum_directly({.dim = problem_.dim,
                            .sign = call.sign,
                            .x = reinterpret_cast<const T*>(over.points->data),
                            .at = reinterpret_cast<const T*>(at.points->data),
                            .terms = over.count,
                            .values = at.count,
                            .vectors = options_.transforms,
                            .from = forward ? strengths : values,
                            .to = forward ? values : strengths},
                           call.stream);
}

template <class T> void Type3Plan<T>::run(const Call& call, Complex* strengths, Complex* values) const {
  // The stages need not have the points of a sum over nothing, or at no target.
  if (source_count_ < 0 || target_count_ != 0) require_set("execute", End::sources);
  if (target_count_ < 0 || source_count_ != 0) require_set("execute", End::targets);
  const std::int64_t all_strengths = source_count_ * options_.transforms;
  const std::int64_t all_values = target_count_ * options_.transforms;
  require_vectors(backend_, Vectors<T>{strengths, values, source_count_}, all_strengths, all_values, "values");
  const bool forward = call.direction == Direction::to_points;
  if (all_strengths == 0 || all_values == 0) {  // a sum over nothing is zero
    const std::int64_t size = forward ? all_values : all_strengths;
    if (size > 0)
      backend_.clear(forward ? values : strengths, static_cast<std::size_t>(size) * sizeof(Complex), call.stream);
    return;
  }
  require_no_chunk(forward ? "execute" : "adjoint");
  const Type3Design& design = stages_->design;
  if (design.direct) return sum_directly(call, strengths, values);
  const auto room = rooms_.lease(call.stream);
  for (std::int64_t first = 0; first < options_.transforms; first += design.group) {
    Complex *from = strengths + first * source_count_, *to = values + first * target_count_;
    if (forward) {
      spread(from, room->data + design.group * design.cells, room->data, call);
      read(room->data, to, call);
    } else {
      run_adjoint(from, to, *room, call);
    }
  }
}

template <class T> void Type3Plan<T>::execute(void* strengths, void* values, Stream stream) const {
  run({Direction::to_points, sign_of(problem_, options_), stream}, static_cast<Complex*>(strengths),
      static_cast<Complex*>(values));
}

template <class T> void Type3Plan<T>::adjoint(void* strengths, void* values, Stream stream) const {
  run({Direction::to_modes, opposite(sign_of(problem_, options_)), stream}, static_cast<Complex*>(strengths),
      static_cast<Complex*>(values));
}

template <class T> void Type3Plan<T>::set_workspace(void* memory, std::size_t) {
  if (memory != nullptr)
    throw Error(Status::invalid_argument, "workspace: a plan of type 3 takes care of its memory, expected null");
}

template class Type3Plan<float>;
template class Type3Plan<double>;

}  // namespace offgrid
