// FFTs of small grids, axis by axis, crop or padding and deconvolution inside: a kernel an axis, where cuFFT takes one to
// three and a kernel of ours for the modes. A block works on some lines in shared memory; with n = a b, j = j1 b + j2 and
// k = k1 + a k2 a line is
//   y[k1, j2] = e(j2 k1 / n) sum_j1 x[j1 b + j2] e(j1 k1 / a)        z[k1 + a k2] = sum_j2 y[k1, j2] e(j2 k2 / b)
// and a thread sums for an index and for its negative together, which share their products.
#pragma once

#include <complex>
#include <cstdint>

#include "core/types.hpp"
#include "cuda/check.hpp"

namespace offgrid::cuda {

// Where the lines along an axis lie: element j of line (u, v) at u * along_u + v * along_v + j * step, and the vectors of a
// batch.
struct LineLayout {
  std::uint32_t step, along_u, along_v;
  std::uint64_t vector;
};

// A line on the grid has n cells. Of modes it has N, in the caller's order, at the first N places of the line.
template <class A> struct LinePass {
  LineLayout from, to;
  int n, modes;
  std::uint32_t u_count, lines;  // u < u_count, u_count v's
  const A* factors;              // [|k|]
  const A* roots;                // [n][re, im]: e(j / n)
  bool fft_order;
  int sign;                                      // of the exponent in e
  bool early;                                    // may begin while the kernel before ends: from compute capability 9.0 on
  int a = 1, b = 1, together = 1, threads = 32;  // chosen by run_lines
};

enum class LineKind { crop, pad };

}  // namespace offgrid::cuda
