// Times the CUDA engine's FFT by lines, with crop or padding and deconvolution to 0.7 modes a cell along each axis, against
// cuFFT's of the whole grid alone. Prints medians in microseconds, and what 10^6 values of a pass take.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/fft/fft.hpp"
#include "cuda/fft/stockham_plan.hpp"

namespace {

using namespace offgrid;

double median_us(const std::function<void()>& run) {
  cudaEvent_t begin, end;
  cuda::call("event", [&] { return cudaEventCreate(&begin); });
  cuda::call("event", [&] { return cudaEventCreate(&end); });
  std::vector<float> times(11);
  for (float& ms : times) {
    run();
    cuda::call("event", [&] { return cudaEventRecord(begin); });
    run();
    cuda::call("event", [&] { return cudaEventRecord(end); });
    cuda::call("waiting for the device", [&] { return cudaEventSynchronize(end); });
    cuda::call("time", [&] { return cudaEventElapsedTime(&ms, begin, end); });
  }
  (void)cudaEventDestroy(begin), (void)cudaEventDestroy(end);
  std::nth_element(times.begin(), times.begin() + 5, times.end());
  return 1e3 * static_cast<double>(times[5]);
}

template <class T> double cufft_us(int dim, int n, const cuda::DeviceBuffer<std::complex<T>>& cells) {
  cuda::MemoryCount memory;
  cuda::FftPlan plan;
  const std::size_t bytes = plan.make({dim, {n, n, n}, 1, cells.size(), 1}, sizeof(T) == 4 ? CUFFT_C2C : CUFFT_Z2Z);
  const cuda::DeviceBuffer<std::byte> work(static_cast<std::int64_t>(bytes), memory);
  plan.set_work_area(work.data());
  return median_us([&] { plan.run(cells.data(), Sign::minus, nullptr); });
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
  cuda::MemoryCount memory;
  auto table = cuda::twiddles_of<T>(n);
  const std::size_t factors = table.size();
  table.resize(factors + static_cast<std::size_t>(modes), T(1));
  const cuda::DeviceBuffer<T> tables(static_cast<std::int64_t>(table.size()), memory);
  cuda::call("tables", [&] { return cudaMemcpy(tables.data(), table.data(), tables.bytes(), cudaMemcpyHostToDevice); });
  cuda::Deconvolution<T> all{};
  for (int axis = 0; axis < dim; ++axis) all.twiddles[axis] = tables.data(), all.axis[axis] = tables.data() + factors;
  cuda::GridFft<T> fft(design, shape, cuda::current_device().multiprocessors);
  const cuda::DeviceBuffer<std::complex<T>> cells(static_cast<std::int64_t>(shape.cells), memory),
      kept(design.uniform_count(), memory);
  cuda::call("clearing", [&] { return cudaMemset(cells.data(), 0, cells.bytes()); });
  const double to_modes =
      median_us([&] { fft.grid_to_modes(cells.data(), kept.data(), 1, Sign::minus, all, nullptr); });
  const double to_grid = median_us([&] { fft.modes_to_grid(kept.data(), cells.data(), 1, Sign::minus, all, nullptr); });
  const double whole = cufft_us<T>(dim, n, cells);
  double values = 0;
  for (int axis = 0; axis < dim; ++axis) values += std::pow(n, dim - axis) * std::pow(modes, axis);
  std::printf("%dD f%zu  n %4d  crop %8.1f  pad %8.1f  cuFFT %8.1f  a million values %5.2f %5.2f\n", dim, 8 * sizeof(T),
              n, to_modes, to_grid, whole, 1e6 * to_modes / values, 1e6 * to_grid / values);
}

}  // namespace

int main() {
  for (const int dim : {2, 3})
    for (const int n : cuda::line_sizes)
      if (n >= (dim == 2 ? 200 : 50) && n <= (dim == 2 ? cuda::longest_line : 512))
        compare<float>(dim, n), compare<double>(dim, n);
}
