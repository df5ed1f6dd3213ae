// The values at the points: strengths that spreading reads and results that interpolation writes, [batch][stride].
#pragma once

#include <cstdint>

#include "cuda/kernels/complex.cuh"
#include "cuda/kernels/stage.hpp"

namespace offgrid::cuda {

template <class T, class A>
__device__ Complex<T> strength_of(const StageArguments<T, A>& a, std::uint32_t index, int vector) {
  return reinterpret_cast<const Complex<T>*>(a.strengths)[vector * a.stride + a.points.first + index];
}

// The index of the result of the i-th packed point: i where results are written in the packed order, else its index in
// the caller's arrays. result_at is the result with that index.
template <class T, class A>
__device__ std::uint32_t index_of_result(const StageArguments<T, A>& a, std::uint32_t i, std::uint32_t index) {
  return a.in_order ? i : index;
}
template <class T, class A>
__device__ Complex<T>& result_at(const StageArguments<T, A>& a, std::uint32_t index, int vector) {
  return reinterpret_cast<Complex<T>*>(a.strengths)[vector * a.stride + a.points.first + index];
}

}  // namespace offgrid::cuda
