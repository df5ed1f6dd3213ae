// Transforms all lines of a grid along an axis (stockham.cuh), with crop or padding and deconvolution.
#pragma once

#include <complex>
#include <cstdint>

#include "cuda/fft/axis_modes.hpp"
#include "cuda/launch/enqueue.hpp"

namespace offgrid::cuda {

// convolve: pad, transform with sign +, multiply by a spectrum, transform with sign - and crop, without deconvolution.
// The others are passes of an axis in parts (stockham_plan.hpp). With n = rows length, j = j1 length + j2, k = k1 + rows k2,
//   sum_j e(j k / n) x[j] = sum_j2 e(j2 k2 / length) e(j2 k1 / n) sum_j1 e(j1 k1 / rows) x[j]
//   crop_parts, pad_parts      lines are rows: k2 and j2, modes k on one side
//   twiddle_after, twiddle_before  lines are columns: j1 and k1, times e(j2 k1 / n) after the transform or before it
enum class LineKind { crop, pad, convolve, crop_parts, pad_parts, twiddle_after, twiddle_before };
constexpr bool are_rows(LineKind kind) { return kind == LineKind::crop_parts || kind == LineKind::pad_parts; }
constexpr bool are_columns(LineKind kind) {
  return kind == LineKind::twiddle_after || kind == LineKind::twiddle_before;
}

// Element j of line (u, v) is at u * along_u + v * along_v + j * step.
struct LineLayout {
  std::uint32_t step;
  std::uint64_t along_u, along_v;
  std::uint64_t vector;  // from one vector of a batch to the next
};

// The lines of an axis, each with n cells on one side and the axis's modes, in the caller's order, on the other; of an axis in
// parts, rows or columns.
template <class A> struct LinePass {
  AxisModes axis;  // which cells hold the modes
  int length;      // of a line: all cells of the axis, or those of a part
  LineLayout from, to;
  int sign = 1;                          // of i in the exponent
  std::uint32_t u_count = 1, lines = 1;  // u < u_count
  const A* factors = nullptr;            // deconvolution, [|k|]
  int last_factor = 0, rows = 1;         // of an axis in parts: the largest |k|, and k1 < rows
  const A* twiddles = nullptr;           // [stage][i][j mod m][re, im]
  const A* spectrum = nullptr;           // what convolve multiplies the cells by, laid out as one vector of them
  bool dependent = false;                // launched by programmatic dependent launch (dependent_launch.cuh)

  // Set by run_lines.
  bool side_by_side = false;  // on one side at least, neighbours in memory are lines of a block, not elements of a line
  int together = 1;           // lines per block
  int pitch = 0;              // from one line to the next in shared memory, in values
  std::uint32_t few_blocks = 0;                // launches of at most this many blocks leave room for the next kernel
  std::uint32_t from_bytes = 0, to_bytes = 0;  // LineLayout::step in bytes
};

// Transforms the lines of `from`, of precision S, in precision A and writes them to those of `to`, of precision D.
template <LineKind K, class A, class S, class D>
void run_lines(LinePass<A> pass, const std::complex<S>* from, std::complex<D>* to, int batch, const Queue& queue);

}  // namespace offgrid::cuda
