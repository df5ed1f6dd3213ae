#include "mtip/fft.hpp"

#include <fftw3.h>

#include <algorithm>
#include <array>
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
  const int half = size / 2 + 1, plane = size * half;
  const fftwf_iodim along_y{size, half, half}, along_z{size, plane, plane}, each_x{half, 1, 1};
  const std::array<fftwf_iodim, 2> each_zx{along_z, each_x};
  const fftwf_iodim each_yx{plane, 1, 1};
  const std::lock_guard guard(planner());
  rows_forward_ = fftwf_plan_many_dft_r2c(1, &size, size * size, space.data(), nullptr, 1, size, raw(spectrum), nullptr,
                                          1, half, FFTW_ESTIMATE);
  rows_backward_ = fftwf_plan_many_dft_c2r(1, &size, size * size, raw(spectrum), nullptr, 1, half, space.data(),
                                           nullptr, 1, size, FFTW_ESTIMATE);
  const auto in_place = [&](const fftwf_iodim& axis, std::span<const fftwf_iodim> others, int sign) {
    return fftwf_plan_guru_dft(1, &axis, static_cast<int>(others.size()), others.data(), raw(spectrum), raw(spectrum),
                               sign, FFTW_ESTIMATE);
  };
  y_forward_ = in_place(along_y, each_zx, FFTW_FORWARD);
  y_backward_ = in_place(along_y, each_zx, FFTW_BACKWARD);
  z_forward_ = in_place(along_z, {&each_yx, 1}, FFTW_FORWARD);
  z_backward_ = in_place(along_z, {&each_yx, 1}, FFTW_BACKWARD);
}

RealFft::~RealFft() {
  const std::lock_guard guard(planner());
  for (void* plan : {rows_forward_, rows_backward_, y_forward_, y_backward_, z_forward_, z_backward_})
    fftwf_destroy_plan(static_cast<fftwf_plan>(plan));
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
  fftwf_execute_dft_r2c(static_cast<fftwf_plan>(rows_forward_), space.data(), raw(spectrum));
  fftwf_execute_dft(static_cast<fftwf_plan>(y_forward_), raw(spectrum), raw(spectrum));
  fftwf_execute_dft(static_cast<fftwf_plan>(z_forward_), raw(spectrum), raw(spectrum));
}

void RealFft::backward(FftArray<std::complex<float>>& spectrum, FftArray<float>& space) const {
  fftwf_execute_dft(static_cast<fftwf_plan>(z_backward_), raw(spectrum), raw(spectrum));
  fftwf_execute_dft(static_cast<fftwf_plan>(y_backward_), raw(spectrum), raw(spectrum));
  fftwf_execute_dft_c2r(static_cast<fftwf_plan>(rows_backward_), raw(spectrum), space.data());
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
