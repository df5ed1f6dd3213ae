// Complex numbers as kernels load and store them, whole.
#pragma once

namespace offgrid::cuda {

template <class T> struct ComplexOf;
template <> struct ComplexOf<float> { using type = float2; };
template <> struct ComplexOf<double> { using type = double2; };
template <class T> using Complex = typename ComplexOf<T>::type;

#ifdef __CUDACC__
// The same bits in every kernel, whatever the compiler contracts.
template <class T> __device__ Complex<T> times(Complex<T> a, Complex<T> b) {
  return {fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x)};
}
#endif

}  // namespace offgrid::cuda
