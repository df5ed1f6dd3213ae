// Transforms of all lines of a grid along an axis (line_fft.cuh), with crop or padding and deconvolution.
#pragma once

#include <complex>
#include <cstdint>

#include "cuda/check.hpp"

namespace offgrid::cuda {

enum class LineKind { crop, pad };

// Element j of line (u, v) is at u * along_u + v * along_v + j * step.
struct LineLayout {
  std::uint32_t step;  // in bytes within a kernel
  std::uint64_t along_u, along_v;
  std::uint64_t vector;  // from one of a batch to the next
};

// A line has n cells on the grid. Of modes it has N, in the caller's order, at its first N places.
template <class A> struct LinePass {
  LineLayout from, to;
  int n, modes, sign;            // of the exponent in e
  std::uint32_t u_count, lines;  // u < u_count
  const A *factors, *turns;      // [|k|]; [stage][i][j mod m][re, im]
  bool fft_order;
  bool early;                   // starts while the kernel in front of it ends
  bool side_by_side = false;    // a block's lines are neighbours in memory, their elements are not
  int together = 1, pitch = 0;  // lines of a block; from one to the next in shared memory
};

// The lines of `from`, of precision S, to those of `to`, of precision D.
template <LineKind K, class A, class S, class D>
void run_lines(LinePass<A> pass, const std::complex<S>* from, std::complex<D>* to, int batch, cudaStream_t stream);

}  // namespace offgrid::cuda
