// The f32 engine: plain single precision, unless the points are so crowded that sums in single precision would miss the
// tolerance (crowding.hpp). Then spreading and its FFT run in double precision; interpolation, which adds few terms, never
// needs to.
#pragma once

#include <algorithm>
#include <complex>
#include <memory>
#include <string>

#include "core/engine.hpp"
#include "cpu/memory/pool.hpp"
#include "cpu/plain_engine.hpp"
#include "cpu/sort/crowding.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {

class WideEngine final : public Engine<float> {
 public:
  WideEngine(const Design& design, std::shared_ptr<MemoryCount> memory)
      : memory_(std::move(memory)), design_(design), narrow_(design, memory_) {}

  void set_points(const Points<float>& points, Stream) override {
    auto sets = narrow_.prepare(points);
    const bool crowded = narrow_.needs_wide(sets);
    if (crowded) {
      if (!wide_) wide_ = make_wide();
      wide_->commit(wide_->convert(sets));
    }
    narrow_.commit(std::move(sets));
    crowded_ = crowded;
    count_ = points.count;
  }

  GridLease lease_grid(std::int64_t batch, Stream stream) const override {
    if (!crowded_) return narrow_.lease_grid(batch, stream);
    auto narrow = narrow_.lease_grid(batch, stream), wide = wide_->lease_grid(batch, stream);
    auto pair = pool_.take([] { return std::make_unique<GridPair>(); });
    pair->batch = batch;
    pair->narrow = std::move(narrow);
    pair->wide = std::move(wide);
    return GridLease(pair.release(), [this](Grid* grid) {
      auto* used = static_cast<GridPair*>(grid);
      used->narrow.reset();
      used->wide.reset();
      pool_.give_back(used);
    });
  }

  // Sums of crowded points are made stage by stage.
  std::int64_t run_vectors(const Batch<float>& all, Stream stream) const override {
    if (crowded_ && direction_of(all.route) == Direction::to_modes) return 0;
    return narrow_.run_vectors(all, stream);
  }

  void spread(const Complex* strengths, Grid& grid, Stream stream) const override {
    if (!crowded_) return narrow_.spread(strengths, grid, stream);
    auto& pair = static_cast<GridPair&>(grid);
    const std::int64_t count = pair.batch * count_;
    copy(strengths, count, room_for(count, pair));
    wide_->spread(pair.doubled.data(), *pair.wide, stream);
  }

  void grid_to_modes(Grid& grid, Complex* modes, Sign sign, Stream stream) const override {
    if (!crowded_) return narrow_.grid_to_modes(grid, modes, sign, stream);
    auto& pair = static_cast<GridPair&>(grid);
    const std::int64_t count = pair.batch * design_.uniform_count();
    wide_->grid_to_modes(*pair.wide, room_for(count, pair), sign, stream);
    copy(pair.doubled.data(), count, modes);
  }

  void modes_to_grid(const Complex* modes, Grid& grid, Sign sign, Stream stream) const override {
    if (!crowded_) return narrow_.modes_to_grid(modes, grid, sign, stream);
    auto& pair = static_cast<GridPair&>(grid);
    narrow_.modes_to_grid(modes, *pair.narrow, sign, stream);
  }

  void grid_to_cells(Grid& grid, Complex* cells, Stream stream) const override {
    if (!crowded_) return narrow_.grid_to_cells(grid, cells, stream);
    auto& pair = static_cast<GridPair&>(grid);
    const std::int64_t count = pair.batch * design_.uniform_count();
    wide_->grid_to_cells(*pair.wide, room_for(count, pair), stream);
    copy(pair.doubled.data(), count, cells);
  }

  void cells_to_grid(const Complex* cells, Grid& grid, Stream stream) const override {
    if (!crowded_) return narrow_.cells_to_grid(cells, grid, stream);
    narrow_.cells_to_grid(cells, *static_cast<GridPair&>(grid).narrow, stream);
  }

  void interpolate(const Grid& grid, const PointFactors<float>& factors, Complex* strengths,
                   Stream stream) const override {
    if (!crowded_) return narrow_.interpolate(grid, factors, strengths, stream);
    narrow_.interpolate(*static_cast<const GridPair&>(grid).narrow, factors, strengths, stream);
  }

  std::size_t workspace_bytes() const override {
    const std::int64_t doubled = design_.batch * std::max(count_, design_.uniform_count());
    return narrow_.workspace_bytes() +
           (crowded_ ? wide_->workspace_bytes() + sizeof(std::complex<double>) * static_cast<std::size_t>(doubled) : 0);
  }

  std::size_t memory_bytes() const override { return memory_->bytes(); }
  std::size_t peak_bytes() const override { return memory_->peak(); }

  std::string describe() const override {
    return narrow_.describe() + (crowded_ ? "crowded      points are spread in double precision\n" : "");
  }

 private:
  // What is leased while the points are crowded.
  struct GridPair final : Grid {
    std::int64_t batch = 0;
    GridLease narrow, wide;
    Buffer<std::complex<double>> doubled;
  };

  std::complex<double>* room_for(std::int64_t count, GridPair& pair) const {
    if (pair.doubled.size() < count) {
      pair.doubled = {};  // before the new one is there: the two together might not fit
      pair.doubled = Buffer<std::complex<double>>(count, memory_.get());
    }
    return pair.doubled.data();
  }

  template <class From, class To>
  void copy(const std::complex<From>* source, std::int64_t count, std::complex<To>* target) const {
    const auto convert = [](std::complex<From> value) { return std::complex<To>(value); };
    for_ranges(threads_of(design_.options), {1, count, copied_chunk}, copy_time, [&](std::int64_t, const Range& range) {
      std::transform(source + range.begin, source + range.end, target + range.begin, convert);
    });
  }

  std::unique_ptr<PlainEngine<double>> make_wide() const {
    Design design = design_;
    design.problem.precision = Precision::f64;
    design.options.transforms = 1;  // of run_vectors, which it is not asked for
    return std::make_unique<PlainEngine<double>>(design, memory_);
  }

  std::shared_ptr<MemoryCount> memory_;  // of this engine and of the two below
  Design design_;
  PlainEngine<float> narrow_;
  std::unique_ptr<PlainEngine<double>> wide_;  // made when it is first needed
  bool crowded_ = false;
  std::int64_t count_ = 0;
  mutable Pool<GridPair> pool_;
};

}  // namespace offgrid::cpu
