// A real FFT of a cube in single precision, by FFTW. Without normalisation: backward(forward(a)) is size^3 times a.
//   space: [size, size, size],  spectrum: [size, size, size/2 + 1], k along x from 0 up and the other axes in FFT order.
// One plan per axis: FFTW's own plans of three axes allocate buffers in each execution, which takes a fifth of the time at
// 33^3. Plans are FFTW's estimates: a measured plan may differ from run to run, and with it the rounding errors.
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
  void *rows_forward_, *rows_backward_, *y_forward_, *y_backward_, *z_forward_, *z_backward_;
};

// The smallest size from `least` on that has no prime factor above 11.
int good_fft_size(int least);

// k in [-size/2, size/2] of an index in FFT order.
inline int frequency(int index, int size) { return index <= (size - 1) / 2 ? index : index - size; }

// Copies between the block, which has its origin at the centre, and the grid in FFT order.
template <class Copy> void for_block(int block, int size, const Copy& copy) {
  const int half = block / 2;
  std::size_t i = 0;
  for (int z = -half; z <= half; ++z)
    for (int y = -half; y <= half; ++y)
      for (int x = -half; x <= half; ++x, ++i)
        copy(i, static_cast<std::size_t>((((z + size) % size) * size + (y + size) % size) * size + (x + size) % size));
}

}  // namespace cli::mtip
