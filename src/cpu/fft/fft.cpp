#include "cpu/fft/fft.hpp"

#include <algorithm>

namespace offgrid::cpu {
namespace {

// Beyond this a block of x lines no longer fits the second-level cache, and two passes of short lines are faster.
constexpr std::int64_t longest_short_row = 8192;

template <class T> std::vector<T> scale_by_index(const ModeMap& modes, const double* factors) {
  std::vector<T> scale;
  scale.reserve(factors ? static_cast<std::size_t>(modes.count) : 0);
  for (std::int64_t i = 0; factors && i < modes.count; ++i)
    scale.push_back(static_cast<T>(factors[modes.magnitude(i)]));
  return scale;
}

}  // namespace

template <class T> GridFft<T>::GridFft(const GridLayout& layout, int threads) : layout_(layout), threads_(threads) {
  const bool long_rows = layout.dim == 1 || layout.grid[0] > longest_short_row;
  if (long_rows) {
    long_rows_.emplace(mode_map(0), layout.deconvolution[0]);
    per_thread_ = long_rows_->scratch_per_thread();
  }
  for (int axis = long_rows ? 1 : 0; axis < layout.dim; ++axis) {
    plans_[axis].emplace(layout.grid[axis]);
    scale_[axis] = scale_by_index<T>(mode_map(axis), layout.deconvolution[axis]);
    per_thread_ = std::max(per_thread_, pass_scratch(*plans_[axis]));
  }
  layout_.deconvolution = {};
}

template <class T> std::int64_t GridFft<T>::scratch_elements() const { return threads_ * per_thread_; }

template <class T> std::int64_t GridFft<T>::table_bytes() const {
  std::int64_t total = long_rows_ ? long_rows_->table_bytes() : 0;
  for (const auto& plan : plans_) total += plan ? plan->table_bytes() : 0;
  for (const auto& scale : scale_) total += capacity_bytes(scale);
  return total;
}

template <class T> ModeMap GridFft<T>::mode_map(int axis) const {
  return {layout_.grid[axis], layout_.modes[axis], layout_.order};
}

template <class T> std::complex<T>* GridFft<T>::grid_row(std::complex<T>* grid, std::int64_t row) const {
  return grid + row % layout_.modes[1] * layout_.row_stride + row / layout_.modes[1] * layout_.plane_stride;
}

// The transform of one axis in place, full on both sides. The axes after it are already (or still) cut to their modes;
// the lines of y and z are adjacent along x, those of x run through the rows of modes.
template <class T> AxisPass<T> GridFft<T>::grid_pass(int axis, std::complex<T>* grid, Sign sign) const {
  const Sizes strides{1, layout_.row_stride, layout_.plane_stride};
  AxisPass<T> pass;
  pass.plan = &*plans_[axis];
  pass.in.data = pass.out.data = grid;
  pass.in.stride = pass.out.stride = strides[axis];
  pass.in.line_stride = pass.out.line_stride = axis == 0 ? layout_.row_stride : 1;
  pass.in.row_stride = pass.out.row_stride = axis == 2 ? layout_.row_stride : layout_.plane_stride;
  pass.in.segments = pass.out.segments = {Segment{0, layout_.grid[axis]}};
  pass.lines = axis == 0 ? layout_.modes[1] : layout_.grid[0];
  pass.rows = axis == 2 ? layout_.grid[1] : layout_.modes[2];
  pass.sign = sign;
  return pass;
}

// Makes one side of a pass over the grid that of the modes: cropped and deconvolved, and in their own array for axis 0.
template <class T>
template <class Element>
void GridFft<T>::hold_modes(Lines<T, Element>& side, int axis, Element* modes) const {
  if (axis == 0) {
    side.data = modes;
    side.line_stride = layout_.modes[0];
    side.row_stride = layout_.modes[0] * layout_.modes[1];
  }
  side.segments = mode_map(axis).segments(side.stride);
  side.scale = scale_[axis].empty() ? nullptr : scale_[axis].data();
}

template <class T>
void GridFft<T>::grid_to_modes(std::complex<T>* grid, std::complex<T>* modes, Sign sign,
                               const Workers<T>& workers) const {
  for (int axis = layout_.dim - 1; axis >= 0 && plans_[axis]; --axis) {
    AxisPass<T> pass = grid_pass(axis, grid, sign);
    hold_modes(pass.out, axis, modes);
    run_pass(pass, workers);
  }
  for (std::int64_t row = 0; long_rows_ && row < mode_rows(); ++row)
    long_rows_->grid_to_modes(grid_row(grid, row), modes + row * layout_.modes[0], sign, workers);
}

template <class T>
void GridFft<T>::modes_to_grid(const std::complex<T>* modes, std::complex<T>* grid, Sign sign,
                               const Workers<T>& workers) const {
  for (std::int64_t row = 0; long_rows_ && row < mode_rows(); ++row)
    long_rows_->modes_to_grid(modes + row * layout_.modes[0], grid_row(grid, row), sign, workers);
  for (int axis = long_rows_ ? 1 : 0; axis < layout_.dim; ++axis) {
    AxisPass<T> pass = grid_pass(axis, grid, sign);
    hold_modes(pass.in, axis, modes);
    run_pass(pass, workers);
  }
}

template class GridFft<float>;
template class GridFft<double>;

}  // namespace offgrid::cpu
