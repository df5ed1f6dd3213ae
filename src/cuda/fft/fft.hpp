// Between grid and modes: FFT, crop or padding, deconvolution.
//   by lines   kernels of ours (stockham.cuh) transform one axis at a time, and only what the earlier axes have kept; an axis
//              that is too long for that, and alone, goes in two passes, as columns and rows (AxisParts)
//   by cuFFT   where lines are too long for these: one plan for all grids of a batch, and a kernel that crops or pads
// A plan of cuFFT holds a stream and a work area, so that each grid that is leased has plans of its own.
#pragma once

#include <array>
#include <complex>
#include <optional>
#include <utility>

#include "core/design.hpp"
#include "cuda/cufft.hpp"
#include "cuda/fft/stockham.hpp"
#include "cuda/fft/stockham_plan.hpp"
#include "cuda/kernels/points.hpp"
#include "cuda/memory.hpp"

namespace offgrid::cuda {

// Whether each axis of a grid is one line, and the parts of one whose only axis is longer; if either, it goes by lines.
bool has_whole_lines(const Design& design);
AxisParts parts_of(const Design& design);
bool goes_by_lines(const Design& design);

// The lengths of the lines whose twiddle factors it needs (Deconvolution::twiddles); 0 where there are none.
std::array<int, max_dim> line_lengths(const Design& design);

// The deconvolution factors of the axes and the twiddle factors of their lines, on the device, in the precision of the grid.
template <class T> struct Deconvolution {
  const T* axis[max_dim];  // [|k|]
  // Twiddle factors (stockham_plan.hpp), [re, im], where the grid is transformed by lines; of the rows of an axis in parts, and
  // then of its columns.
  const T* twiddles[max_dim];
};

struct ModeBox {
  std::int64_t modes[max_dim];
  bool fft_order;
};

// A plan of cuFFT.
class FftPlan {
 public:
  FftPlan() = default;
  FftPlan(FftPlan&& other) noexcept { swap(other); }
  FftPlan& operator=(FftPlan&& other) noexcept {
    swap(other);
    return *this;
  }
  ~FftPlan();  // kept for the next plan of this kind

  struct Layout {
    int rank;
    std::array<long long, max_dim> size;  // slowest first
    long long stride, distance, batch;
    bool operator==(const Layout&) const = default;
  };
  struct Kind {
    int device;
    Layout layout;
    cufftType type;
    bool operator==(const Kind&) const = default;
  };
  // Returns the bytes of work area that it needs.
  std::size_t make(const Layout& layout, cufftType type);
  void set_work_area(void* memory);
  template <class A> void run(std::complex<A>* cells, Sign sign, cudaStream_t stream) const;

 private:
  void swap(FftPlan& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(handle_, other.handle_);
    std::swap(work_bytes_, other.work_bytes_);
  }

  std::optional<Kind> kind_;  // none: not made yet
  cufftHandle handle_ = 0;
  std::size_t work_bytes_ = 0;
};
void destroy_kept_fft_plans();

// What all passes of a transform have in common (fft.cu).
template <class A> struct Passes;

// A is the precision of the grid, T that of the modes.
template <class A> class GridFft {
 public:
  GridFft(const Design& design, const GridShape& grid, int multiprocessors);

  [[nodiscard]] std::size_t work_bytes() const { return work_bytes_; }
  [[nodiscard]] bool can_convolve() const { return can_convolve_; }
  void set_work_area(void* memory);

  template <class T>
  void grid_to_modes(std::complex<A>* cells, std::complex<T>* modes, int batch, Sign sign,
                     const Deconvolution<A>& factors, cudaStream_t stream) const;
  template <class T>
  void modes_to_grid(const std::complex<T>* modes, std::complex<A>* cells, int batch, Sign sign,
                     const Deconvolution<A>& factors, cudaStream_t stream) const;
  // By whole lines only, none of them over longest_convolution: to the grid with sign +, times a spectrum [n3][n2][n1], and
  // back. The factors must all be 1. Of `cells` about half is never written, and nothing in 1D.
  void convolve(const std::complex<A>* modes, std::complex<A>* cells, const A* spectrum, std::complex<A>* result,
                int batch, const Deconvolution<A>& factors, cudaStream_t stream) const;

 private:
  // One pass of the way to the grid, or back.
  template <class T>
  void pad_along(int axis, const Passes<A>& all, const std::complex<T>* modes, std::complex<A>* cells, int batch,
                 Sign sign, cudaStream_t stream) const;
  template <class T>
  void crop_along(int axis, const Passes<A>& all, std::complex<A>* cells, std::complex<T>* modes, int batch, Sign sign,
                  cudaStream_t stream) const;
  template <class T>
  void pad_parts(const Passes<A>& all, const std::complex<T>* modes, std::complex<A>* cells, int batch, Sign sign,
                 cudaStream_t stream) const;
  template <class T>
  void crop_parts(const Passes<A>& all, std::complex<A>* cells, std::complex<T>* modes, int batch, Sign sign,
                  cudaStream_t stream) const;
  void run_whole(std::complex<A>* cells, int batch, Sign sign, cudaStream_t stream) const;

  int dim_;
  GridShape grid_;
  ModeBox box_;
  std::int64_t batch_;
  int multiprocessors_;
  AxisParts parts_;
  bool by_lines_ = false, can_convolve_ = false, dependent_ = false;
  FftPlan whole_, rest_;  // a full batch, and what remains after full batches
  std::size_t work_bytes_ = 0;
};

}  // namespace offgrid::cuda
