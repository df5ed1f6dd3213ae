#include "mpi/cuda/batched_fft.hpp"

#include <algorithm>

#include "mpi/cuda/check.hpp"

namespace offgrid::mpi::inside {
namespace {

// Cells of a batch: at least one transform, and with more of them at most 256 MiB in f32. That is enough to fill a GPU.
constexpr std::int64_t most_cells = std::int64_t{1} << 25;

void check_fft(cufftResult result) {
  if (result == CUFFT_SUCCESS) return;
  (void)cudaGetLastError();  // the next call starts clean
  throw Error(result == CUFFT_ALLOC_FAILED ? OFFGRID_OUT_OF_MEMORY : OFFGRID_DEVICE_ERROR,
              text("FFT: cuFFT error ", static_cast<int>(result)));
}

}  // namespace

BatchedFft::Plan::Plan(FftLayout layout, std::int64_t batch, cufftType type) {
  check_fft(cuda::cufft().create(&handle));
  made = true;
  try {
    long long* sizes = layout.sizes.data();
    check_fft(cuda::cufft().set_auto_allocation(handle, 0));
    check_fft(cuda::cufft().make_plan_many(handle, static_cast<int>(layout.sizes.size()), sizes, sizes, layout.stride,
                                           layout.distance, sizes, layout.stride, layout.distance, type, batch,
                                           &work_bytes));
  } catch (...) {
    (void)cuda::cufft().destroy(handle);
    throw;
  }
}

BatchedFft::Plan::~Plan() {
  if (made) (void)cuda::cufft().destroy(handle);
}

BatchedFft::BatchedFft(const FftLayout& layout, cufftType type) : count_(layout.count), distance_(layout.distance) {
  if (count_ == 0) return;
  std::int64_t cells = 1;
  for (const long long size : layout.sizes) cells *= size;
  batch_ = std::clamp<std::int64_t>(most_cells / cells, 1, count_);
  whole_ = Plan(layout, batch_, type);
  if (count_ % batch_ > 0) rest_ = Plan(layout, count_ % batch_, type);
}

void BatchedFft::set_work_area(void* memory) const {
  for (const Plan* plan : {&whole_, &rest_})
    if (plan->made) check_fft(cuda::cufft().set_work_area(plan->handle, memory));
}

template <class F> void BatchedFft::for_batches(F&& run) const {
  for (std::int64_t first = 0; first < count_; first += batch_)
    check_fft(run(first + batch_ <= count_ ? whole_.handle : rest_.handle, first * distance_));
}

void BatchedFft::run(std::complex<float>* data, int sign) const {
  for_batches([&](cufftHandle handle, std::int64_t offset) {
    auto* at = reinterpret_cast<cufftComplex*>(data + offset);
    return cuda::cufft().exec_c2c(handle, at, at, sign);
  });
}

void BatchedFft::run(std::complex<double>* data, int sign) const {
  for_batches([&](cufftHandle handle, std::int64_t offset) {
    auto* at = reinterpret_cast<cufftDoubleComplex*>(data + offset);
    return cuda::cufft().exec_z2z(handle, at, at, sign);
  });
}

}  // namespace offgrid::mpi::inside
