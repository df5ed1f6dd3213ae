// A real FFT of a cube in single precision, by FFTW. Without normalisation: backward(forward(a)) is size^3 times a.
//   space: [size, size, size],  spectrum: [size, size, size/2 + 1], k along x from 0 up and the other axes in FFT order.
// Plans are FFTW's estimates: a measured plan may differ from run to run, and with it the rounding errors.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

namespace cli::mtip {

// Arrays that FFTW finds well aligned.
template <class T> class FftArray {
 public:
  FftArray() = default;
  explicit FftArray(std::size_t size);
  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }

 private:
  struct Free {
    void operator()(T* memory) const;
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

class RealFft {
 public:
  explicit RealFft(int size);
  ~RealFft();
  RealFft(const RealFft&) = delete;
  RealFft& operator=(const RealFft&) = delete;

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] std::size_t space_size() const;
  [[nodiscard]] std::size_t spectrum_size() const;

  // Several threads may use one object at the same time, with arrays of their own.
  void forward(FftArray<float>& space, FftArray<std::complex<float>>& spectrum) const;
  void backward(FftArray<std::complex<float>>& spectrum, FftArray<float>& space) const;  // overwrites the spectrum

 private:
  int size_;
  void *forward_, *backward_;
};

// The smallest size from `least` on that has no prime factor above 11.
int good_fft_size(int least);

// k in [-size/2, size/2] of an index in FFT order.
inline int frequency(int index, int size) { return index <= (size - 1) / 2 ? index : index - size; }

}  // namespace cli::mtip
