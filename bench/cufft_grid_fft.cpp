// Times the CUDA engine's FFT by lines, with crop or padding and deconvolution to 0.7 modes a cell along each axis, against
// cuFFT's of the whole grid alone. Prints medians in microseconds, and what 10^6 values of a pass take.
#include <cuda_runtime_api.h>
#include <cufft.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <vector>

#include "cuda/fft.hpp"
#include "cuda/line_plan.hpp"

namespace {

using namespace offgrid;

void check(bool ok) {
  if (ok) return;
  std::fputs("CUDA failed\n", stderr);
  std::exit(1);
}

template <class T> class Array {
 public:
  explicit Array(std::size_t size) {
    check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)) == cudaSuccess);
  }
  explicit Array(const std::vector<T>& from) : Array(from.size()) {
    check(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { (void)cudaFree(data_); }
  T* data() { return data_; }

 private:
  T* data_ = nullptr;
};

double median_us(const std::function<void()>& run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess);
  std::vector<float> times(11);
  for (float& ms : times) {
    run();
    check(cudaEventRecord(begin) == cudaSuccess);
    run();
    check(cudaEventRecord(end) == cudaSuccess && cudaEventSynchronize(end) == cudaSuccess);
    check(cudaEventElapsedTime(&ms, begin, end) == cudaSuccess);
  }
  (void)cudaEventDestroy(begin), (void)cudaEventDestroy(end);
  std::nth_element(times.begin(), times.begin() + 5, times.end());
  return 1e3 * static_cast<double>(times[5]);
}

template <class T> double cufft_us(int dim, int n, std::complex<T>* cells) {
  int sizes[] = {n, n, n};
  cufftHandle plan = 0;
  check(cufftPlanMany(&plan, dim, sizes, nullptr, 1, 0, nullptr, 1, 0, sizeof(T) == 4 ? CUFFT_C2C : CUFFT_Z2Z, 1) ==
        CUFFT_SUCCESS);
  const double us = median_us([&] {
    if constexpr (sizeof(T) == 4) {
      auto* data = reinterpret_cast<cufftComplex*>(cells);
      check(cufftExecC2C(plan, data, data, CUFFT_FORWARD) == CUFFT_SUCCESS);
    } else {
      auto* data = reinterpret_cast<cufftDoubleComplex*>(cells);
      check(cufftExecZ2Z(plan, data, data, CUFFT_FORWARD) == CUFFT_SUCCESS);
    }
  });
  (void)cufftDestroy(plan);
  return us;
}

template <class T> void compare(int dim, int n) {
  const int modes = std::max(1, n * 7 / 10);
  Design design;
  design.problem.dim = dim;
  cuda::GridShape shape{{1, 1, 1}, 1};
  for (int axis = 0; axis < dim; ++axis) {
    design.problem.modes[axis] = modes, design.grid[axis] = n;
    shape.n[axis] = static_cast<std::uint32_t>(n), shape.cells *= shape.n[axis];
  }
  std::vector<T> table;
  cuda::for_turns(cuda::line_plan(n, sizeof(T)), [&](int part, int whole) {
    const double angle = 2 * std::numbers::pi * part / whole;
    table.push_back(static_cast<T>(std::cos(angle))), table.push_back(static_cast<T>(std::sin(angle)));
  });
  Array<T> turns(table), factors(std::vector<T>(static_cast<std::size_t>(modes), T(1)));
  const cuda::Deconvolution<T> all{{factors.data(), factors.data(), factors.data()},
                                   {turns.data(), turns.data(), turns.data()}};
  cuda::GridFft<T> fft(design, shape, cuda::current_device());
  Array<std::complex<T>> cells(shape.cells), kept(static_cast<std::size_t>(design.mode_count()));
  check(cudaMemset(cells.data(), 0, shape.cells * sizeof(std::complex<T>)) == cudaSuccess);
  const double to_modes =
      median_us([&] { fft.grid_to_modes(cells.data(), kept.data(), 1, Sign::minus, all, nullptr); });
  const double to_grid = median_us([&] { fft.modes_to_grid(kept.data(), cells.data(), 1, Sign::minus, all, nullptr); });
  const double whole = cufft_us(dim, n, cells.data());
  double values = 0;
  for (int axis = 0; axis < dim; ++axis) values += std::pow(n, dim - axis) * std::pow(modes, axis);
  std::printf("%dD f%zu  n %4d  crop %8.1f  pad %8.1f  cuFFT %8.1f  a million values %5.2f %5.2f\n", dim, 8 * sizeof(T),
              n, to_modes, to_grid, whole, 1e6 * to_modes / values, 1e6 * to_grid / values);
}

}  // namespace

int main() {
  for (const int dim : {2, 3})
    for (const int n : cuda::line_sizes)
      if (n >= (dim == 2 ? 200 : 50) && n <= (dim == 2 ? 2048 : 512)) compare<float>(dim, n), compare<double>(dim, n);
}
