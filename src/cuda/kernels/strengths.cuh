// The values at the points: strengths that spreading reads and results that interpolation writes, [batch][stride], and the
// factors of the latter.
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

// The factor of the point with this index in the caller's arrays, as it is in memory, where there are factors; a value of the
// point times that factor; and both together, of any stage.
template <class T, class A> __device__ Complex<T> factor_at(const StageArguments<T, A>& a, std::int64_t index) {
  return reinterpret_cast<const Complex<T>*>(a.factors)[a.points.first + index];
}
template <class T, class A>
__device__ Complex<T> product(const StageArguments<T, A>& a, Complex<T> value, Complex<T> factor) {
  return times<T>(value, {factor.x, a.factor_sign * factor.y});
}
template <class T, class A>
__device__ Complex<T> times_factor(const StageArguments<T, A>& a, std::uint32_t index, Complex<T> value) {
  return a.factors == nullptr ? value : product(a, value, factor_at(a, index));
}

}  // namespace offgrid::cuda
