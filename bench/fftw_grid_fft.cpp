// Times the library's FFT against FFTW's (FFTW_MEASURE, one thread): pruned to half the modes an axis, as a transform
// of sigma = 2 uses it, and whole. Prints medians of interleaved runs in milliseconds.
#include <fftw3.h>
#include <time.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <functional>
#include <type_traits>
#include <vector>

#include "cpu/fft/fft.hpp"
#include "cpu/memory/memory.hpp"

namespace {

using offgrid::ModeOrder;
using offgrid::Sign;
using offgrid::Sizes;
using offgrid::cpu::Buffer;
using offgrid::cpu::GridFft;
using offgrid::cpu::GridLayout;

template <class T> class Fftw;  // in place, all axes, no padding
template <> class Fftw<double> {
 public:
  Fftw(int dim, const Sizes& n, std::complex<double>* data) {
    const int sizes[] = {static_cast<int>(n[2]), static_cast<int>(n[1]), static_cast<int>(n[0])};
    auto* x = reinterpret_cast<fftw_complex*>(data);
    plan_ = fftw_plan_dft(dim, sizes + 3 - dim, x, x, FFTW_FORWARD, FFTW_MEASURE);
  }
  void run() const { fftw_execute(plan_); }

 private:
  fftw_plan plan_;
};
template <> class Fftw<float> {
 public:
  Fftw(int dim, const Sizes& n, std::complex<float>* data) {
    const int sizes[] = {static_cast<int>(n[2]), static_cast<int>(n[1]), static_cast<int>(n[0])};
    auto* x = reinterpret_cast<fftwf_complex*>(data);
    plan_ = fftwf_plan_dft(dim, sizes + 3 - dim, x, x, FFTW_FORWARD, FFTW_MEASURE);
  }
  void run() const { fftwf_execute(plan_); }

 private:
  fftwf_plan plan_;
};

template <class T> class Ours {
 public:
  Ours(int dim, const Sizes& grid, const Sizes& modes)
      : fft_(layout(dim, grid, modes), 1), scratch_(fft_.scratch_elements()), modes_(modes[0] * modes[1] * modes[2]) {
    std::fill_n(modes_.data(), modes_.size(), std::complex<T>(1, 1));
  }
  void grid_to_modes(std::complex<T>* grid) {
    fft_.grid_to_modes(grid, modes_.data(), Sign::minus, fft_.workers(scratch_.data()));
  }
  void modes_to_grid(std::complex<T>* grid) {
    fft_.modes_to_grid(modes_.data(), grid, Sign::minus, fft_.workers(scratch_.data()));
  }

  // Rows and planes padded as the engine pads them.
  static GridLayout layout(int dim, const Sizes& grid, const Sizes& modes) {
    constexpr std::int64_t line = 64 / sizeof(std::complex<T>);
    const std::int64_t row = (((grid[0] + 16 + line - 1) / line) | 1) * line;
    return {dim, modes, grid, row, row * (grid[1] + 7), ModeOrder::centred, {}};
  }

 private:
  GridFft<T> fft_;
  Buffer<T> scratch_;
  Buffer<std::complex<T>> modes_;
};

// Processor time, because other programs may be running.
double milliseconds(const std::function<void()>& f) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  f();
  return now() - start;
}

std::vector<double> medians(const std::vector<std::function<void()>>& candidates) {
  constexpr int repeats = 15;
  std::vector<std::vector<double>> times(candidates.size());
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (std::size_t i = 0; i < candidates.size(); ++i) times[i].push_back(milliseconds(candidates[i]));
  std::vector<double> result;
  for (auto& t : times) {
    std::nth_element(t.begin(), t.begin() + repeats / 2, t.end());
    result.push_back(t[repeats / 2]);
  }
  return result;
}

template <class T> void compare(int dim, const Sizes& n) {
  Sizes half = n;
  for (int axis = 0; axis < dim; ++axis) half[axis] = n[axis] / 2;
  const GridLayout layout = Ours<T>::layout(dim, n, n);
  const Buffer<std::complex<T>> dense(n[0] * n[1] * n[2]), padded(layout.plane_stride * n[2]);
  const Fftw<T> fftw(dim, n, dense.data());
  std::fill_n(dense.data(), dense.size(), std::complex<T>());
  std::fill_n(padded.data(), padded.size(), std::complex<T>());
  Ours<T> pruned(dim, n, half), whole(dim, n, n);
  const auto ms = medians({[&] { fftw.run(); }, [&] { pruned.grid_to_modes(padded.data()); },
                           [&] { pruned.modes_to_grid(padded.data()); }, [&] { whole.grid_to_modes(padded.data()); },
                           [&] { whole.modes_to_grid(padded.data()); }});
  std::printf(
      "%s %7lld x %4lld x %3lld  fftw %8.3f  pruned %8.3f %8.3f  whole %8.3f %8.3f  fftw/pruned %5.2f %5.2f"
      "  fftw/whole %5.2f %5.2f\n",
      sizeof(T) == 4 ? "f32" : "f64", static_cast<long long>(n[0]), static_cast<long long>(n[1]),
      static_cast<long long>(n[2]), ms[0], ms[1], ms[2], ms[3], ms[4], ms[0] / ms[1], ms[0] / ms[2], ms[0] / ms[3],
      ms[0] / ms[4]);
}

template <class T> void compare_all() {
  for (const std::int64_t n : {96, 128, 160}) compare<T>(3, {n, n, n});
  for (const std::int64_t n : {750, 1000}) compare<T>(2, {n, n, 1});
  for (const std::int64_t n : {125000, 200000, 2000000}) compare<T>(1, {n, 1, 1});
}

}  // namespace

int main() {
  std::puts("milliseconds; two numbers are grid_to_modes and modes_to_grid");
  compare_all<float>();
  compare_all<double>();
}
