// Complex numbers as kernels load and store them, whole.
#pragma once

namespace offgrid::cuda {

template <class T> struct ComplexOf;
template <> struct ComplexOf<float> { using type = float2; };
template <> struct ComplexOf<double> { using type = double2; };
template <class T> using Complex = typename ComplexOf<T>::type;

}  // namespace offgrid::cuda
