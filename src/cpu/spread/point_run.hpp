// The innermost loops of spreading and interpolation, compiled for each instruction set.
#pragma once

#include <complex>

#include "cpu/spread/kernel_eval.hpp"
#include "cpu/spread/layout.hpp"

namespace offgrid::cpu {

// A run of sorted points of one block, and the cells that they are spread to or read from.
template <class T, class Strength, class Cell> struct PointRun {
  const KernelTable<T>* table;
  int dim, width;
  const std::byte* points;  // PackedPoint<T, dim>
  std::int64_t count;
  Strength* strengths;  // by PackedPoint::index
  std::int64_t strength_stride, batch;
  Cell* cells;                            // of the block's first cell
  std::int64_t cell_stride;               // from a grid of the batch to the next
  std::int64_t row_stride, plane_stride;  // as PackedPoint::cell counts them
  std::int64_t copy_stride = 0;           // in 1D: from a copy of the cells, of row_copies in turn, to the next
};

template <class T> using SpreadRun = PointRun<T, const std::complex<T>, std::complex<T>>;
template <class T> using InterpRun = PointRun<T, std::complex<T>, const std::complex<T>>;

template <class T> void spread_run(const SpreadRun<T>& run);
template <class T> void interpolate_run(const InterpRun<T>& run);

}  // namespace offgrid::cpu
