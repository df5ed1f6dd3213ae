// The cells of a grid: where they lie in memory, and how several threads add to one of them.
#pragma once

#include <cstdint>

#include "cuda/kernels/complex.cuh"
#include "cuda/kernels/points.hpp"

namespace offgrid::cuda {

// Returns the cell modulo n. Tiles and windows may reach around a short axis more than once.
__device__ inline std::uint32_t wrap(std::uint32_t cell, std::uint32_t n) {
  while (cell >= n) cell -= n;
  return cell;
}

// Offsets of the cells that a point reaches in the whole grid, wrapped around. Offset has 32 bits where they suffice.
template <class Offset> struct GridOffsets {
  const GridShape& grid;
  const std::uint32_t* cell;
  __device__ Offset operator()(int axis, int i) const {
    std::uint32_t wrapped = cell[axis] + static_cast<std::uint32_t>(i);  // n < 2^31
    if (wrapped >= grid.n[axis]) wrapped -= grid.n[axis];
    if (axis == 0) return wrapped;
    return (axis == 1 ? Offset{wrapped} : Offset{wrapped} * grid.n[1]) * grid.n[0];
  }
};

// Calls body(Offset{}) with the smallest type that holds the offset of any cell of the grid.
template <class Body> void with_offset(const GridShape& grid, Body&& body) {
  if (grid.cells <= ~std::uint32_t{0})
    body(std::uint32_t{});
  else
    body(std::uint64_t{});
}

// Adds x + iy to a cell by atomics: one for both components on devices that have it.
__device__ inline void add(float2* to, float x, float y) {
#if __CUDA_ARCH__ >= 900
  atomicAdd(to, float2{x, y});
#else
  atomicAdd(&to->x, x);
  atomicAdd(&to->y, y);
#endif
}
// The same, unless both are zero. This is a predicated instruction, because a branch would cost more than it saves.
__device__ inline void add_if_any(float2* to, float x, float y) {
#if __CUDA_ARCH__ >= 900
  asm volatile("{ .reg .pred any; setp.ne.u32 any, %3, 0; @any red.global.add.v2.f32 [%0], {%1, %2}; }" ::"l"(
                   __cvta_generic_to_global(to)),
               "f"(x), "f"(y), "r"(__float_as_uint(x) | __float_as_uint(y))
               : "memory");
#else
  add(to, x, y);
#endif
}
__device__ inline void add(double2* to, double x, double y) {
  atomicAdd(&to->x, x);
  atomicAdd(&to->y, y);
}

}  // namespace offgrid::cuda
