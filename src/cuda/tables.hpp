// The tables that kernels read, on the device: the polynomials of the kernel and, where there are modes, the deconvolution
// factors of the axes, [axis][|k|], with 1 for axes beyond the dimension, and the twiddle factors of the FFT where it goes by
// lines.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/design.hpp"
#include "core/last_used.hpp"
#include "cuda/fft/factors.hpp"
#include "cuda/fft/fft.hpp"
#include "cuda/fft/stockham_plan.hpp"
#include "cuda/kernels/stage.hpp"
#include "cuda/memory.hpp"

namespace offgrid::cuda {

// T: precision of the grid that they are for.
template <class T> class Tables {
 public:
  explicit Tables(const Design& design) {
    std::size_t factors[max_dim]{}, twiddles[max_dim]{};
    put_polynomial(design.polynomial);
    for (int axis = 0; design.has_modes() && axis < max_dim; ++axis) factors[axis] = put_factors(design, axis);
    host_.resize((host_.size() + 3) / 4 * 4);  // aligned to pairs
    const std::array<int, max_dim> lengths = design.has_modes() ? line_lengths(design) : std::array<int, max_dim>{};
    for (int pass = 0; pass < max_dim; ++pass)
      if (lengths[pass] != 0) twiddles[pass] = put(twiddles_of<T>(lengths[pass]));
    // Factors that the device evaluates come behind what is copied.
    std::size_t size = host_.size();
    for (int axis = 0; axis < design.dim(); ++axis) {
      if (!on_device(design, axis)) continue;
      factors[axis] = size;
      size += static_cast<std::size_t>(design.factors[axis].count() + 3) / 4 * 4;
    }
    device_ = DeviceBuffer<T>(static_cast<std::int64_t>(size), memory_);
    for (int axis = 0; axis < design.dim(); ++axis)
      if (on_device(design, axis))
        evaluate_factors(design.factors[axis], device_.data() + factors[axis], set_up_stream());
    copy_to_device("tables", device_.data(), host_.data(), host_.size() * sizeof(T));  // and waits for the factors
    kernel_ = {design.polynomial.width, device_.data(), host_.data()};
    for (int axis = 0; axis < max_dim; ++axis) {
      factors_.axis[axis] = device_.data() + factors[axis];
      factors_.twiddles[axis] = device_.data() + twiddles[axis];
    }
  }
  [[nodiscard]] const KernelView<T>& kernel() const { return kernel_; }
  [[nodiscard]] const Deconvolution<T>& factors() const { return factors_; }
  [[nodiscard]] std::size_t bytes() const { return device_.bytes(); }

 private:
  // Each returns where its table begins.
  template <class Values> std::size_t put(const Values& values) {
    const std::size_t start = host_.size();
    host_.insert(host_.end(), values.begin(), values.end());
    return start;
  }
  // Kernels have a degree that is known when they are compiled; the coefficients beyond the polynomial's are 0.
  void put_polynomial(const Polynomial& polynomial) {
    put(polynomial.coefficients);
    host_.resize(static_cast<std::size_t>((max_degree(polynomial.width, precision_of<T>) + 1) * polynomial.width));
  }
  // Where axes are longer than lines, kernels read no factors but those of modes.
  static bool on_device(const Design& design, int axis) {
    return design.has_modes() && !has_whole_lines(design) && evaluates_on_device(design.factors[axis]);
  }
  // Whole lines read the factors of all their cells, also of those that hold no mode.
  std::size_t put_factors(const Design& design, int axis) {
    const std::size_t start = host_.size();
    if (axis >= design.dim()) {
      host_.push_back(T(1));
    } else if (!on_device(design, axis)) {
      std::vector<double> factors(static_cast<std::size_t>(design.factors[axis].count()));
      design.factors[axis].evaluate(0, factors);
      put(factors);
    }
    if (has_whole_lines(design)) host_.resize(start + static_cast<std::size_t>(design.grid[axis]) / 2 + 1);
    return start;
  }

  MemoryCount memory_;
  std::vector<T> host_;
  DeviceBuffer<T> device_;
  KernelView<T> kernel_{};
  Deconvolution<T> factors_{};
};

// What tables depend on.
struct TablesKey {
  int device, dim;
  Precision precision;  // of strengths and modes; that of the grid is the template's
  WindowKind kind;
  int width;
  double sigma;
  Sizes modes, grid;
  std::array<FactorSeries, max_dim> factors;
  bool operator==(const TablesKey&) const = default;
};

template <class T> LastUsed<TablesKey, std::shared_ptr<const Tables<T>>>& kept_tables() {
  constexpr std::size_t most = 16;
  static auto* kept =
      new LastUsed<TablesKey, std::shared_ptr<const Tables<T>>>(most);  // plans may outlive static objects
  return *kept;
}

// The tables of a design on the current device: those of the last plans are shared, unless they are large.
template <class T> std::shared_ptr<const Tables<T>> tables_for(const Design& design, int device) {
  constexpr std::int64_t most_factors = 1 << 16;
  const auto make = [&] { return std::make_shared<const Tables<T>>(design); };
  std::int64_t factors = 0;
  for (int axis = 0; axis < design.dim(); ++axis) factors += design.factors[axis].count();
  if (factors > most_factors) return make();
  return kept_tables<T>().find_or({.device = device,
                                   .dim = design.dim(),
                                   .precision = design.problem.precision,
                                   .kind = design.window.kind,
                                   .width = design.window.width,
                                   .sigma = design.window.sigma,
                                   .modes = design.problem.modes,
                                   .grid = design.grid,
                                   .factors = design.factors},
                                  make);
}

}  // namespace offgrid::cuda
