// What a Gram operator (gram.hpp) asks of a device where it is a convolution: FFTs of padded modes, and a product with the
// spectrum between them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/types.hpp"

namespace offgrid {

// The spectrum of a convolution is real where its kernel has t[-k] = conj(t[k]).
enum class Spectrum { real, complex };

// One per operator, made from a design without points and window: sizes, grid, order of modes, batch (gram_design.hpp).
//   h[k] = sum over k' of t[k - k'] f[k'],  by  h = crop IFFT( FFT(pad t) FFT(pad f) )  on a grid of n >= 2N - 1 cells
template <class T> class Convolution {
 public:
  using Complex = std::complex<T>;
  virtual ~Convolution() = default;

  // kernel: t[k] for |k| < N, [2 N3 - 1][2 N2 - 1][2 N1 - 1] from the lowest k up, read on the stream.
  virtual void set_kernel(const Complex* kernel, Spectrum spectrum, Stream stream) = 0;
  // f, h: [transforms][N3][N2][N1]; they may be one array. Calls may run at the same time.
  virtual void apply(const Complex* f, Complex* h, Stream stream) const = 0;

  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;  // of one call
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
  [[nodiscard]] virtual std::size_t peak_bytes() const = 0;
};

}  // namespace offgrid
