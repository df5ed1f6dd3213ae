// From the records of one grid to those of another: where the same points lie in its cells. With n and w of the first grid,
// cell i0 and place t of a point (fold.cuh),
//   g = i0 + w/2 - (t + 1)/2        g' = g n'/n        i0' = ceil(g' - w'/2) mod n'        t' = 2 (i0' - g' + w'/2) - 1
// n'/n and the product with it are carried in double-double, so that t' is as good as a fold of the coordinates.
#pragma once

#include <cstdint>

#include "cuda/kernels/raw_point.cuh"
#include "cuda/sort/folded_point.cuh"
#include "cuda/sort/sort_kernels.cuh"

namespace offgrid::cuda {

struct RefoldAxis {
  double ratio, ratio_low;  // n' / n
  double half_width;        // of the first grid's kernel
};
struct RefoldAxes {
  RefoldAxis axis[max_dim];
};

__device__ inline Folded refold(std::uint32_t cell, double t, const RefoldAxis& from, const FoldAxis& to) {
  const double whole = cell, part = from.half_width - 0.5 * (t + 1);
  const double p = __dmul_rn(whole, from.ratio), q = __dmul_rn(part, from.ratio), g = __dadd_rn(p, q);
  const double lost = difference_error(p, -q, g);
  const double low = lost + (fma(whole, from.ratio, -p) + fma(part, from.ratio, -q)) + (whole + part) * from.ratio_low;
  const double rounded = __dadd_ru(g - to.half_width, rounder), i0 = __dsub_rn(rounded, rounder);
  int in_grid = low_word(rounded);
  if (in_grid < 0) in_grid += to.n;
  if (in_grid >= to.n) in_grid -= to.n;
  return {static_cast<std::uint32_t>(min(max(in_grid, 0), to.n - 1)), 2 * (((i0 - g) - low) + to.half_width) - 1};
}

// One thread per point. Records and keys are in the order of the first grid's records.
template <class T, int D, CellKind K>
__global__ void __launch_bounds__(sort_threads)
    refold_kernel(const __grid_constant__ PackedPoints<T> points, const __grid_constant__ RefoldAxes from,
                  const __grid_constant__ FoldArguments a, Record<T, D, K>* records, std::uint32_t* keys) {
  const std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i >= points.count) return;
  RawPoint<T, D> point;
  point.fetch(points, static_cast<std::uint32_t>(i));
  Folded folded[D];
#pragma unroll
  for (int d = 0; d < D; ++d)
    folded[d] = refold(point.cell(points, d), static_cast<double>(point.t(points, d)), from.axis[d], a.axis[d]);
  const FoldedPoint<T, D> same(folded);
  records[i] = same.template record<K>(a, point.index());
  keys[i] = same.key(a);
}

}  // namespace offgrid::cuda
