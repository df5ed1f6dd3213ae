// The kernel's piecewise polynomial in the two forms that the SIMD loops read.
//   rows   lane = piece:   sum_p rows[p][i] t^p
//   pairs  lane = point: pieces i and w-1-i mirror each other,   e_i(t^2) + t o_i(t^2)  and  e_i(t^2) - t o_i(t^2)
#pragma once

#include "core/kernel/polynomial.hpp"
#include "cpu/memory/memory.hpp"

namespace offgrid::cpu {

template <class T> struct KernelTable {
  explicit KernelTable(const Polynomial& polynomial);

  static constexpr int row_pieces = 16;  // the largest width; zero past w
  static constexpr int max_pairs = 8;

  int width, degree, half;  // half: terms of the even and of the odd part
  Buffer<T> rows;           // [degree + 1][row_pieces]
  Buffer<T> even, odd;      // [half][max_pairs]
};

}  // namespace offgrid::cpu
