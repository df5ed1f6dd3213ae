// The engine of one precision: what a design and its points become, stage by stage.
//   set_points  sort_points, make_schedule
//   execute     clear_cells, spread, add_halo, GridFft::grid_to_modes    or    modes_to_grid, fill_halo, interpolate
// Grids are leased from a pool, so that executes run at the same time and allocate only the first time.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/text.hpp"
#include "cpu/crowding.hpp"
#include "cpu/fft.hpp"
#include "cpu/halo.hpp"
#include "cpu/instructions.hpp"
#include "cpu/interp.hpp"
#include "cpu/kernel_eval.hpp"
#include "cpu/layout.hpp"
#include "cpu/policy.hpp"
#include "cpu/pool.hpp"
#include "cpu/sort.hpp"
#include "cpu/spread.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {

template <class T> struct CpuGrid final : Grid {
  std::int64_t batch = 0;  // of this lease
  Buffer<std::complex<T>> cells;
  Buffer<std::complex<T>> tiles;
  Buffer<T> fft_scratch;
};

inline GridLayout fft_layout(const Design& design, const Layout& layout) {
  GridLayout fft{design.dim(),        design.problem.modes,      design.grid, layout.padded[0],
                 layout.plane_stride, design.options.mode_order, {}};
  for (int axis = 0; axis < design.dim(); ++axis) fft.deconvolution[axis] = design.deconvolution[axis].data();
  return fft;
}

template <class T> class PlainEngine final : public Engine<T> {
 public:
  using Complex = std::complex<T>;

  // Engines that are used together share a count.
  PlainEngine(const Design& design, std::shared_ptr<MemoryCount> memory)
      : memory_(std::move(memory)),
        design_(design),
        threads_(design.options.threads > 0 ? design.options.threads : available_threads()),
        layout_(make_layout(design)),
        table_(design.polynomial),
        fft_(fft_layout(design, layout_), threads_),
        grid_bytes_(
            checked_product("grid x batch", layout_.cells, design.batch, std::int64_t{sizeof(std::complex<T>)})),
        tables_(fft_.table_bytes(), memory_.get()) {
    design_.deconvolution = {};  // the FFT has read them
    storage_.count = memory_.get();
  }

  struct PointSet {
    SortedPoints points;
    SpreadSchedule schedule;
    Charge lists;  // of both
  };
  using PointSets = std::vector<PointSet>;

  void set_points(const Points<T>& points, Stream) override { commit(prepare(points)); }

  // Everything of set_points that can fail.
  PointSets prepare(const Points<T>& points) {
    memory_->require("grid", grid_bytes_);
    memory_->require("points", checked_product("points", points.count, packed_size<T>(layout_.dim)));
    require_dropped_axes(points, layout_.dim, threads_);
    SortCase wanted{layout_.dim, layout_.width, std::int64_t{sizeof(T)}, layout_.cells, points.count};
    wanted.clustered = look_clustered(points, layout_.dim);
    PointSets sets = sort_by(sort_policy(wanted), points);
    if constexpr (sizeof(T) == 4) return sets;  // WideEngine sees to crowded points
    if (sets.empty() || !sets[0].points.in_order || !needs_wide(sets)) return sets;
    wanted.must_sort = true;
    return sort_by(sort_policy(wanted), points);
  }

  // Whether sums of these points need more than the working precision, or parts of sorted points.
  template <class Set> bool needs_wide(const std::vector<Set>& sets) const {
    return std::any_of(sets.begin(), sets.end(),
                       [&](const Set& set) { return summation_for(design_, set.points).wide; });
  }

  // The same points as another engine of the same design has prepared, in its order.
  template <class Other> PointSets convert(const std::vector<Other>& others) {
    PointSets sets;
    for (const Other& other : others) {
      PointSet& set = sets.emplace_back();
      set.points = convert_points<T>(other.points, layout_.dim, storage_);
      make_schedule_of(set);
    }
    return sets;
  }

  void commit(PointSets sets) noexcept {
    const std::int64_t tiles = tile_cells();
    sets_.swap(sets);
    count_ = 0;
    for (const PointSet& set : sets_) count_ += set.points.count;
    if (!sets.empty() && sets[0].points.packed.size() <= max_spare_bytes)
      storage_.spare = std::move(sets[0].points.packed);
    if (tile_cells() > tiles) pool_.clear();
  }

  GridLease lease_grid(std::int64_t batch, Stream) const override {
    auto grid = pool_.take([this] { return make_grid(); });
    grid->batch = batch;
    return GridLease(grid.release(), [this](Grid* used) { pool_.give_back(static_cast<CpuGrid<T>*>(used)); });
  }

  void spread(const Complex* strengths, Grid& grid, Stream) const override {
    auto& mine = static_cast<CpuGrid<T>&>(grid);
    clear_cells(mine.cells.data(), mine.batch * layout_.cells, threads_);
    const GridVectors<Complex> grids{&layout_, mine.cells.data(), mine.tiles.data(), threads_};
    for (const PointSet& set : sets_)
      cpu::spread<T>(set.points, set.schedule, table_, {strengths + set.points.first_point, count_, mine.batch}, grids);
  }

  void interpolate(const Grid& grid, Complex* strengths, Stream) const override {
    const auto& mine = static_cast<const CpuGrid<T>&>(grid);
    const GridVectors<const Complex> grids{&layout_, mine.cells.data(), nullptr, threads_};
    for (const PointSet& set : sets_)
      cpu::interpolate<T>(set.points, table_, grids, {strengths + set.points.first_point, count_, mine.batch});
  }

  void grid_to_modes(Grid& grid, Complex* modes, Sign sign, Stream) const override {
    auto& mine = static_cast<CpuGrid<T>&>(grid);
    for (std::int64_t vector = 0; vector < mine.batch; ++vector) {
      Complex* cells = mine.cells.data() + vector * layout_.cells;
      add_halo(layout_, cells, threads_);
      fft_.grid_to_modes(cells, modes + vector * design_.mode_count(), sign, fft_.workers(mine.fft_scratch.data()));
    }
  }

  void modes_to_grid(const Complex* modes, Grid& grid, Sign sign, Stream) const override {
    auto& mine = static_cast<CpuGrid<T>&>(grid);
    for (std::int64_t vector = 0; vector < mine.batch; ++vector) {
      Complex* cells = mine.cells.data() + vector * layout_.cells;
      fft_.modes_to_grid(modes + vector * design_.mode_count(), cells, sign, fft_.workers(mine.fft_scratch.data()));
      fill_halo(layout_, cells, threads_);
    }
  }

  std::size_t workspace_bytes() const override {
    return sizeof(Complex) * static_cast<std::size_t>(layout_.cells * design_.batch + tile_cells()) +
           sizeof(T) * static_cast<std::size_t>(fft_.scratch_elements());
  }

  std::size_t memory_bytes() const override { return memory_->bytes(); }
  std::size_t peak_bytes() const override { return memory_->peak(); }

  std::string describe() const override {
    std::size_t packed = 0;
    for (const PointSet& set : sets_) packed += set.points.packed.bytes();
    return text("engine       cpu, ", threads_, " threads, ", instruction_set(), "\n",  //
                lost_team() ? "forked       all work is done by the calling thread\n" : "",
                "memory       ", workspace_bytes() >> 10, " KiB an execute, ", packed >> 10, " KiB of sorted points\n");
  }

 private:
  std::int64_t tile_cells() const {
    std::int64_t largest = 0;
    for (const PointSet& set : sets_) largest = std::max(largest, set.schedule.room() * threads_);
    return largest;
  }

  PointSets sort_by(SortPolicy policy, const Points<T>& points) {
    policy.may_crowd = may_crowd(design_, points.count);
    PointSets sets;
    for (std::int64_t first = 0; first < points.count; first += policy.max_points) {
      Points<T> part{std::min(policy.max_points, points.count - first), {}};
      for (int axis = 0; axis < layout_.dim; ++axis) part.axis[axis] = points.axis[axis] + first;
      PointSet& set = sets.emplace_back();
      set.points = sort_points(part, layout_, policy, threads_, storage_);
      set.points.first_point = first;
      make_schedule_of(set);
    }
    return sets;
  }

  // In f64 there is nothing wider: small parts are added up in twice the precision. In f32 WideEngine takes over from here.
  SpreadSchedule schedule_for(const SortedPoints& points) const {
    const Summation summation = summation_for(design_, points);
    const bool careful = summation.wide && sizeof(T) == 8 && !points.in_order;
    return make_schedule(points, layout_, {threads_, careful ? careful_part_points : summation.part_points, careful});
  }

  void make_schedule_of(PointSet& set) const {
    set.schedule = schedule_for(set.points);
    set.lists = Charge(set.points.list_bytes() + set.schedule.list_bytes(), memory_.get());
  }

  std::unique_ptr<CpuGrid<T>> make_grid() const {
    auto grid = std::make_unique<CpuGrid<T>>();
    grid->cells = Buffer<Complex>(layout_.cells * design_.batch, memory_.get());
    grid->tiles = Buffer<Complex>(tile_cells(), memory_.get());
    grid->fft_scratch = Buffer<T>(fft_.scratch_elements(), memory_.get());
    return grid;
  }

  std::shared_ptr<MemoryCount> memory_;  // outlives what it counts
  Design design_;
  int threads_;
  Layout layout_;
  KernelTable<T> table_;
  GridFft<T> fft_;
  std::int64_t grid_bytes_;  // of a batch
  Charge tables_;
  PointSets sets_;
  std::int64_t count_ = 0;
  PointStorage storage_;  // its spare memory is that of the points before the present ones

  mutable Pool<CpuGrid<T>> pool_;  // grids that no execute is using
};

}  // namespace offgrid::cpu
