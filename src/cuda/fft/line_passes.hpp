// Which lines the passes of a grid's FFT take (fft.cu), as kernels have it (stockham.hpp).
#pragma once

#include "cuda/fft/fft.hpp"
#include "cuda/fft/stockham.hpp"

namespace offgrid::cuda {

// The passes of the Stockham FFT of a grid, one per axis. On the way to modes they go from the fastest axis to the
// slowest: when the lines of an axis are transformed, the axes before it have been cropped to their modes, which lie at
// the beginning of the rows and planes of the grid. The slowest axis has its modes in the caller's array, [N3][N2][N1].
// On the way to the grid the order is the reverse.
template <class A> struct Passes {
  const GridShape& grid;
  const ModeBox& box;
  const Deconvolution<A>& factors;
  int dim;
  bool dependent;
};

template <class A> LinePass<A> pass_along(int axis, const Passes<A>& all, Sign sign, LineKind kind) {
  const std::uint32_t* n = all.grid.n;
  const std::uint32_t modes[] = {static_cast<std::uint32_t>(all.box.modes[0]),
                                 static_cast<std::uint32_t>(all.box.modes[1]),
                                 static_cast<std::uint32_t>(all.box.modes[2])};
  const std::uint32_t plane = n[0] * n[1];
  const std::uint64_t cells = all.grid.cells;
  const LineLayout layouts[] = {{1, n[0], plane, cells}, {n[0], 1, plane, cells}, {plane, 1, n[0], cells}};
  LinePass<A> pass{{n[axis], modes[axis], all.box.fft_order}, static_cast<int>(n[axis]), layouts[axis], layouts[axis]};
  pass.sign = sign == Sign::minus ? -1 : 1;
  pass.dependent = all.dependent;
  pass.u_count = axis == 0 ? n[1] : modes[0];
  pass.lines = pass.u_count * (axis == 2 ? modes[1] : n[2]);
  pass.factors = all.factors.axis[axis];
  pass.twiddles = all.factors.twiddles[axis];
  const std::uint32_t before[] = {1, modes[0], modes[0] * modes[1]};
  if (axis == all.dim - 1)
    (kind == LineKind::crop ? pass.to : pass.from) = {before[axis], 1, modes[0],
                                                      std::uint64_t{before[axis]} * modes[axis]};
  return pass;
}

// The two passes of an axis in parts, between modes and rows, and along the columns in place.
template <class A> LinePass<A> pass_of_rows(const AxisParts& parts, const Passes<A>& all, Sign sign, LineKind kind) {
  LinePass<A> pass = pass_along(0, all, sign, kind);
  const LineLayout rows{1, static_cast<std::uint64_t>(parts.length), 0, all.grid.cells};
  const LineLayout modes{1, 0, 0, static_cast<std::uint64_t>(all.box.modes[0])};
  pass.from = kind == LineKind::crop_parts ? rows : modes;
  pass.to = kind == LineKind::crop_parts ? modes : rows;
  pass.length = parts.length;
  pass.u_count = pass.lines = static_cast<std::uint32_t>(parts.rows);
  pass.rows = parts.rows;
  pass.last_factor = static_cast<int>(all.box.modes[0] / 2);
  return pass;
}
template <class A> LinePass<A> pass_of_columns(const AxisParts& parts, const Passes<A>& all, Sign sign, LineKind kind) {
  LinePass<A> pass = pass_along(0, all, sign, kind);
  pass.from = pass.to = {static_cast<std::uint32_t>(parts.length), 1, 0, all.grid.cells};
  pass.length = parts.rows;
  pass.u_count = pass.lines = static_cast<std::uint32_t>(parts.length);
  pass.twiddles = all.factors.twiddles[1];
  return pass;
}

}  // namespace offgrid::cuda
