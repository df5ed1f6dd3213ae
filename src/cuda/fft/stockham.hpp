// Transforms of all lines of a grid along an axis (stockham.cuh), with crop or padding and deconvolution.
#pragma once

#include <complex>
#include <cstdint>

#include "cuda/fft/axis_modes.hpp"
#include "cuda/launch/enqueue.hpp"

namespace offgrid::cuda {

enum class LineKind { crop, pad };

// Element j of line (u, v) is at u * along_u + v * along_v + j * step.
struct LineLayout {
  std::uint32_t step;
  std::uint64_t along_u, along_v;
  std::uint64_t vector;  // from one of a batch to the next
};

// The modes of a line lie at its first places, in the caller's order; which cells hold them: axis.
template <class A> struct LinePass {
  AxisModes axis;
  LineLayout from, to;
  int sign = 1;                                     // of the exponent in e
  std::uint32_t u_count = 1, lines = 1;             // u < u_count
  const A *factors = nullptr, *twiddles = nullptr;  // [|k|]; [stage][i][j mod m][re, im]
  bool dependent = false;                           // starts while the kernel before it ends (dependent_launch.cuh)

  // Set by run_lines.
  bool side_by_side = false;                   // a block's lines are neighbours in memory, their elements are not
  int together = 1, pitch = 0;                 // lines of a block; from one to the next in shared memory
  std::uint32_t few_blocks = 0;                // launches of at most so many leave room for the next kernel beside them
  std::uint32_t from_bytes = 0, to_bytes = 0;  // of a step
};

// The lines of `from`, of precision S, to those of `to`, of precision D.
template <LineKind K, class A, class S, class D>
void run_lines(LinePass<A> pass, const std::complex<S>* from, std::complex<D>* to, int batch, const Queue& queue);

}  // namespace offgrid::cuda
