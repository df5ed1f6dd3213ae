#include "mtip/fft.hpp"

#include <fftw3.h>

#include <algorithm>
#include <mutex>
#include <new>

namespace cli::mtip {
namespace {

// FFTW's planner has global state.
std::mutex& planner() {
  static std::mutex lock;
  return lock;
}

fftwf_complex* raw(FftArray<std::complex<float>>& array) { return reinterpret_cast<fftwf_complex*>(array.data()); }

}  // namespace

template <class T>
FftArray<T>::FftArray(std::size_t size) : data_(static_cast<T*>(fftwf_malloc(size * sizeof(T)))), size_(size) {
  if (!data_ && size != 0) throw std::bad_alloc();
  std::fill_n(data_.get(), size, T{});
}

template <class T> void FftArray<T>::Free::operator()(T* memory) const { fftwf_free(memory); }

template class FftArray<float>;
template class FftArray<std::complex<float>>;

RealFft::RealFft(int size) : size_(size) {
  FftArray<float> space(space_size());
  FftArray<std::complex<float>> spectrum(spectrum_size());
  const std::lock_guard guard(planner());
  forward_ = fftwf_plan_dft_r2c_3d(size, size, size, space.data(), raw(spectrum), FFTW_ESTIMATE);
  backward_ = fftwf_plan_dft_c2r_3d(size, size, size, raw(spectrum), space.data(), FFTW_ESTIMATE);
}

RealFft::~RealFft() {
  const std::lock_guard guard(planner());
  fftwf_destroy_plan(static_cast<fftwf_plan>(forward_));
  fftwf_destroy_plan(static_cast<fftwf_plan>(backward_));
}

std::size_t RealFft::space_size() const {
  const auto n = static_cast<std::size_t>(size_);
  return n * n * n;
}

std::size_t RealFft::spectrum_size() const {
  const auto n = static_cast<std::size_t>(size_);
  return n * n * (n / 2 + 1);
}

void RealFft::forward(FftArray<float>& space, FftArray<std::complex<float>>& spectrum) const {
  fftwf_execute_dft_r2c(static_cast<fftwf_plan>(forward_), space.data(), raw(spectrum));
}

void RealFft::backward(FftArray<std::complex<float>>& spectrum, FftArray<float>& space) const {
  fftwf_execute_dft_c2r(static_cast<fftwf_plan>(backward_), raw(spectrum), space.data());
}

int good_fft_size(int least) {
  for (int size = least;; ++size) {
    int rest = size;
    for (const int prime : {2, 3, 5, 7, 11})
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) return size;
  }
}

}  // namespace cli::mtip
