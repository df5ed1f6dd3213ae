// Products of arrays on the CPU, element by element.
#pragma once

#include <complex>

#include "core/pointwise.hpp"

namespace offgrid::cpu {

// The product without the checks for infinite parts that operator* has.
template <class T> std::complex<T> times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class T> void multiply(const Product<T>& product, int threads);

}  // namespace offgrid::cpu
