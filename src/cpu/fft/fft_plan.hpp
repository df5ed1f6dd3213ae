// The plan of an FFT of n points: n = r_1 r_2 .. r_P, one Stockham pass per radix, and the twiddle factors of each
// pass. Pass i turns sub-transforms of length r_i * groups into r_i times as many of length groups, with neighbours
// `stride` apart, where stride = r_1 .. r_{i-1} and groups = n / (stride * r_i):
//   y[q + stride (r p + k)] = w^(p k) sum_j x[q + stride (p + groups j)] exp(-2 pi i j k / r)
//   with w = exp(-2 pi i / (r groups))
// The other sign is the same sum with k counted backwards and w conjugated, so it costs a table and no code.
// fft_pass runs a plan; fft and fft_long decide which plans to run.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "cpu/memory/memory_count.hpp"

namespace offgrid::cpu {

// exp(2 pi i j / n) for 0 <= j < n: the product of two short tables in extended precision.
class Roots {
 public:
  explicit Roots(std::int64_t n);
  [[nodiscard]] std::complex<long double> operator()(std::int64_t j) const;

 private:
  std::int64_t step_;
  std::vector<std::complex<long double>> coarse_, fine_;  // j = coarse * step + fine
};

struct RadixPass {
  int radix;
  std::int64_t groups, stride;
  std::size_t twiddles;  // index of this pass's table, [group][radix - 1]
};

template <class T> class FftPlan {
 public:
  explicit FftPlan(std::int64_t n);  // n = 2^a 3^b 5^c 7^d

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t table_bytes() const { return capacity_bytes(minus_) + capacity_bytes(plus_); }
  [[nodiscard]] const std::vector<RadixPass>& passes() const { return passes_; }  // never fewer than two
  [[nodiscard]] const std::complex<T>* twiddles(const RadixPass& pass, Sign sign) const {
    return (sign == Sign::minus ? minus_ : plus_).data() + pass.twiddles;
  }

 private:
  void add_pass(int radix, std::int64_t stride, const Roots& roots);

  std::int64_t size_;
  std::vector<RadixPass> passes_;
  std::vector<std::complex<T>> minus_, plus_;
};

}  // namespace offgrid::cpu
