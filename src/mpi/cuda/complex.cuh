// Complex numbers as kernels load and store them, whole.
#pragma once

#include <complex>

#include "cuda/kernels/complex.cuh"
#include "mpi/anywhere.hpp"

namespace offgrid::mpi::inside {

template <class T> using Number = cuda::Complex<T>;  // float2 or double2

template <class T> Number<T>* numbers(std::complex<T>* array) { return reinterpret_cast<Number<T>*>(array); }
template <class T> const Number<T>* numbers(const std::complex<T>* array) {
  return reinterpret_cast<const Number<T>*>(array);
}

template <class N, class T> OFFGRID_ANYWHERE N scaled(const N& value, T factor) {
  return {value.x * factor, value.y * factor};
}

}  // namespace offgrid::mpi::inside
