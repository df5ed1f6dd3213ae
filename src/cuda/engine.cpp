// The CUDA engine, behind core/engine.hpp. What happens to the data, and where to read it:
//
//   plan time    cost.hpp tells core what designs cost here -> CudaEngine: method/choice picks a method, tables.hpp puts the
//                polynomials, deconvolution and twiddle factors on the device, grid_pool.hpp makes the first grid
//   set_points   method/choice once more, for the number of points -> sort/sort: fold, radix sort by bin, subproblems
//                -> where points are too crowded for the precision of the sums, another method or longer subproblems
//   execute      lease_grid (grid_pool.hpp) -> run: a small transform that came before is replayed (launch/graph.hpp)
//     to modes     spread         launch/clear -> method/<name>: spread [-> method/integer_sums, if deterministic]
//                  grid_to_modes  fft/fft: Stockham FFT axis by axis, or cuFFT; crop; deconvolve
//     to points    modes_to_grid  fft/fft: deconvolve, pad, FFT
//                  interpolate    method/<name>, or one thread per point (method/interpolate_per_point) [-> reorder]
//                  and times the factors of type 3, where multiplies_results() says so
//     to cells     spread [-> grid_to_cells]      into the caller's cells, or by copy_cells where sums are in f64
//     from cells   [cells_to_grid ->] interpolate such plans have no FFT and no factors
//
// Everything is enqueued on the caller's stream; the host waits in set_points only.
#include "cuda/engine.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <nvtx3/nvtx3.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "cuda/convolution.hpp"
#include "cuda/copy_cells.hpp"
#include "cuda/cost.hpp"
#include "cuda/device.hpp"
#include "cuda/grid_pool.hpp"
#include "cuda/launch/clear.hpp"
#include "cuda/method/choice.hpp"
#include "cuda/method/interpolate_per_point.hpp"
#include "cuda/pointwise.hpp"
#include "cuda/policy.hpp"
#include "cuda/tables.hpp"
#include "cuda/vector_algebra.hpp"

namespace offgrid::cuda {
namespace {

cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream); }

void clear(void* memory, std::size_t bytes, Stream stream) {
  enqueue_clear("clearing an array", memory, bytes, native(stream));
}

void wait_for_device() {
  call("waiting for the device", [] { return cudaDeviceSynchronize(); });
}

template <class T> class CudaEngine final : public Engine<T> {
 public:
  using Complex = std::complex<T>;

  explicit CudaEngine(const Design& design)
      : design_(design),
        device_(current_device()),
        choice_(choose_method(request_for(expected_points(design.problem, design.options)))),
        tables_(tables_for<T>(design_, device_.id)),
        sorter_(std::make_unique<Sorter<T>>(choice_.sort, memory_)),
        grids_(design_, device_.multiprocessors, memory_) {
    checked_product("grid x batch", static_cast<std::int64_t>(choice_.sort.grid.cells), design_.batch,
                    std::int64_t{sizeof(std::complex<double>)});
    auto grid = make_grid(choice_);
    workspace_bytes_ = grid->bytes;
    grids_.give_back(std::move(grid));
  }

  ~CudaEngine() override {
    int now = device_.id;
    (void)cudaGetDevice(&now);
    if (now != device_.id) (void)cudaSetDevice(device_.id);
    release();
    if (now != device_.id) (void)cudaSetDevice(now);
  }

  // --- points -----------------------------------------------------------------------------------------------------------
  void set_points(const Points<T>& points, Stream stream) override {
    const nvtx3::scoped_range range{"offgrid set_points"};
    const DeviceGuard guard(device_.id);
    ++points_set_count_;
    for (const auto& grid : grids_.idle())
      if (grid->stream != native(stream)) grid->done.make_wait(native(stream));
    const MethodRequest request = request_for(points.count);
    const MethodChoice fitting = choose_method(request);
    for (const auto& grid : grids_.idle()) make_room(*grid, choice_, *sorter_, points.count);
    const bool sums_too_long = !choice_.sort.subproblems && fitting.method != choice_.method;
    if (needs_wider(request, fitting) || sums_too_long)
      change_method(fitting, points, native(stream));
    else
      sort(points, choice_.unit->subproblem_points(request), native(stream));
    lost_points_ = true;  // the earlier points are gone
    shorten_sums(request, points, native(stream));
    sorter_->trim(kept_scratch_bytes);
    for (const auto& grid : grids_.idle()) grid->replays.forget(grid->done);
    count_ = points.count;
    ready_to_read_ = has_read_.load();
    if (has_read_) make_inverse(native(stream));
    lost_points_ = false;
    points_stream_ = native(stream);
    points_set_.record_or_wait(points_stream_);  // the new points are in place, so that nothing may throw any more
  }

  bool lost_points() const override { return lost_points_; }

  using Handover = typename Engine<T>::Handover;
  Handover handover(Stream stream) const override {
    if (!sorter_->moves_records(count_)) return Handover::impossible;
    return is_captured(native(stream)) ? Handover::not_now : Handover::possible;
  }
  bool is_sorted_for(Direction direction) const override {
    return sorts_alike(choose_method(request_for(count_, direction)));
  }
  // Points that follow crowded ones are taken to be as crowded.
  bool serves(std::int64_t points) const override {
    MethodRequest request = request_for(points);
    if (crowded_) request.sums = SumPrecision::f64;
    const MethodChoice fresh = choose_method(request);
    return fresh.wide == choice_.wide && sorts_alike(fresh);
  }
  bool take_points(const Engine<T>& engine, Stream stream) override {
    const DeviceGuard guard(device_.id);
    const auto& from = static_cast<const CudaEngine&>(engine);
    const MethodRequest request = request_for(from.count_);
    const MethodChoice fitting = choose_method(request);
    if (fitting.wide != choice_.wide || fitting.method != choice_.method) return false;
    if (from.points_stream_ != native(stream)) from.points_set_.make_wait(native(stream));
    const std::int64_t subproblem = choice_.unit->subproblem_points(request);
    const typename Sorter<T>::Sorted sorted{from.sets_, from.choice_.sort.grid, from.choice_.sort.width};
    release_points();
    if (!sorter_->run_from(sorted, subproblem, sets_, native(stream))) return false;
    choice_.sort.subproblem_points = subproblem;
    call("waiting for points", [&] { return cudaStreamSynchronize(native(stream)); });
    if (request.to_modes() && long_run(request, from.count_, native(stream)) > 0) {
      sets_.clear();
      return false;
    }
    sorter_->trim(kept_scratch_bytes);
    count_ = from.count_;
    points_stream_ = native(stream);
    points_set_.record_or_wait(points_stream_);
    return true;
  }

  // --- an execute ---------------------------------------------------------------------------------------------------------
  GridLease lease_grid(std::int64_t batch, Stream stream) const override {
    const DeviceGuard guard(device_.id);
    const bool captured = is_captured(native(stream));
    GridLease grid = grids_.lease(needs_of(choice_), static_cast<int>(batch), native(stream), captured);
    if (!captured && points_stream_ != native(stream)) points_set_.make_wait(native(stream));  // the sort may still run
    return grid;
  }

  void run(const Batch<T>& batch, Grid& grid, const Stages& stages, Stream stream) const override {
    auto& mine = static_cast<CudaGrid<T>&>(grid);
    const Direction direction = direction_of(batch.route);
    if (direction == Direction::to_points) prepare_to_read(mine, native(stream));
    if (works_in_place(batch)) return run_in_place(batch, mine, stream);
    if (mine.captured || !can_be_recorded(direction)) return stages(stream);
    const DeviceGuard guard(device_.id);
    if (!mine.replays.run({batch, points_set_count_}, stages, native(stream), mine.done)) stages(stream);
  }

  void spread(const Complex* strengths, Grid& grid, Stream stream) const override {
    const nvtx3::scoped_range range{"offgrid spread"};
    const DeviceGuard guard(device_.id);
    auto& mine = static_cast<CudaGrid<T>&>(grid);
    if (choice_.wide)
      spread_as<double>(strengths, mine, native(stream));
    else
      spread_as<T>(strengths, mine, native(stream));
  }

  void grid_to_modes(Grid& grid, Complex* modes, Sign sign, Stream stream) const override {
    const nvtx3::scoped_range range{"offgrid grid_to_modes"};
    const DeviceGuard guard(device_.id);
    auto& mine = static_cast<CudaGrid<T>&>(grid);
    if (choice_.wide)
      mine.wide_fft->grid_to_modes(mine.template cells<double>(), modes, mine.batch, sign, wide_tables_->factors(),
                                   native(stream));
    else
      mine.fft->grid_to_modes(mine.template cells<T>(), modes, mine.batch, sign, tables_->factors(), native(stream));
  }

  void modes_to_grid(const Complex* modes, Grid& grid, Sign sign, Stream stream) const override {
    const nvtx3::scoped_range range{"offgrid modes_to_grid"};
    const DeviceGuard guard(device_.id);
    auto& mine = static_cast<CudaGrid<T>&>(grid);
    mine.fft->modes_to_grid(modes, mine.template cells<T>(), mine.batch, sign, tables_->factors(), native(stream));
  }

  void grid_to_cells(Grid& grid, Complex* cells, Stream stream) const override {
    const nvtx3::scoped_range range{"offgrid grid_to_cells"};
    const DeviceGuard guard(device_.id);
    auto& mine = static_cast<CudaGrid<T>&>(grid);
    if (choice_.wide)
      copy_cells(mine.template cells<double>(), cells, cells_of(mine), native(stream));
    else
      copy_cells(mine.template cells<T>(), cells, cells_of(mine), native(stream));
  }

  void cells_to_grid(const Complex* cells, Grid& grid, Stream stream) const override {
    const nvtx3::scoped_range range{"offgrid cells_to_grid"};
    const DeviceGuard guard(device_.id);
    auto& mine = static_cast<CudaGrid<T>&>(grid);
    copy_cells(cells, mine.template cells<T>(), cells_of(mine), native(stream));
  }

  // Reordering reads the factors in order; other kernels meet points in the order of the sort.
  bool multiplies_results() const override {
    const std::size_t bytes = static_cast<std::size_t>(count_) * sizeof(Complex);
    return bytes <= std::min(most_factor_bytes, device_.cache_bytes / 2) || results_are_reordered();
  }

  void interpolate(const Grid& grid, const PointFactors<T>& factors, Complex* strengths, Stream stream) const override {
    const nvtx3::scoped_range range{"offgrid interpolate"};
    const DeviceGuard guard(device_.id);
    const auto& mine = static_cast<const CudaGrid<T>&>(grid);
    const bool by_method = choice_.unit->reads_itself(request_for(count_, Direction::to_points));
    const bool has_sums = mine.sums.size() >= sums_of(choice_, count_) * mine.batch;
    for (const PointSet<T>& set : sets_) {
      const bool in_order = writes_in_order(set, mine);
      auto results = arguments<T>(set, strengths, mine);
      results.factors = factors.by;
      results.factor_sign = factors.conjugate ? T(-1) : T(1);
      const StageCall<T, T> call{choice_, set, in_order ? results_of(set, mine) : results, queue(stream),
                                 mine.sums.data()};
      if (by_method && (has_sums || !choice_.unit->sums_results()))
        choice_.unit->interpolate(call);
      else
        interpolate_per_point(design_.dim(), call.stage, call.queue);
      if (in_order) reorder(mine.results.data(), set, results, native(stream));
    }
  }

  // --- memory and words ---------------------------------------------------------------------------------------------------
  std::size_t workspace_bytes() const override { return workspace_bytes_; }

  void set_workspace(void* memory, std::size_t bytes) override {
    const DeviceGuard guard(device_.id);
    if (memory != nullptr && bytes < workspace_bytes_)
      throw Error(Status::invalid_argument,
                  text("workspace has ", bytes, " bytes, expected ", workspace_bytes_, " or more"));
    if (reinterpret_cast<std::uintptr_t>(memory) % grid_alignment != 0)
      throw Error(Status::invalid_argument, text("workspace is not aligned to ", grid_alignment, " bytes"));
    auto grid = make_grid(choice_, static_cast<std::byte*>(memory));
    wait_for_device();
    const QuietDevice quiet;
    grids_.replace_by(std::move(grid));
  }
  std::size_t memory_bytes() const override { return memory_.bytes + table_bytes(); }
  std::size_t peak_bytes() const override { return memory_.peak + table_bytes(); }

  std::string describe() const override {
    std::string bins;
    for (int axis = 0; axis < design_.dim(); ++axis) bins += text(axis ? " x " : "", choice_.sort.bins.size[axis]);
    const std::int64_t points = sets_.empty() ? expected_points(design_.problem, design_.options) : count_;
    const bool by_method = choice_.unit->reads_itself(request_for(points, Direction::to_points));
    const char* fft = !design_.has_modes() ? "" : goes_by_lines(design_) ? ", FFT by lines" : ", FFT by cuFFT";
    return text("engine       cuda, ", device_.name, fft, "\n",  //
                "method       spreading ", choice_.unit->name(), choice_.fixed_point ? " with integer sums" : "",
                choice_.fell_back ? " (the method asked for does not fit)" : "", ", interpolation ",
                by_method             ? choice_.unit->name()
                : choice_.sort.sorted ? "GM-sort"
                                      : "GM",
                ", bins of ", bins, " cells, subproblems of ", choice_.sort.subproblem_points, " points",
                choice_.wide ? ", sums in f64" : "", "\n",  //
                "memory       ", workspace_bytes_ >> 10, " KiB per execute, ", memory_bytes() >> 10, " KiB in all, ",
                peak_bytes() >> 10, " KiB at most so far\n");
  }

 private:
  // Everything on the device, once the executes are done that may still be running on the caller's streams.
  void release() noexcept {
    const QuietDevice quiet;
    grids_.clear();
    sets_.clear();
    sorter_.reset();
    wide_tables_.reset();
    tables_.reset();
  }

  std::size_t table_bytes() const { return tables_->bytes() + (wide_tables_ ? wide_tables_->bytes() : 0); }

  // --- the choice of a method ---------------------------------------------------------------------------------------------
  MethodRequest request_for(std::int64_t points, Direction direction) const {
    return method_request(design_, device_.limits(), points, direction);
  }
  // As the points are sorted: for the direction of the plan's type.
  MethodRequest request_for(std::int64_t points) const { return request_for(points, direction_of(design_.problem)); }

  void sort(const Points<T>& points, std::int64_t subproblem, cudaStream_t stream) {
    sorter_->run(points, subproblem, sets_, stream);
    choice_.sort.subproblem_points = subproblem;
  }

  // Where points are so crowded that equal strengths would miss the tolerance, f32 is added up in f64, and in f64 subproblems
  // grow until there are about as many of them as they have points. Only where that could be so is the sort waited for.
  void shorten_sums(MethodRequest request, const Points<T>& points, cudaStream_t stream) {
    const std::int64_t run = long_run(request, points.count, stream);
    if (run == 0) return;
    if (grid_precision(choice_) == Precision::f32) {
      request.sums = SumPrecision::f64;
      change_method(choose_method(request), points, stream);
      crowded_ = true;
      return;
    }
    const auto in_run = static_cast<double>(run * choice_.sort.subproblem_points);
    const auto longer = std::min(static_cast<std::int64_t>(2 * std::sqrt(in_run)), most_subproblem_points);
    if (choice_.unit->gains_from_long_subproblems() && longer > choice_.sort.subproblem_points)
      sort(points, longer, stream);
  }
  // The most subproblems of a bin or column, where their sums are too long; else 0.
  std::int64_t long_run(const MethodRequest& request, std::int64_t count, cudaStream_t stream) {
    if (!choice_.sort.subproblems || choice_.fixed_point || count == 0) return 0;
    const std::int64_t items = count / choice_.sort.subproblem_points + 1;
    if (!is_too_long(request, items, items)) return 0;
    const std::int64_t run = sorter_->longest_run(sets_, stream);
    return is_too_long(request, run, items) ? run : 0;
  }
  // Of earlier points, which other ones are about to replace.
  void release_points() {
    ++points_set_count_;
    ready_to_read_ = false;
    if (sets_.empty()) return;
    wait_for_device();  // they may be in use
    sets_.clear();
    for (const auto& grid : grids_.idle()) grid->replays.forget(grid->done);
  }
  bool is_too_long(const MethodRequest& request, std::int64_t run, std::int64_t items) const {
    const double terms = choice_.unit->longest_sum(choice_, precision_of<T>, run, items);
    return cuda::is_too_long(request, grid_precision(choice_), terms);
  }

  // Whether these points need sums of more precision than the cells have. In a workspace of the caller's the present method
  // stays as long as it serves.
  bool needs_wider(const MethodRequest& request, const MethodChoice& fitting) const {
    if (!fitting.wide || choice_.wide) return false;
    return !grids_.uses_callers_memory() ||
           choice_.unit->sums_in_f64(request, choice_.unit->subproblem_points(request));
  }

  bool sorts_alike(const MethodChoice& other) const {
    const SortSpec &own = choice_.sort, &its = other.sort;
    return other.unit == choice_.unit && own.columns == its.columns && own.rows == its.rows &&
           std::equal(own.bins.size, own.bins.size + max_dim, its.bins.size);
  }

  // More points than the plan was told of, and their sums need more precision or another method.
  void change_method(const MethodChoice& fitting, const Points<T>& points, cudaStream_t stream) {
    if (grids_.uses_callers_memory())
      throw Error(Status::wrong_state,
                  text("these ", points.count,
                       " points need a larger workspace; set them first, then ask for workspace_bytes"));
    auto sorter = std::make_unique<Sorter<T>>(fitting.sort, memory_);
    std::vector<PointSet<T>> sets;
    auto grid = make_grid(fitting);
    make_room(*grid, fitting, *sorter, points.count);
    sorter->run(points, fitting.sort.subproblem_points, sets, stream);
    wait_for_device();  // the earlier points may be in use
    const QuietDevice quiet;
    choice_ = fitting;
    sorter_ = std::move(sorter);
    sets_ = std::move(sets);
    workspace_bytes_ = grid->bytes;
    grids_.replace_by(std::move(grid));
  }

  // Points that were sorted for the way to modes have no inverse, which makes the way to points up to three times slower:
  // the first execute that goes there makes it, and waits for it once; later calls of set_points make it at once. Room for
  // sums of results is made in the same way. A captured execute does without what is not there, and so does any where there
  // is no memory for it.
  void prepare_to_read(CudaGrid<T>& grid, cudaStream_t stream) const {
    if (grid.captured) return;
    const DeviceGuard guard(device_.id);
    if (!ready_to_read_.load(std::memory_order_acquire)) {
      const std::lock_guard lock(reading_mutex_);
      if (!ready_to_read_.load(std::memory_order_relaxed)) {
        make_inverse(stream);
        call("waiting for the inverse", [&] { return cudaStreamSynchronize(stream); });
        has_read_ = true;
        ready_to_read_.store(true, std::memory_order_release);
      }
    }
    if (!sets_.empty() && sets_[0].inverted) grids_.hold_results(grid, count_);
    grids_.hold_sums(grid, sums_of(choice_, count_));
  }
  bool results_are_reordered() const {
    const std::lock_guard lock(reading_mutex_);  // the first execute to points may be making the inverse
    return sets_.size() == 1 && sets_[0].inverted;
  }
  void make_inverse(cudaStream_t stream) const {
    const bool wanted = sets_.size() == 1 && !sets_[0].inverted && choice_.sort.sorted &&
                        !choice_.unit->sums_results() && wants_inverse(request_for(count_, Direction::to_points)) &&
                        gathers<T>(count_, design_.batch);
    if (wanted) (void)has_memory_for([&] { invert_later(sets_[0], memory_, stream); });
  }

  // --- grids --------------------------------------------------------------------------------------------------------------
  // The precision of the cells while points are added.
  static Precision grid_precision(const MethodChoice& choice) { return choice.wide ? Precision::f64 : precision_of<T>; }
  GridNeeds needs_of(const MethodChoice& choice) const {
    const bool holds_results = !sets_.empty() && sets_[0].inverted;
    const bool reads = !sets_.empty() && goes_to_points();
    return {choice.sort.grid, grid_precision(choice), holds_results ? count_ : 0, reads ? sums_of(choice, count_) : 0};
  }
  // What the grid must have room for when `count` points come.
  void make_room(CudaGrid<T>& grid, const MethodChoice& choice, const Sorter<T>& sorter, std::int64_t count) const {
    if (sorter.inverts(count)) grids_.hold_results(grid, count);
    if (goes_to_points()) grids_.hold_sums(grid, sums_of(choice, count));
  }
  bool goes_to_points() const { return has_read_ || direction_of(design_.problem) == Direction::to_points; }
  // Per vector; 0 where the method does not add up results.
  std::int64_t sums_of(const MethodChoice& choice, std::int64_t count) const {
    const bool adds =
        choice.unit->sums_results() && choice.unit->reads_itself(request_for(count, Direction::to_points));
    return adds ? std::min(count, choice.sort.set_points) : 0;
  }
  std::unique_ptr<CudaGrid<T>> make_grid(const MethodChoice& choice, std::byte* memory = nullptr) {
    if (choice.wide && !wide_tables_) wide_tables_ = tables_for<double>(design_, device_.id);
    return grids_.make(needs_of(choice), memory);
  }
  std::int64_t cells_of(const CudaGrid<T>& grid) const {  // of all vectors of a lease
    return static_cast<std::int64_t>(choice_.sort.grid.cells) * grid.batch;
  }

  // Cells that the caller has are spread to, and read, where they are, unless the sums need another precision or the array
  // is not aligned as a grid is.
  bool works_in_place(const Batch<T>& batch) const {
    if (design_.has_modes() || reinterpret_cast<std::uintptr_t>(batch.uniform) % grid_alignment != 0) return false;
    return batch.route == Route::from_cells || (!choice_.wide && !choice_.fixed_point);
  }
  void run_in_place(const Batch<T>& batch, CudaGrid<T>& grid, Stream stream) const {
    const BorrowedCells<T> borrowed(grid, batch.uniform);
    if (batch.route == Route::to_cells)
      spread(batch.strengths, grid, stream);
    else
      interpolate(grid, batch.factors, batch.strengths, stream);
  }

  // Copies of cells are not recorded: without an FFT there are few kernels whose launches could be saved.
  bool can_be_recorded(Direction direction) const {
    const bool wide = direction == Direction::to_modes && choice_.wide;
    const std::int64_t cells = static_cast<std::int64_t>(choice_.sort.grid.cells) * design_.batch;
    return design_.has_modes() && cells <= most_replayed_cells(design_.dim(), wide ? sizeof(double) : sizeof(T)) &&
           goes_by_lines(design_) && choice_.unit->can_be_recorded();
  }

  // --- stages ---------------------------------------------------------------------------------------------------------------
  Queue queue(Stream stream) const { return {native(stream), device_.multiprocessors}; }

  template <class A>
  StageArguments<T, A> arguments(const PointSet<T>& set, const Complex* strengths, const CudaGrid<T>& grid) const {
    return {.points = set.points,
            .kernel = tables_->kernel(),
            .grid = choice_.sort.grid,
            .strengths = const_cast<Complex*>(strengths),
            .stride = count_,
            .cells = grid.template cells<A>(),
            .batch = grid.batch};
  }

  // Where the caller's order is known from that of the packed points, results are written in the packed order first.
  bool writes_in_order(const PointSet<T>& set, const CudaGrid<T>& grid) const {
    return set.inverted && grid.results.size() >= count_ * grid.batch;
  }
  StageArguments<T, T> results_of(const PointSet<T>& set, const CudaGrid<T>& grid) const {
    auto stage = arguments<T>(set, grid.results.data(), grid);
    stage.stride = set.points.count;
    stage.points.first = 0;
    stage.in_order = true;
    return stage;
  }

  template <class A> void spread_as(const Complex* strengths, CudaGrid<T>& grid, cudaStream_t stream) const {
    const std::size_t bytes = sizeof(std::complex<A>) * choice_.sort.grid.cells * static_cast<std::size_t>(grid.batch);
    bool clear_is_last = false;  // of what is enqueued, by a kernel that a dependent launch may follow
    if (!choice_.unit->writes_all_cells() || sets_.empty()) clear_is_last = clear_cells(grid.memory, bytes, stream);
    if (choice_.fixed_point) begin_integer_sums(strengths, grid, stream);
    for (const PointSet<T>& set : sets_) {
      StageCall<T, A> call{choice_, set, arguments<A>(set, strengths, grid), queue(stream)};
      call.stage.dependent = std::exchange(clear_is_last, false) && has_dependent_launch_ && !choice_.fixed_point;
      if (choice_.fixed_point) call.stage.units = grid.fixed.units;
      choice_.unit->spread(call);
    }
    if (choice_.fixed_point)
      to_numbers(grid.fixed, grid.template cells<double>(), choice_.sort.grid.cells, grid.batch, stream);
  }

  void begin_integer_sums(const Complex* strengths, const CudaGrid<T>& grid, cudaStream_t stream) const {
    clear_fixed_point(grid.fixed, grid.batch, stream);
    for (const PointSet<T>& set : sets_)
      count_terms(grid.fixed, set.densest.data(), columns_that_reach_a_cell(choice_.sort), stream);
    find_units(grid.fixed, strengths, count_, grid.batch, stream);
  }

  Design design_;
  Device device_;
  bool has_dependent_launch_ = has_dependent_launch();
  MethodChoice choice_;
  mutable MemoryCount memory_;
  std::shared_ptr<const Tables<T>> tables_;
  std::shared_ptr<const Tables<double>> wide_tables_;  // where f32 is added up in f64
  std::unique_ptr<Sorter<T>> sorter_;
  mutable std::vector<PointSet<T>> sets_;  // changed by the first execute to points (prepare_to_read)
  mutable std::mutex reading_mutex_;
  mutable std::atomic<bool> ready_to_read_{false};
  mutable std::atomic<bool> has_read_{false};  // this plan has gone to points
  std::int64_t count_ = 0, points_set_count_ = 0;
  Event points_set_;  // executes on another stream than set_points's wait for it
  cudaStream_t points_stream_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  bool lost_points_ = false;
  bool crowded_ = false;  // some points so far, so that f32 is added up in f64
  mutable GridPool<T> grids_;
};

template <class T> std::unique_ptr<Engine<T>> make(const Design& design) {
  return std::make_unique<CudaEngine<T>>(design);
}

}  // namespace

void release_memory() {
  kept_tables<float>().clear();
  kept_tables<double>().clear();
  destroy_kept_fft_plans();
  free_idle_device_memory();
}

Backend backend() {
  const Device& device = current_device();
  Backend backend{cost_traits(device.limits()), make<float>, make<double>};
  backend.traits.grid_memory = {static_cast<std::int64_t>(device.memory_bytes), "the GPU has"};
  backend.traits.kept_as += text(" ", device.memory_bytes);  // what does not fit is kept, too
  backend.check_array = require_device_pointer;
  backend.clear = clear;
  backend.pointwise_f32 = make_pointwise<float>;
  backend.pointwise_f64 = make_pointwise<double>;
  backend.algebra_f32 = make_algebra<float>;
  backend.algebra_f64 = make_algebra<double>;
  backend.convolution_f32 = make_convolution<float>;
  backend.convolution_f64 = make_convolution<double>;
  return backend;
}

}  // namespace offgrid::cuda
