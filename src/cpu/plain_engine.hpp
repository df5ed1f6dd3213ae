// The engine of one precision: what a design and its points become, stage by stage.
//   set_points  sort_points, make_schedule
//   execute     clear_cells, spread, add_halo, GridFft::grid_to_modes    or    modes_to_grid, fill_halo, interpolate
//               with copy_from_grid and copy_to_grid in place of the FFT where the caller has the cells
// All threads work on one batch stage by stage, or each thread takes small vectors of its own through all stages
// (thread_policy.hpp).
// Grids are leased from a pool, so that executes run at the same time and allocate only the first time.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/text.hpp"
#include "cpu/fft/kept_fft.hpp"
#include "cpu/instructions.hpp"
#include "cpu/memory/pool.hpp"
#include "cpu/policy.hpp"
#include "cpu/sort/crowding.hpp"
#include "cpu/sort/sort.hpp"
#include "cpu/spread/halo.hpp"
#include "cpu/spread/interp.hpp"
#include "cpu/spread/kernel_eval.hpp"
#include "cpu/spread/layout.hpp"
#include "cpu/spread/spread.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {

template <class T> struct CpuGrid final : Grid {
  std::int64_t batch = 0;         // of this lease
  Buffer<std::complex<T>> cells;  // of the vectors of a batch, or of those that all threads work on at a time
  Buffer<std::complex<T>> tiles;
  Buffer<T> fft_scratch;
};

// What one thread, or all of them, work with: part of a grid's memory.
template <class T> struct Workplace {
  std::complex<T>* cells;  // [vectors][layout.cells]
  std::complex<T>* tiles;
  Workers<T> workers;
  std::int64_t vectors;
};

template <class T> class PlainEngine final : public Engine<T> {
 public:
  using Complex = std::complex<T>;

  // Engines that are used together share a count.
  PlainEngine(const Design& design, std::shared_ptr<MemoryCount> memory)
      : memory_(std::move(memory)),
        design_(design),
        threads_(threads_of(design.options)),
        layout_(make_layout(design)),
        table_(design.polynomial),
        grid_bytes_(
            checked_product("grid x batch", layout_.cells, design.batch, std::int64_t{sizeof(std::complex<T>)})) {
    storage_.count = memory_.get();
    if (!design.has_modes()) return;
    fft_ = fft_for<T>(design, layout_, threads_);
    tables_ = Charge(fft_->table_bytes(), memory_.get());
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
      set.points = convert_points<T>(other.points, {layout_.dim, threads_}, storage_);
      make_schedule_of(set);
    }
    return sets;
  }

  void commit(PointSets sets) noexcept {
    const std::int64_t tiles = tile_cells(), grids = grid_count();
    sets_.swap(sets);
    count_ = 0;
    for (const PointSet& set : sets_) count_ += set.points.count;
    if (!sets.empty() && sets[0].points.packed.size() <= max_spare_bytes)
      storage_.spare = std::move(sets[0].points.packed);
    shares_ = share_vectors(vector_case());
    if (tile_cells() > tiles || grid_count() > grids) pool_.clear();
  }

  GridLease lease_grid(std::int64_t batch, Stream) const override {
    auto grid = pool_.take([this] { return make_grid(); });
    grid->batch = batch;
    return GridLease(grid.release(), [this](Grid* used) { pool_.give_back(static_cast<CpuGrid<T>*>(used)); });
  }

  // A thread takes its vectors through all stages in its part of one grid. Which thread that is does not matter: a vector
  // is transformed as by a single thread.
  std::int64_t run_vectors(const Batch<T>& all, Stream stream) const override {
    if (shares_.vectors == 0) return 0;
    const GridLease lease = lease_grid(shares_.grids(), stream);
    const auto& grid = static_cast<const CpuGrid<T>&>(*lease);
    const std::int64_t jobs = (shares_.vectors + shares_.together - 1) / shares_.together;
    const Work work{shares_.threads, vector_time() * static_cast<double>(shares_.vectors)};
    parallel_for(work, jobs, [&](std::int64_t job, int thread) {
      const std::int64_t first = job * shares_.together;
      const Workplace<T> mine = place_of(thread, std::min(shares_.together, shares_.vectors - first), grid);
      Complex* strengths = all.strengths + first * count_;
      Complex* uniform = all.uniform + first * design_.uniform_count();
      if (direction_of(all.route) == Direction::to_modes) {
        spread_into(strengths, mine);
        all.route == Route::to_cells ? grid_into_cells(mine, uniform) : grid_into_modes(mine, uniform, all.sign);
      } else {
        all.route == Route::from_cells ? cells_into_grid(uniform, mine) : modes_into_grid(uniform, mine, all.sign);
        interpolate_from(mine, strengths);
      }
    });
    return shares_.vectors;
  }

  void spread(const Complex* strengths, Grid& grid, Stream) const override {
    spread_into(strengths, place_of_all(static_cast<CpuGrid<T>&>(grid)));
  }
  void interpolate(const Grid& grid, const PointFactors<T>&, Complex* strengths, Stream) const override {
    interpolate_from(place_of_all(static_cast<const CpuGrid<T>&>(grid)), strengths);
  }
  void grid_to_modes(Grid& grid, Complex* modes, Sign sign, Stream) const override {
    grid_into_modes(place_of_all(static_cast<CpuGrid<T>&>(grid)), modes, sign);
  }
  void modes_to_grid(const Complex* modes, Grid& grid, Sign sign, Stream) const override {
    modes_into_grid(modes, place_of_all(static_cast<CpuGrid<T>&>(grid)), sign);
  }

  void grid_to_cells(Grid& grid, Complex* cells, Stream) const override {
    grid_into_cells(place_of_all(static_cast<CpuGrid<T>&>(grid)), cells);
  }
  void cells_to_grid(const Complex* cells, Grid& grid, Stream) const override {
    cells_into_grid(cells, place_of_all(static_cast<CpuGrid<T>&>(grid)));
  }

  std::size_t workspace_bytes() const override {
    return sizeof(Complex) * static_cast<std::size_t>(layout_.cells * grid_count() + tile_cells()) +
           sizeof(T) * static_cast<std::size_t>(fft_scratch());
  }

  std::size_t memory_bytes() const override { return memory_->bytes(); }
  std::size_t peak_bytes() const override { return memory_->peak(); }

  std::string describe() const override {
    std::size_t packed = 0;
    for (const PointSet& set : sets_) packed += set.points.packed.bytes();
    const std::string vectors = text("vectors      ", shares_.vectors, " by one thread each\n");
    return text("engine       cpu, ", threads_, " threads, ", instruction_set(), "\n",  //
                lost_team() ? "forked       all work is done by the calling thread\n" : "",
                shares_.vectors > 0 ? vectors : "",  //
                "memory       ", workspace_bytes() >> 10, " KiB an execute, ", packed >> 10, " KiB of sorted points\n");
  }

 private:
  std::int64_t tiles_per_thread() const {
    std::int64_t largest = 0;
    for (const PointSet& set : sets_) largest = std::max(largest, set.schedule.room());
    return largest;
  }
  std::int64_t tile_cells() const { return tiles_per_thread() * threads_; }
  std::int64_t fft_scratch() const { return fft_ ? fft_->scratch_elements() : 0; }
  std::int64_t grid_count() const { return std::max(design_.batch, shares_.grids()); }  // of an execute

  // For one vector on one core.
  double vector_time() const {
    const double points = point_time(layout_.dim, layout_.width) * static_cast<double>(count_);
    const double fft = fft_ ? layout_.dim * fft_point_time : 0;
    return points + (2 * cell_time + fft) * static_cast<double>(layout_.cells);
  }

  // More grids than a batch has must leave room for everything else.
  VectorCase vector_case() const {
    const Options& options = design_.options;
    const std::int64_t bytes = layout_.cells * std::int64_t{sizeof(Complex)}, most = memory_->limit() / 4 / bytes;
    return {.transforms = options.transforms,
            .batch = design_.batch,
            .most_grids = options.batch > 0 ? std::min(options.batch, most) : most,
            .grid_bytes = bytes,
            .dim = layout_.dim,
            .threads = threads_,
            .nanoseconds = vector_time()};
  }

  Workplace<T> place_of_all(const CpuGrid<T>& grid) const {
    const Workers<T> workers = fft_ ? fft_->workers(grid.fft_scratch.data()) : Workers<T>{threads_, nullptr, 0};
    return {grid.cells.data(), grid.tiles.data(), workers, grid.batch};
  }
  Workplace<T> place_of(int thread, std::int64_t vectors, const CpuGrid<T>& grid) const {
    const Workers<T> worker = fft_ ? fft_->worker(grid.fft_scratch.data(), thread) : Workers<T>{1, nullptr, 0};
    return {grid.cells.data() + thread * shares_.together * layout_.cells,
            grid.tiles.data() + thread * tiles_per_thread(), worker, vectors};
  }

  void spread_into(const Complex* strengths, const Workplace<T>& place) const {
    clear_cells(place.cells, place.vectors * layout_.cells, place.workers.threads);
    const GridVectors<Complex> grids{&layout_, place.cells, place.tiles, place.workers.threads};
    for (const PointSet& set : sets_)
      cpu::spread<T>(set.points, set.schedule, table_, {strengths + set.points.first_point, count_, place.vectors},
                     grids);
  }

  void interpolate_from(const Workplace<T>& place, Complex* strengths) const {
    const GridVectors<const Complex> grids{&layout_, place.cells, nullptr, place.workers.threads};
    for (const PointSet& set : sets_)
      cpu::interpolate<T>(set.points, table_, grids, {strengths + set.points.first_point, count_, place.vectors});
  }

  void grid_into_modes(const Workplace<T>& place, Complex* modes, Sign sign) const {
    for (std::int64_t vector = 0; vector < place.vectors; ++vector) {
      Complex* cells = place.cells + vector * layout_.cells;
      add_halo(layout_, cells, place.workers.threads);
      fft_->grid_to_modes(cells, modes + vector * design_.uniform_count(), sign, place.workers);
    }
  }

  void modes_into_grid(const Complex* modes, const Workplace<T>& place, Sign sign) const {
    for (std::int64_t vector = 0; vector < place.vectors; ++vector) {
      Complex* cells = place.cells + vector * layout_.cells;
      fft_->modes_to_grid(modes + vector * design_.uniform_count(), cells, sign, place.workers);
      fill_halo(layout_, cells, place.workers.threads);
    }
  }

  void grid_into_cells(const Workplace<T>& place, Complex* cells) const {
    for (std::int64_t vector = 0; vector < place.vectors; ++vector) {
      Complex* grid = place.cells + vector * layout_.cells;
      add_halo(layout_, grid, place.workers.threads);
      copy_from_grid(layout_, grid, cells + vector * design_.uniform_count(), place.workers.threads);
    }
  }

  void cells_into_grid(const Complex* cells, const Workplace<T>& place) const {
    for (std::int64_t vector = 0; vector < place.vectors; ++vector) {
      Complex* grid = place.cells + vector * layout_.cells;
      copy_to_grid(layout_, cells + vector * design_.uniform_count(), grid, place.workers.threads);
      fill_halo(layout_, grid, place.workers.threads);
    }
  }

  PointSets sort_by(SortPolicy policy, const Points<T>& points) {
    policy.may_crowd = may_crowd(design_, points.count);
    policy.allowed_error = allowed_error(design_);
    PointSets sets;
    for (std::int64_t first = 0; first < points.count; first += policy.max_points) {
      const Points<T> part = points.part(first, std::min(policy.max_points, points.count - first));
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
    grid->cells = Buffer<Complex>(layout_.cells * grid_count(), memory_.get());
    grid->tiles = Buffer<Complex>(tile_cells(), memory_.get());
    grid->fft_scratch = Buffer<T>(fft_scratch(), memory_.get());
    return grid;
  }

  std::shared_ptr<MemoryCount> memory_;  // outlives what it counts
  Design design_;
  int threads_;
  Layout layout_;
  KernelTable<T> table_;
  std::shared_ptr<const GridFft<T>> fft_;  // none where the caller has the cells
  std::int64_t grid_bytes_;                // of a batch
  Charge tables_;
  PointSets sets_;
  std::int64_t count_ = 0;
  VectorShares shares_;
  PointStorage storage_;  // its spare memory is that of the points before the present ones

  mutable Pool<CpuGrid<T>> pool_;  // grids that no execute is using
};

}  // namespace offgrid::cpu
