// FFT of one long line that would not fit a thread's cache: n = na * nb, two passes of short lines over the grid row
// seen as a matrix [na][nb]. With grid point l = ia * nb + ib and mode k = ka + na * kb,
//   exp(2 pi i k l / n) = exp(2 pi i ka ia / na) exp(2 pi i ka ib / n) exp(2 pi i kb ib / nb).
// grid_to_modes: columns (over ia, in place), twiddle, then rows (over ib) straight into the modes; modes_to_grid is
// its mirror. Adjacent ib are adjacent in the grid and adjacent ka in the modes, so three of the four accesses are
// whole vectors.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "cpu/fft/fft_modes.hpp"
#include "cpu/fft/fft_pass.hpp"
#include "cpu/fft/fft_plan.hpp"
#include "cpu/memory/memory.hpp"

namespace offgrid::cpu {

template <class T> class LongFft {
 public:
  // factors: deconvolution for |k| = 0 .. N/2, or null
  LongFft(const ModeMap& modes, const double* factors);

  [[nodiscard]] std::int64_t scratch_per_thread() const;
  [[nodiscard]] std::int64_t table_bytes() const;
  void grid_to_modes(std::complex<T>* row, std::complex<T>* modes, Sign sign, const Workers<T>& workers) const;
  void modes_to_grid(const std::complex<T>* modes, std::complex<T>* row, Sign sign, const Workers<T>& workers) const;

 private:
  void make_twiddles();
  [[nodiscard]] AxisPass<T> column_pass(std::complex<T>* row, Sign sign) const;
  [[nodiscard]] LineTwiddle<T> twiddle(Sign sign) const;
  template <class Element> [[nodiscard]] Lines<T, Element> mode_lines(Element* modes, std::int64_t first_ka) const;
  template <class Element> [[nodiscard]] Lines<T, Element> row_lines(Element* row, std::int64_t first_ka) const;

  ModeMap modes_;
  std::int64_t na_, nb_;
  FftPlan<T> columns_, rows_;
  std::array<std::int64_t, 4> cuts_;             // of ka: between two cuts all row lines keep the same kb
  std::vector<T> scale_;                         // [mode][2], padded by a block of lines
  std::vector<std::complex<T>> block_twiddles_;  // [ib / V][ka]: exp(2 pi i ka ib / n) at the first ib of a block
  Buffer<T> lane_twiddles_;                      // [ka][2][V]: exp(2 pi i ka (ib % V) / n)
};

}  // namespace offgrid::cpu
