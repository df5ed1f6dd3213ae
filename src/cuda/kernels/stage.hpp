// What spread and interpolate are given: the vectors of a batch at the points and on the grid, and the kernel.
#pragma once

#include <complex>
#include <cstdint>

#include "cuda/kernels/points.hpp"

namespace offgrid::cuda {

template <class T> struct KernelView {
  int width;
  const T* coefficients;       // [max_degree + 1][width], on the device
  const T* host_coefficients;  // the same on the host
};

// T is the precision of the points and strengths, A that of the grid.
template <class T, class A> struct StageArguments {
  PackedPoints<T> points;
  KernelView<T> kernel;
  GridShape grid;
  std::complex<T>* strengths;  // [batch][stride]
  std::int64_t stride;
  std::complex<A>* cells;  // [batch][n3][n2][n1]
  int batch;
  bool in_order = false;   // results are written in the order of the packed points, not to their indices
  bool dependent = false;  // spreading may start while the cells are being cleared (clear.hpp)
  const double* units =
      nullptr;  // [batch]: cells are integers, multiples of these units (integer_sums.hpp); null: numbers
  const std::complex<T>* factors = nullptr;  // [points of the caller's]; null: all are 1, and always so if in_order
  T factor_sign = 1;                         // of the factors' imaginary parts
  // How the launcher cuts the work: a team takes `rounds` points and `vectors` vectors of the batch.
  int rounds = 1, vectors = 1;
};

}  // namespace offgrid::cuda
