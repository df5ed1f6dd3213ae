// A vector goes through four steps on its grid, [n3][n2][row stride]:
//   modes_to_grid (pad, FFT), multiply_rows by the spectrum, grid_to_modes (FFT, crop)
// All threads work on one vector, or each takes small vectors of its own (thread_policy.hpp).
#include "cpu/convolution.hpp"

#include <algorithm>

#include "core/solve/gram_design.hpp"
#include "cpu/fft/fft.hpp"
#include "cpu/memory/host_memory.hpp"
#include "cpu/memory/memory.hpp"
#include "cpu/memory/pool.hpp"
#include "cpu/pointwise/multiply.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

// Rows an odd number of cache lines apart spread over the sets of a cache.
std::int64_t row_stride(const Design& design) {
  constexpr std::int64_t step = 8;
  return design.dim() == 1 ? design.grid[0] : ((design.grid[0] + step - 1) / step | 1) * step;
}

GridLayout layout_of(const Design& design) {
  const std::int64_t row = row_stride(design);
  return {design.dim(), design.problem.modes, design.grid, row, row * design.grid[1], design.options.mode_order, {}};
}

template <class T> class CpuConvolution final : public Convolution<T> {
 public:
  using Complex = std::complex<T>;

  explicit CpuConvolution(const Design& design)
      : design_(design),
        threads_(threads_of(design.options)),
        memory_(host_memory()),
        layout_(layout_of(design)),
        cells_(checked_product("grid", layout_.plane_stride, design.grid[2])),
        fft_(layout_, threads_),
        tables_(fft_.table_bytes(), &memory_),
        shares_(share_vectors(vector_case())) {}

  void set_kernel(const Complex* kernel, Spectrum spectrum, Stream) override {
    const GridFft<T> fft(layout_of(kernel_design(design_)), threads_);
    const Buffer<T> scratch(fft.scratch_elements(), &memory_);
    const Buffer<Complex> grid(cells_, &memory_);
    fft.modes_to_grid(kernel, grid.data(), Sign::plus, fft.workers(scratch.data()));
    const std::int64_t count = design_.grid[0] * design_.grid[1] * design_.grid[2];
    const bool real = spectrum == Spectrum::real;
    real_ = Buffer<T>(real ? count : 0, &memory_);
    complex_ = Buffer<Complex>(real ? 0 : count, &memory_);
    const T scale = T(1) / static_cast<T>(count);
    for_rows(grid.data(), threads_, [&](Complex* row, std::int64_t first, std::int64_t length) {
      for (std::int64_t x = 0; x < length; ++x)
        if (real)
          real_[first + x] = scale * row[x].real();
        else
          complex_[first + x] = scale * row[x];
    });
  }

  void apply(const Complex* f, Complex* h, Stream) const override {
    const auto give_back = [this](Scratch* used) { pool_.give_back(used); };
    const std::unique_ptr<Scratch, decltype(give_back)> scratch(pool_.take([this] { return make_scratch(); }).release(),
                                                                give_back);
    const std::int64_t modes = design_.uniform_count(), own = shares_.vectors;
    const Work work{shares_.threads, vector_time() * static_cast<double>(own)};
    parallel_for(work, own, [&](std::int64_t vector, int thread) {
      const Workers<T> worker = fft_.worker(scratch->fft.data(), thread);
      run(f + vector * modes, h + vector * modes, scratch->cells.data() + thread * cells_, worker);
    });
    const Workers<T> all = fft_.workers(scratch->fft.data());
    for (std::int64_t vector = own; vector < design_.options.transforms; ++vector)
      run(f + vector * modes, h + vector * modes, scratch->cells.data(), all);
  }

  std::size_t workspace_bytes() const override {
    return sizeof(Complex) * static_cast<std::size_t>(cells_ * grids()) +
           sizeof(T) * static_cast<std::size_t>(fft_.scratch_elements());
  }
  std::size_t memory_bytes() const override { return memory_.bytes(); }
  std::size_t peak_bytes() const override { return memory_.peak(); }

 private:
  struct Scratch {
    Buffer<Complex> cells;
    Buffer<T> fft;
  };

  std::int64_t grids() const { return std::max<std::int64_t>(1, shares_.grids()); }

  std::unique_ptr<Scratch> make_scratch() const {
    auto scratch = std::make_unique<Scratch>();
    scratch->cells = Buffer<Complex>(cells_ * grids(), &memory_);
    scratch->fft = Buffer<T>(fft_.scratch_elements(), &memory_);
    return scratch;
  }

  // For one vector on one core.
  double vector_time() const {
    return (2 * cell_time + 2 * design_.dim() * fft_point_time) * static_cast<double>(cells_);
  }

  VectorCase vector_case() const {
    const std::int64_t bytes = cells_ * std::int64_t{sizeof(Complex)}, most = memory_.limit() / 4 / bytes;
    const std::int64_t asked = design_.options.batch;
    return {.transforms = design_.options.transforms,
            .batch = 1,
            .most_grids = asked > 0 ? std::min(asked, most) : most,
            .grid_bytes = bytes,
            .dim = design_.dim(),
            .threads = threads_,
            .nanoseconds = vector_time()};
  }

  void run(const Complex* f, Complex* h, Complex* cells, const Workers<T>& workers) const {
    fft_.modes_to_grid(f, cells, Sign::plus, workers);
    multiply_rows(cells, workers.threads);
    fft_.grid_to_modes(cells, h, Sign::minus, workers);
  }

  void multiply_rows(Complex* cells, int threads) const {
    for_rows(cells, threads, [&](Complex* row, std::int64_t first, std::int64_t length) {
      if (real_.size() > 0)
        for (std::int64_t x = 0; x < length; ++x) row[x] *= real_[first + x];
      else
        for (std::int64_t x = 0; x < length; ++x) row[x] = times(row[x], complex_[first + x]);
    });
  }

  // body(first cell, its index among all that are not padding, count) for all rows; long ones come in parts.
  template <class Body> void for_rows(Complex* cells, int threads, Body body) const {
    constexpr std::int64_t part_cells = 4096;
    const std::int64_t rows = design_.grid[1] * design_.grid[2], length = design_.grid[0];
    const std::int64_t parts = (length + part_cells - 1) / part_cells;
    const Work work{threads, cell_time * static_cast<double>(rows * length)};
    parallel_for(work, rows * parts, [&](std::int64_t i, int) {
      const std::int64_t row = i / parts, first = i % parts * part_cells;
      body(cells + row * layout_.row_stride + first, row * length + first, std::min(part_cells, length - first));
    });
  }

  Design design_;
  int threads_;
  mutable MemoryCount memory_;
  GridLayout layout_;
  std::int64_t cells_;  // of a grid, padding included
  GridFft<T> fft_;
  Charge tables_;
  VectorShares shares_;
  Buffer<T> real_;  // the spectrum over the number of cells: one of these two
  Buffer<Complex> complex_;
  mutable Pool<Scratch> pool_;
};

}  // namespace

template <class T> std::unique_ptr<Convolution<T>> make_convolution(const Design& design) {
  return std::make_unique<CpuConvolution<T>>(design);
}

template std::unique_ptr<Convolution<float>> make_convolution(const Design&);
template std::unique_ptr<Convolution<double>> make_convolution(const Design&);

}  // namespace offgrid::cpu
