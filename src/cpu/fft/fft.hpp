// FFT between the padded grid and the modes, one axis at a time, pruned: an axis is cropped to its modes before the
// next one is transformed (grid_to_modes), and zero-padded only when its turn comes (modes_to_grid).
//   modes_k = d1[|k1|] d2[|k2|] d3[|k3|] sum_l grid_l exp(sign 2 pi i sum_a k_a l_a / n_a),  -N_a/2 <= k_a < N_a/2
// grid_to_modes goes z, y, x and modes_to_grid x, y, z: the x lines, whose points and not whose neighbours are
// adjacent in memory, are then the fewest. Deconvolution is part of the passes.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/types.hpp"
#include "cpu/fft/fft_long.hpp"
#include "cpu/fft/fft_pass.hpp"
#include "cpu/fft/fft_plan.hpp"

namespace offgrid::cpu {

// grid: [n3][n2][n1] complex, rows row_stride and planes plane_stride apart; modes: [N3][N2][N1], contiguous.
struct GridLayout {
  int dim = 1;
  Sizes modes{1, 1, 1}, grid{1, 1, 1};  // modes[a] <= grid[a]
  std::int64_t row_stride = 1, plane_stride = 1;
  ModeOrder order = ModeOrder::centred;
  std::array<const double*, max_dim> deconvolution{};  // [axis][|k|], |k| = 0 .. N/2; null: 1; read on construction
};

// Immutable once made; concurrent calls need a scratch each.
template <class T> class GridFft {
 public:
  GridFft(const GridLayout& layout, int threads);

  [[nodiscard]] std::int64_t scratch_elements() const;  // T's of scratch, aligned to 64 bytes, for all threads together
  [[nodiscard]] Workers<T> workers(T* scratch) const { return {threads_, scratch, per_thread_}; }  // all threads
  [[nodiscard]] Workers<T> worker(T* scratch, int thread) const {
    return {1, scratch + thread * per_thread_, per_thread_};
  }
  [[nodiscard]] std::int64_t table_bytes() const;
  // Destroys the grid.
  void grid_to_modes(std::complex<T>* grid, std::complex<T>* modes, Sign sign, const Workers<T>& workers) const;
  // Writes the cells [0, n3) x [0, n2) x [0, n1) of the grid and leaves its padding as it was.
  void modes_to_grid(const std::complex<T>* modes, std::complex<T>* grid, Sign sign, const Workers<T>& workers) const;

 private:
  [[nodiscard]] ModeMap mode_map(int axis) const;
  [[nodiscard]] AxisPass<T> grid_pass(int axis, std::complex<T>* grid, Sign sign) const;
  template <class Element> void hold_modes(Lines<T, Element>& side, int axis, Element* modes) const;
  [[nodiscard]] std::int64_t mode_rows() const { return layout_.modes[1] * layout_.modes[2]; }
  [[nodiscard]] std::complex<T>* grid_row(std::complex<T>* grid, std::int64_t row) const;

  GridLayout layout_;
  int threads_;
  std::int64_t per_thread_ = 0;  // reals of scratch
  std::array<std::optional<FftPlan<T>>, max_dim> plans_;
  std::array<std::vector<T>, max_dim> scale_;  // [axis][index of the mode]
  std::optional<LongFft<T>> long_rows_;        // in place of plans_[0], in 1D or where x is very long
};

}  // namespace offgrid::cpu
