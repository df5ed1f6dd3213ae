#include "cuda/engine.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <nvtx3/nvtx3.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "cuda/clear.hpp"
#include "cuda/cost.hpp"
#include "cuda/device.hpp"
#include "cuda/fft.hpp"
#include "cuda/fixed.hpp"
#include "cuda/graph.hpp"
#include "cuda/interp.hpp"
#include "cuda/line_plan.hpp"
#include "cuda/method.hpp"
#include "cuda/owner.hpp"
#include "cuda/policy.hpp"
#include "cuda/spread.hpp"
#include "cuda/sweep.hpp"
#include "cuda/sweep_shape.hpp"

namespace offgrid::cuda {
namespace {

// How many columns have points that reach a cell; a point reaches it several times where the grid is shorter than the
// kernel.
std::uint32_t columns_that_reach_a_cell(const SortSpec& sort) {
  const auto width = static_cast<std::uint32_t>(sort.width);
  std::uint32_t reach = 1;
  for (int axis = 0; axis < sort.dim; ++axis) reach *= (width - 1) / sort.grid.n[axis] + 1;
  for (int axis = 0; axis < 2; ++axis) reach *= std::min((width - 2) / sort.bins.size[axis] + 2, sort.bins.count[axis]);
  return reach;
}

cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream); }

void clear(void* memory, std::size_t bytes, Stream stream) {
  enqueue_clear("clearing an array", memory, bytes, native(stream));
}

bool capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  call("stream", [&] { return cudaStreamIsCapturing(stream, &status); });
  return status != cudaStreamCaptureStatusNone;
}

// What a grid was used for.
template <class T> struct GridUse {
  Batch<T> batch;
  std::int64_t points_set;  // how often
  bool operator==(const GridUse&) const = default;
};

// Scratch of one execute. An execute that follows on another stream waits for `done`.
template <class T> struct CudaGrid final : Grid {
  CudaGrid(const Design& design, const GridShape& shape, bool needs_wide) : narrow(design, shape) {
    if (needs_wide) wide.emplace(design, shape);
  }
  template <class A> std::complex<A>* cells() const { return reinterpret_cast<std::complex<A>*>(memory); }

  int batch = 0;          // of this lease
  bool captured = false;  // by the caller
  bool in_f64 = false;    // what the cells hold is wider than T
  GridFft<T> narrow;
  std::optional<GridFft<double>> wide;
  std::size_t bytes = 0;        // of memory
  std::byte* memory = nullptr;  // cells, then the work area of the FFT, then that of fixed-point sums
  FixedPoint fixed{};
  DeviceBuffer<std::byte> owned;
  DeviceBuffer<std::complex<T>> results;  // [batch][count], where they are not written to the caller's array at once
  Event done;
  cudaStream_t stream = nullptr;  // of the last lease
  Replays<GridUse<T>> replays;    // of its last uses
};

// Tables that the kernels read: the polynomial, the factors of the axes, [axis][|k|], 1 for the axes that are not there,
// and those of the stages of lines.
template <class T> class Tables {
 public:
  Tables(const Design& design, MemoryCount& memory) {
    const int width = design.polynomial.width;
    std::vector<T> all(design.polynomial.coefficients.begin(), design.polynomial.coefficients.end());
    all.resize(static_cast<std::size_t>((max_degree(width, precision_of<T>) + 1) * width));  // of compile-time degree
    std::size_t start[max_dim]{};
    for (int axis = 0; axis < max_dim; ++axis) {
      start[axis] = all.size();
      if (axis < design.dim()) {
        std::vector<double> factors(static_cast<std::size_t>(design.factors[axis].count()));
        design.factors[axis].evaluate(0, factors);
        all.insert(all.end(), factors.begin(), factors.end());
      } else {
        all.push_back(T(1));
      }
      if (goes_by_lines(design))  // lines read those of all their cells
        all.resize(start[axis] + static_cast<std::size_t>(design.grid[axis]) / 2 + 1);
    }
    all.resize((all.size() + 3) / 4 * 4);  // aligned to pairs
    std::size_t turns[max_dim]{};
    for (int axis = 0; goes_by_lines(design) && axis < design.dim(); ++axis) {
      const auto mine = turns_of<T>(line_plan(static_cast<int>(design.grid[axis]), sizeof(T)));
      turns[axis] = all.size();
      all.insert(all.end(), mine.begin(), mine.end());
    }
    data_ = DeviceBuffer<T>(static_cast<std::int64_t>(all.size()), memory);
    call("tables", [&] { return cudaMemcpy(data_.data(), all.data(), data_.bytes(), cudaMemcpyHostToDevice); });
    call("tables", [] { return cudaStreamSynchronize(cudaStreamLegacy); });  // streams that do not wait for that one
    host_ = std::move(all);
    kernel_ = {width, data_.data(), host_.data()};
    for (int axis = 0; axis < max_dim; ++axis)
      factors_.axis[axis] = data_.data() + start[axis], factors_.turns[axis] = data_.data() + turns[axis];
  }
  [[nodiscard]] const KernelView<T>& kernel() const { return kernel_; }
  [[nodiscard]] const Deconvolution<T>& factors() const { return factors_; }

 private:
  std::vector<T> host_;
  DeviceBuffer<T> data_;
  KernelView<T> kernel_{};
  Deconvolution<T> factors_{};
};

template <class T> class CudaEngine final : public Engine<T> {
 public:
  using Complex = std::complex<T>;

  explicit CudaEngine(const Design& design)
      : design_(design),
        device_(current_device()),
        choice_(choose_method(design, device_, expected_points(design.problem, design.options))),
        tables_(design, memory_),
        sorter_(std::make_unique<Sorter<T>>(choice_.sort, memory_)) {
    checked_product("grid x batch", static_cast<std::int64_t>(choice_.sort.grid.cells), design_.batch,
                    std::int64_t{sizeof(std::complex<double>)});
    idle_.push_back(make_grid(choice_.wide));
    workspace_bytes_ = idle_.back()->bytes;
  }

  ~CudaEngine() override {
    int now = device_.id;
    (void)cudaGetDevice(&now);
    if (now != device_.id) (void)cudaSetDevice(device_.id);
    (void)cudaDeviceSynchronize();  // executes may still be running on the caller's streams
    idle_.clear(), sets_.clear();
    if (now != device_.id) (void)cudaSetDevice(now);
  }

  void set_points(const Points<T>& points, Stream stream) override {
    const nvtx3::scoped_range range{"offgrid set_points"};
    const DeviceGuard guard(device_.id);
    ++points_set_count_;
    for (const auto& grid : idle_)
      if (grid->stream != native(stream)) grid->done.make_wait(native(stream));
    const MethodChoice fitting = choose_method(design_, device_, points.count);
    if (sorter_->inverts(points.count))
      for (const auto& grid : idle_) hold_results(*grid, points.count);
    const bool sums_too_long = choice_.method == Method::gm_sort && fitting.method != choice_.method;
    if ((fitting.wide && !choice_.wide) || sums_too_long)
      change_method(fitting, points, native(stream));
    else
      sort(points, native(stream));
    lost_points_ = true;  // the earlier points are gone
    shorten_sums(points, native(stream));
    lost_points_ = false;
    sorter_->trim(kept_scratch_bytes);
    for (const auto& grid : idle_) grid->replays.forget(grid->done);
    count_ = points.count;
    points_stream_ = native(stream);
    points_set_.record_or_wait(points_stream_);  // the new points are in place, so that nothing may throw any more
  }

  GridLease lease_grid(std::int64_t batch, Stream stream) const override {
    const DeviceGuard guard(device_.id);
    const bool captured = capturing(native(stream));
    auto grid = take(native(stream));
    try {
      if (!captured && grid->stream != native(stream)) grid->done.make_wait(native(stream));
      if (!captured && points_stream_ != native(stream))
        points_set_.make_wait(native(stream));  // the sort may still run
    } catch (...) {
      keep(std::move(grid));  // it may hold the caller's workspace, which there is only one of
      throw;
    }
    grid->captured = captured;
    grid->batch = static_cast<int>(batch);
    grid->stream = native(stream);
    return GridLease(grid.release(), [this](Grid* used) { give_back(static_cast<CudaGrid<T>*>(used)); });
  }

  void run(const Batch<T>& batch, Grid& grid, const Stages& stages, Stream stream) const override {
    auto& mine = static_cast<CudaGrid<T>&>(grid);
    if (mine.captured || !can_be_recorded(batch.direction)) return stages(stream);
    const DeviceGuard guard(device_.id);
    if (!mine.replays.run({batch, points_set_count_}, stages, native(stream), mine.done)) stages(stream);
  }

  void spread(const Complex* strengths, Grid& grid, Stream stream) const override {
    const nvtx3::scoped_range range{"offgrid spread"};
    const DeviceGuard guard(device_.id);
    auto& mine = static_cast<CudaGrid<T>&>(grid);
    mine.in_f64 = choice_.wide;
    if (choice_.wide)
      spread_as<double>(strengths, mine, native(stream));
    else
      spread_as<T>(strengths, mine, native(stream));
  }

  void interpolate(const Grid& grid, Complex* strengths, Stream stream) const override {
    const nvtx3::scoped_range range{"offgrid interpolate"};
    const DeviceGuard guard(device_.id);
    const auto& mine = static_cast<const CudaGrid<T>&>(grid);
    if (owners_read()) clear(strengths, sizeof(Complex) * static_cast<std::size_t>(count_ * mine.batch), stream);
    for (const PointSet<T>& set : sets_) {
      if (mine.in_f64)
        interpolate_set(results_of<double>(set, strengths, mine), set, native(stream));
      else
        interpolate_set(results_of<T>(set, strengths, mine), set, native(stream));
      if (set.inverted)
        reorder(mine.results.data(), set, strengths + set.points.first, count_, mine.batch, native(stream));
    }
  }

  void grid_to_modes(Grid& grid, Complex* modes, Sign sign, Stream stream) const override {
    const nvtx3::scoped_range range{"offgrid grid_to_modes"};
    const DeviceGuard guard(device_.id);
    auto& mine = static_cast<CudaGrid<T>&>(grid);
    if (choice_.wide)
      mine.wide->grid_to_modes(mine.template cells<double>(), modes, mine.batch, sign, wide_tables_->factors(),
                               native(stream));
    else
      mine.narrow.grid_to_modes(mine.template cells<T>(), modes, mine.batch, sign, tables_.factors(), native(stream));
  }

  void modes_to_grid(const Complex* modes, Grid& grid, Sign sign, Stream stream) const override {
    const nvtx3::scoped_range range{"offgrid modes_to_grid"};
    const DeviceGuard guard(device_.id);
    auto& mine = static_cast<CudaGrid<T>&>(grid);
    mine.in_f64 = false;
    mine.narrow.modes_to_grid(modes, mine.template cells<T>(), mine.batch, sign, tables_.factors(), native(stream));
  }

  bool lost_points() const override { return lost_points_; }

  std::size_t workspace_bytes() const override { return workspace_bytes_; }

  void set_workspace(void* memory, std::size_t bytes) override {
    const DeviceGuard guard(device_.id);
    if (memory != nullptr && bytes < workspace_bytes_)
      throw Error(Status::invalid_argument,
                  text("workspace has ", bytes, " bytes, expected ", workspace_bytes_, " or more"));
    if (reinterpret_cast<std::uintptr_t>(memory) % 256 != 0)
      throw Error(Status::invalid_argument, "workspace is not aligned to 256 bytes");
    auto grid = make_grid(choice_.wide, static_cast<std::byte*>(memory));
    call("waiting for the device", [] { return cudaDeviceSynchronize(); });
    const std::lock_guard lock(mutex_);
    idle_.clear();
    idle_.push_back(std::move(grid));
    callers_memory_ = memory != nullptr;
  }
  std::size_t memory_bytes() const override { return memory_.bytes; }
  std::size_t peak_bytes() const override { return memory_.peak; }

  std::string describe() const override {
    std::string bins;
    for (int axis = 0; axis < design_.dim(); ++axis) bins += text(axis ? " x " : "", choice_.sort.bins.size[axis]);
    return text("engine       cuda, ", device_.name, ", FFT by ", goes_by_lines(design_) ? "lines" : "cuFFT", "\n",  //
                "method       spreading ", name_of(choice_.method), choice_.fixed_point ? " with integer sums" : "",
                choice_.fell_back ? " (the method asked for does not fit)" : "", ", interpolation ",
                owners_read()          ? "owner"
                : choice_.sort.columns ? "sweep"
                : choice_.sort.sorted  ? "GM-sort"
                                       : "GM",
                ", bins of ", bins, " cells, subproblems of ", choice_.sort.subproblem_points, " points",
                choice_.wide ? ", sums in f64" : "", "\n",  //
                "memory       ", workspace_bytes_ >> 10, " KiB an execute, ", memory_.bytes >> 10, " KiB in all, ",
                memory_.peak >> 10, " KiB at most so far\n");
  }

 private:
  // As many points a subproblem as suits them, however many the plan was told of.
  void sort(const Points<T>& points, cudaStream_t stream) {
    const std::int64_t subproblem = subproblem_points(design_, device_, choice_.method, points.count);
    sorter_->run(points, subproblem, sets_, stream);
    choice_.sort.subproblem_points = subproblem;
  }

  // Where points are so crowded that equal strengths would miss the tolerance, f32 is added up in f64, and in f64 subproblems
  // grow until there are about as many of them as they have points. Only where that could be so is the sort waited for.
  void shorten_sums(const Points<T>& points, cudaStream_t stream) {
    if (!choice_.sort.subproblems || choice_.fixed_point || points.count == 0) return;
    const std::int64_t items = points.count / choice_.sort.subproblem_points + 1;
    if (!is_too_long(design_, choice_.wide, longest_sum(design_, choice_, items, items))) return;
    const std::int64_t run = sorter_->longest_run(sets_, stream);
    const double terms = longest_sum(design_, choice_, run, items);
    if (!is_too_long(design_, choice_.wide, terms)) return;
    if (sizeof(T) == 4 && !choice_.wide)
      return change_method(choose_method(design_, device_, points.count, SumPrecision::f64), points, stream);
    const auto in_run = static_cast<double>(run * choice_.sort.subproblem_points);
    const auto longer = std::min(static_cast<std::int64_t>(2 * std::sqrt(in_run)), most_subproblem_points);
    if (choice_.method == Method::sweep && design_.dim() > 1 && longer > choice_.sort.subproblem_points) {
      sorter_->run(points, longer, sets_, stream);
      choice_.sort.subproblem_points = longer;
    }
  }

  // More points than the plan was told of, and their sums need more precision or another method.
  void change_method(const MethodChoice& fitting, const Points<T>& points, cudaStream_t stream) {
    if (callers_memory_)
      throw Error(Status::wrong_state,
                  text("these ", points.count,
                       " points need a larger workspace; set them first, then ask for workspace_bytes"));
    auto sorter = std::make_unique<Sorter<T>>(fitting.sort, memory_);
    std::vector<PointSet<T>> sets;
    auto grid = make_grid(fitting.wide);
    if (sorter->inverts(points.count)) hold_results(*grid, points.count);
    sorter->run(points, fitting.sort.subproblem_points, sets, stream);
    call("waiting for the device", [] { return cudaDeviceSynchronize(); });  // the earlier points may be in use
    choice_ = fitting, sorter_ = std::move(sorter), sets_ = std::move(sets), workspace_bytes_ = grid->bytes;
    idle_.clear();
    idle_.push_back(std::move(grid));
  }

  // Those of cuFFT and of owners do not go through launch.hpp.
  bool can_be_recorded(Direction direction) const {
    const std::size_t real_bytes = direction == Direction::to_modes && choice_.wide ? sizeof(double) : sizeof(T);
    const std::int64_t cells = static_cast<std::int64_t>(choice_.sort.grid.cells) * design_.batch;
    return goes_by_lines(design_) && cells <= most_replayed_cells(design_.dim(), real_bytes) &&
           choice_.method != Method::owner;
  }

  // They add to the results in no fixed order.
  bool owners_read() const {
    return choice_.method == Method::owner && design_.dim() == 3 && !design_.options.deterministic;
  }
  bool sweeps_read() const {
    return choice_.method == Method::sweep &&
           sweep_reads(design_.dim(), design_.polynomial.width, sizeof(T) == 8, density());
  }
  double density() const { return static_cast<double>(count_) / static_cast<double>(choice_.sort.grid.cells); }

  std::size_t cell_bytes(bool wide) const {
    const std::size_t cell = wide ? sizeof(std::complex<double>) : sizeof(Complex);
    return aligned(cell * choice_.sort.grid.cells * static_cast<std::size_t>(design_.batch));
  }

  std::unique_ptr<CudaGrid<T>> make_grid(bool wide, std::byte* memory = nullptr) const {
    if (wide && !wide_tables_) wide_tables_.emplace(design_, memory_);
    auto grid = std::make_unique<CudaGrid<T>>(design_, choice_.sort.grid, wide);
    const std::size_t work = std::max(grid->narrow.work_bytes(), grid->wide ? grid->wide->work_bytes() : 0);
    grid->bytes = cell_bytes(wide) + aligned(work) + aligned(fixed_point_bytes(design_.batch));
    if (memory == nullptr) grid->owned = DeviceBuffer<std::byte>(static_cast<std::int64_t>(grid->bytes), memory_);
    grid->memory = memory != nullptr ? memory : grid->owned.data();
    grid->fixed = fixed_point_in(grid->memory + cell_bytes(wide) + aligned(work), design_.batch);
    if (!sets_.empty() && sets_[0].inverted) hold_results(*grid, count_);
    grid->narrow.set_work_area(grid->memory + cell_bytes(wide));
    if (grid->wide) grid->wide->set_work_area(grid->memory + cell_bytes(wide));
    return grid;
  }

  // The old ones stay until the new ones are there: where there is no memory, the earlier points still need them.
  void hold_results(CudaGrid<T>& grid, std::int64_t count) const {
    if (const std::int64_t size = count * design_.batch; grid.results.size() < size)
      grid.results = DeviceBuffer<Complex>(size, memory_);
  }

  // The grid that was last used on this stream needs no waiting.
  std::unique_ptr<CudaGrid<T>> take(cudaStream_t stream) const {
    const std::lock_guard lock(mutex_);
    if (idle_.empty() && callers_memory_)
      throw Error(Status::wrong_state, "execute: the workspace is in use by another execute of this plan");
    if (idle_.empty()) return make_grid(choice_.wide);
    auto best = std::find_if(idle_.begin(), idle_.end(), [&](const auto& grid) { return grid->stream == stream; });
    if (best == idle_.end()) best = std::prev(idle_.end());
    auto grid = std::move(*best);
    idle_.erase(best);
    return grid;
  }

  void give_back(CudaGrid<T>* grid) const {
    std::unique_ptr<CudaGrid<T>> owned(grid);
    if (!owned->captured) (void)cudaEventRecord(*owned->done, owned->stream);
    keep(std::move(owned));
  }

  void keep(std::unique_ptr<CudaGrid<T>> grid) const {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(grid));
  }

  template <class A>
  StageArguments<T, A> arguments(const PointSet<T>& set, const Complex* strengths, const CudaGrid<T>& grid) const {
    return {set.points, tables_.kernel(),         choice_.sort.grid, const_cast<Complex*>(strengths),
            count_,     grid.template cells<A>(), grid.batch};
  }

  // Written in the order of the packed points first, where the caller's order is known from there.
  template <class A>
  StageArguments<T, A> results_of(const PointSet<T>& set, Complex* strengths, const CudaGrid<T>& grid) const {
    auto stage = arguments<A>(set, strengths, grid);
    if (set.inverted)
      stage.strengths = grid.results.data(), stage.stride = set.points.count, stage.points.first = 0,
      stage.in_order = true;
    return stage;
  }

  template <class A>
  void interpolate_set(const StageArguments<T, A>& stage, const PointSet<T>& set, cudaStream_t stream) const {
    if (sweeps_read())
      sweep_interpolate(design_.dim(), stage, set, choice_.sort.bins, stream);
    else if (owners_read())
      interpolate_owned(stage, set, choice_.sort.bins, choice_.sort.subproblem_points, stream);
    else
      cuda::interpolate(design_.dim(), stage, stream);
  }

  template <class A> void spread_as(const Complex* strengths, CudaGrid<T>& grid, cudaStream_t stream) const {
    const std::size_t bytes = sizeof(std::complex<A>) * choice_.sort.grid.cells * static_cast<std::size_t>(grid.batch);
    bool clear_is_last = false;  // of what is enqueued, and lets an early kernel start
    if (choice_.method != Method::owner || sets_.empty()) clear_is_last = clear_cells(grid.memory, bytes, stream);
    if (choice_.fixed_point) begin_fixed_point(strengths, grid, stream);
    for (const PointSet<T>& set : sets_) {
      auto stage = arguments<A>(set, strengths, grid);
      stage.early = std::exchange(clear_is_last, false) && kernels_wait_ && !choice_.fixed_point;
      if (choice_.fixed_point) stage.units = grid.fixed.units;
      if (choice_.method == Method::owner)
        spread_owned(design_.dim(), stage, set, choice_.sort.bins, choice_.sort.subproblem_points, stream);
      else if (choice_.method == Method::sweep)
        sweep_spread(design_.dim(), stage, set, choice_.sort.bins, stream);
      else if (choice_.method == Method::sm)
        spread_tiles(design_.dim(), stage, choice_.tile, set, stream);
      else
        spread_global(design_.dim(), stage, stream);
    }
    if (choice_.fixed_point)
      to_numbers(grid.fixed, grid.template cells<double>(), choice_.sort.grid.cells, grid.batch, stream);
  }

  void begin_fixed_point(const Complex* strengths, const CudaGrid<T>& grid, cudaStream_t stream) const {
    clear_fixed_point(grid.fixed, grid.batch, stream);
    for (const PointSet<T>& set : sets_)
      count_terms(grid.fixed, set.densest.data(), columns_that_reach_a_cell(choice_.sort), stream);
    find_units(grid.fixed, strengths, count_, grid.batch, stream);
  }

  Design design_;
  Device device_;
  bool kernels_wait_ = kernels_wait();
  MethodChoice choice_;
  mutable MemoryCount memory_;
  Tables<T> tables_;
  mutable std::optional<Tables<double>> wide_tables_;
  std::unique_ptr<Sorter<T>> sorter_;
  std::vector<PointSet<T>> sets_;
  std::int64_t count_ = 0, points_set_count_ = 0;
  Event points_set_;  // executes on another stream than set_points's wait for it
  cudaStream_t points_stream_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  bool callers_memory_ = false;
  bool lost_points_ = false;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<CudaGrid<T>>> idle_;
};

template <class T> std::unique_ptr<Engine<T>> make(const Design& design) {
  return std::make_unique<CudaEngine<T>>(design);
}

}  // namespace

Backend backend() {
  (void)current_device();
  Backend backend{cost_traits(), make<float>, make<double>};
  backend.check_array = require_device_pointer;
  backend.clear = clear;
  return backend;
}

}  // namespace offgrid::cuda
