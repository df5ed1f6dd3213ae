// The grids of an engine: scratch of one execute each. A lease takes an idle one, or makes one where all are in use; then
// executes run at the same time. Grids keep their memory, their FFT plans and their replays from one execute to the next.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/engine.hpp"
#include "cuda/fft/fft.hpp"
#include "cuda/launch/graph.hpp"
#include "cuda/memory.hpp"
#include "cuda/method/integer_sums.hpp"

namespace offgrid::cuda {

// What a grid was used for.
template <class T> struct GridUse {
  Batch<T> batch;
  std::int64_t points_set;  // how often
  bool operator==(const GridUse&) const = default;
};

// Cells are of T, but of f64 while points of f32 are added up in f64. An execute that follows on another stream waits for
// `done`.
template <class T> struct CudaGrid final : Grid {
  template <class A> std::complex<A>* cells() const { return reinterpret_cast<std::complex<A>*>(memory); }

  int batch = 0;                            // vectors of this lease
  bool captured = false;                    // by the caller
  std::optional<GridFft<T>> fft;            // none where the caller has the cells
  std::optional<GridFft<double>> wide_fft;  // of f32 strengths that are added up in f64
  std::size_t bytes = 0;                    // of memory
  std::byte* memory = nullptr;              // cells, then the work area of the FFT, then that of integer sums
  FixedPoint fixed{};
  DeviceBuffer<std::byte> owned;
  DeviceBuffer<std::complex<T>> results;    // [batch][count], where they are not written to the caller's array at once
  DeviceBuffer<std::complex<double>> sums;  // [batch][points of a set], of results that the method adds up
  Event done;
  cudaStream_t stream = nullptr;  // of the last lease
  Replays<GridUse<T>> replays;    // of its last uses
};

// What the kernels ask of memory that a grid begins in.
inline constexpr std::uintptr_t grid_alignment = 256;

// As long as this lives, the caller's array is what the grid has its cells in.
template <class T> class BorrowedCells {
 public:
  BorrowedCells(CudaGrid<T>& grid, std::complex<T>* cells)
      : grid_(grid), own_(std::exchange(grid.memory, reinterpret_cast<std::byte*>(cells))) {}
  ~BorrowedCells() { grid_.memory = own_; }
  BorrowedCells(const BorrowedCells&) = delete;
  BorrowedCells& operator=(const BorrowedCells&) = delete;

 private:
  CudaGrid<T>& grid_;
  std::byte* own_;
};

// What new grids are made for.
struct GridNeeds {
  GridShape shape{};
  Precision precision = Precision::f64;  // of the cells while points are added
  std::int64_t results = 0;              // per vector, that the grid must hold
  std::int64_t sums = 0;                 // of results, per vector
};

template <class T> class GridPool {
 public:
  using Owned = std::unique_ptr<CudaGrid<T>>;

  GridPool(const Design& design, int multiprocessors, MemoryCount& memory)
      : design_(design), multiprocessors_(multiprocessors), memory_(memory) {}

  // memory: the caller's, or null for the grid's own.
  Owned make(const GridNeeds& needs, std::byte* memory = nullptr) const {
    auto grid = std::make_unique<CudaGrid<T>>();
    const std::size_t work = design_.has_modes() ? plan_ffts(needs, *grid) : 0;
    const std::size_t real_bytes = needs.precision == Precision::f64 ? 8 : 4;
    const std::size_t cells = aligned(2 * real_bytes * needs.shape.cells * static_cast<std::size_t>(design_.batch));
    grid->bytes = cells + aligned(work) + aligned(fixed_point_bytes(design_.batch));
    if (memory == nullptr) grid->owned = DeviceBuffer<std::byte>(static_cast<std::int64_t>(grid->bytes), memory_);
    grid->memory = memory != nullptr ? memory : grid->owned.data();
    grid->fixed = fixed_point_in(grid->memory + cells + aligned(work), design_.batch);
    hold_results(*grid, needs.results);
    hold_sums(*grid, needs.sums);
    if (grid->fft) grid->fft->set_work_area(grid->memory + cells);
    if (grid->wide_fft) grid->wide_fft->set_work_area(grid->memory + cells);
    return grid;
  }

  // Room that makes executes faster, if it fits. The old results stay until the new ones are there: where there is no memory,
  // the earlier points still need them.
  void hold_results(CudaGrid<T>& grid, std::int64_t count) const { hold(grid.results, count); }
  void hold_sums(CudaGrid<T>& grid, std::int64_t count) const { hold(grid.sums, count); }

  // The grid that was last used on this stream needs no waiting.
  Owned take(const GridNeeds& needs, cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    if (idle_.empty() && callers_memory_)
      throw Error(Status::wrong_state, "execute: the workspace is in use by another execute of this plan");
    if (idle_.empty()) return make(needs);
    auto best = std::find_if(idle_.begin(), idle_.end(), [&](const auto& grid) { return grid->stream == stream; });
    if (best == idle_.end()) best = std::prev(idle_.end());
    Owned grid = std::move(*best);
    idle_.erase(best);
    return grid;
  }

  // For the stages of one batch on the stream, whatever its grid was used for before. A captured lease waits for nothing and
  // leaves nothing to wait for. Where waiting fails, the grid is given back: it may hold the caller's workspace, which there
  // is only one of.
  GridLease lease(const GridNeeds& needs, int batch, cudaStream_t stream, bool captured) {
    Owned grid = take(needs, stream);
    CudaGrid<T>& leased = *grid;
    leased.captured = true;  // there is nothing to wait for until the stream has waited itself
    GridLease lease(grid.release(), [this](Grid* used) { end_lease(static_cast<CudaGrid<T>*>(used)); });
    if (!captured && leased.stream != stream) leased.done.make_wait(stream);
    leased.captured = captured;
    leased.batch = batch;
    leased.stream = stream;
    return lease;
  }

  void give_back(Owned grid) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(grid));
  }

  // Forgets all grids but this one. No execute may be running.
  void replace_by(Owned grid) {
    const std::lock_guard lock(mutex_);
    callers_memory_ = grid->owned.data() == nullptr;
    idle_.clear();
    idle_.push_back(std::move(grid));
  }
  void clear() { idle_.clear(); }

  [[nodiscard]] bool uses_callers_memory() const { return callers_memory_; }
  [[nodiscard]] const std::vector<Owned>& idle() const { return idle_; }  // while no execute begins or ends

 private:
  template <class A> void hold(DeviceBuffer<std::complex<A>>& buffer, std::int64_t count) const {
    const std::int64_t size = count * design_.batch;
    if (buffer.size() < size) (void)has_memory_for([&] { buffer = DeviceBuffer<std::complex<A>>(size, memory_); });
  }

  void end_lease(CudaGrid<T>* grid) {
    Owned owned(grid);
    if (!owned->captured) (void)cudaEventRecord(*owned->done, owned->stream);
    give_back(std::move(owned));
  }

  // Returns the bytes of work area that they need.
  std::size_t plan_ffts(const GridNeeds& needs, CudaGrid<T>& grid) const {
    grid.fft.emplace(design_, needs.shape, multiprocessors_);
    if (needs.precision == precision_of<T>) return grid.fft->work_bytes();
    grid.wide_fft.emplace(design_, needs.shape, multiprocessors_);
    return std::max(grid.fft->work_bytes(), grid.wide_fft->work_bytes());
  }

  const Design& design_;
  int multiprocessors_;
  MemoryCount& memory_;
  bool callers_memory_ = false;
  std::mutex mutex_;
  std::vector<Owned> idle_;
};

}  // namespace offgrid::cuda
