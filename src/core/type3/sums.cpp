// Sources in chunks: each is spread to cells of its own, which are added to those of the sum. The second stage reads the sum
// once.
#include "core/arguments.hpp"
#include "core/type3/plan.hpp"

namespace offgrid {

template <class T> void Type3Plan<T>::add_sources(const void* strengths, Stream stream) {
  if (source_count_ == 0) return;
  require_box_known();
  require_set("add", End::sources);
  if (!has_sum()) require_no_chunk("add");
  require_reach<T>(backend_, "strengths", strengths, source_count_ * options_.transforms);
  take_grids(stream);
  Stages& stages = *stages_;
  const Type3Design& design = stages.design;
  const std::int64_t all = design.cells * options_.transforms, room_for_both = 2 * all;
  if (!stages.sums) stages.sums = pointwise_->make_room(room_for_both);
  if (!stages.has_sums)
    backend_.clear(stages.sums->data, static_cast<std::size_t>(room_for_both) * sizeof(Complex), stream);
  stages.has_sums = true;
  const Call call{Direction::to_points, sign_of(problem_, options_), stream};
  const auto room = rooms_.lease(stream);
  for (std::int64_t first = 0; first < options_.transforms; first += design.group) {
    const std::int64_t cells = design.group * design.cells;
    spread(static_cast<const Complex*>(strengths) + first * source_count_, room->data + cells, room->data, call);
    Complex* sums = stages.sums->data + first * design.cells;
    pointwise_->add(room->data, cells, sums, sums + all, stream);
  }
}

template <class T> void Type3Plan<T>::finish(void* values, Stream stream) {
  // A sum over no points may be all there is; the stages need not have its targets.
  const bool of_nothing = source_count_ == 0 && target_count_ >= 0 && !has_sum();
  if (!of_nothing) {
    require_box_known();
    require_set("finish", End::targets);
  }
  const std::int64_t all = target_count_ * options_.transforms;
  require_reach<T>(backend_, "values", values, all);
  auto* to = static_cast<Complex*>(values);
  if (!has_sum()) {
    if (all > 0) backend_.clear(to, static_cast<std::size_t>(all) * sizeof(Complex), stream);
    return;
  }
  Stages& stages = *stages_;
  const Call call{Direction::to_points, sign_of(problem_, options_), stream};
  for (std::int64_t first = 0; first < options_.transforms && all > 0; first += stages.design.group)
    read(stages.sums->data + first * stages.design.cells, to + first * target_count_, call);
  stages.has_sums = false;
}

template void Type3Plan<float>::add_sources(const void*, Stream);
template void Type3Plan<double>::add_sources(const void*, Stream);
template void Type3Plan<float>::finish(void*, Stream);
template void Type3Plan<double>::finish(void*, Stream);

}  // namespace offgrid
