// The FFT of a design, with its twiddle and deconvolution factors. Those of the last plans are shared with later ones of the
// same kind, unless they are large: making the tables of a long axis takes as long as folding the points.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/design.hpp"
#include "core/last_used.hpp"
#include "cpu/fft/fft.hpp"
#include "cpu/spread/layout.hpp"
#include "cpu/threads.hpp"

namespace offgrid::cpu {

// The deconvolution factors of all axes, evaluated on all threads. The FFT reads them once, when it is made.
class FactorTables {
 public:
  FactorTables(const Design& design, int threads) {
    constexpr std::int64_t chunk = 16384;
    for (int axis = 0; axis < design.dim(); ++axis) {
      const FactorSeries& series = design.factors[axis];
      axes_[axis].resize(static_cast<std::size_t>(series.count()));
      const std::span<double> all(axes_[axis]);
      const Work work{threads, factor_time * static_cast<double>(series.count())};
      parallel_for(work, (series.count() + chunk - 1) / chunk, [&](std::int64_t part, int) {
        const auto first = static_cast<std::size_t>(part * chunk);
        series.evaluate(part * chunk, all.subspan(first, std::min<std::size_t>(chunk, all.size() - first)));
      });
    }
  }
  [[nodiscard]] const double* axis(int axis) const { return axes_[axis].data(); }

 private:
  std::array<std::vector<double>, max_dim> axes_;
};

inline GridLayout fft_layout(const Design& design, const Layout& layout, const FactorTables& factors) {
  GridLayout fft{design.dim(),        design.problem.modes,      design.grid, layout.padded[0],
                 layout.plane_stride, design.options.mode_order, {}};
  for (int axis = 0; axis < design.dim(); ++axis) fft.deconvolution[axis] = factors.axis(axis);
  return fft;
}

// What an FFT depends on. Strides follow from the grid and the width.
struct FftKey {
  int dim, threads, width;
  std::array<FactorSeries, max_dim> factors;
  Sizes modes, grid;
  ModeOrder order;
  bool operator==(const FftKey&) const = default;
};

template <class T> LastUsed<FftKey, std::shared_ptr<const GridFft<T>>>& kept_ffts() {
  constexpr std::size_t most = 8;
  static auto* kept =
      new LastUsed<FftKey, std::shared_ptr<const GridFft<T>>>(most);  // plans may outlive static objects
  return *kept;
}

template <class T> std::shared_ptr<const GridFft<T>> fft_for(const Design& design, const Layout& layout, int threads) {
  constexpr std::int64_t most_cells = 1 << 19;  // of all axes: some megabytes of tables
  const auto make = [&] {
    return std::make_shared<const GridFft<T>>(fft_layout(design, layout, FactorTables(design, threads)), threads);
  };
  std::int64_t cells = 0;
  for (int axis = 0; axis < design.dim(); ++axis) cells += design.grid[axis];
  if (cells > most_cells) return make();
  return kept_ffts<T>().find_or({.dim = design.dim(),
                                 .threads = threads,
                                 .width = design.window.width,
                                 .factors = design.factors,
                                 .modes = design.problem.modes,
                                 .grid = design.grid,
                                 .order = design.options.mode_order},
                                make);
}

}  // namespace offgrid::cpu
