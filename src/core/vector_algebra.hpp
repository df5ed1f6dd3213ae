// What the solvers (inverse.hpp, density.hpp) ask of a device, beside plans, Gram operators and Pointwise: sums over vectors,
// and updates of vectors by such sums. The sums lie where the device is, and a solver reads one back only where it has to
// decide by it. One solver uses an algebra at a time, on one stream.
#pragma once

#include <complex>
#include <cstdint>

#include "core/types.hpp"

namespace offgrid {

// Places for sums.
inline constexpr int most_sums = 4;

// constant, or constant sums[over] / sums[under]; that is 0 where sums[under] is 0.
struct Factor {
  double constant = 1;
  int over = -1, under = -1;  // -1: no sums
};

// to[i] = own to[i] + by from[i]
template <class T> struct Combination {
  Factor own{};
  std::complex<T>* to = nullptr;
  Factor by{};
  const std::complex<T>* from = nullptr;
  std::int64_t count = 0;
};

// to[i] = sum over v of conj(by[v][i]) from[v][i]
template <class T> struct SumOfProducts {
  const std::complex<T>*by = nullptr, *from = nullptr;
  std::complex<T>* to = nullptr;
  std::int64_t count = 0, vectors = 1;
};

// w[j] <- scale w[j] / |found[j]|; without `found`, w[j] <- scale. With it, sums[change] becomes the sum over j of the squared
// changes, and sums[square] that of the squared new weights.
template <class T> struct Renewal {
  T* weights = nullptr;
  const std::complex<T>* found = nullptr;
  std::int64_t count = 0;
  double scale = 1;
  int change = 0, square = 1;
};

// Sums are of doubles in a fixed order, so that a device repeats its results.
template <class T> class VectorAlgebra {
 public:
  using Complex = std::complex<T>;
  virtual ~VectorAlgebra() = default;

  // sums[place] = the real part of the sum of conj(a[i]) b[i]
  virtual void inner(const Complex* a, const Complex* b, std::int64_t count, int place, Stream stream) = 0;
  virtual void combine(const Combination<T>& combination, Stream stream) = 0;
  virtual void sum_products(const SumOfProducts<T>& sum, Stream stream) = 0;
  virtual void renew(const Renewal<T>& renewal, Stream stream) = 0;
  // sums[place], once all that was enqueued before it is done.
  virtual double read(int place, Stream stream) = 0;
};

}  // namespace offgrid
