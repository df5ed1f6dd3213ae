#include "cufinufft/gpu.hpp"

#include <utility>

#ifdef OFFGRID_HAS_CUDA

#include <cuda_runtime_api.h>

#include "cufinufft/turn.hpp"

namespace compat {
namespace {

void check_cuda(const char* what, cudaError_t status) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // the caller's next check must not find it
  throw Refused{FINUFFT_ERR_CUDA_FAILURE, std::string(what) + ": " + cudaGetErrorString(status)};
}

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

}  // namespace

GpuGuard::GpuGuard(int id) {
  int now = 0;
  check_cuda("current GPU", cudaGetDevice(&now));
  if (now == id) return;
  check_cuda("gpu_device_id", cudaSetDevice(id));
  before_ = now;
}

GpuGuard::~GpuGuard() {
  if (before_ >= 0) (void)cudaSetDevice(before_);
}

std::size_t shared_bytes_of(int id) {
  int bytes = 0;
  check_cuda("shared memory", cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, id));
  return static_cast<std::size_t>(bytes);
}

void wait_for(void* stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda("gpu_stream", cudaStreamIsCapturing(stream_of(stream), &status));
  if (status == cudaStreamCaptureStatusNone) check_cuda("waiting for points", cudaStreamSynchronize(stream_of(stream)));
}

TurnedAxis::TurnedAxis(const void* axis, std::int64_t count, offgrid_precision precision, void* stream)
    : stream_(stream) {
  if (count == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(count) * (precision == OFFGRID_F32 ? 4 : 8);
  check_cuda("memory for points", cudaMallocAsync(&memory_, bytes, stream_of(stream)));
  const cudaError_t launched =
      precision == OFFGRID_F32
          ? turn(static_cast<const float*>(axis), static_cast<float*>(memory_), count, stream_of(stream))
          : turn(static_cast<const double*>(axis), static_cast<double*>(memory_), count, stream_of(stream));
  if (launched == cudaSuccess) return;
  (void)cudaFreeAsync(memory_, stream_of(stream));
  check_cuda("points of spreadinterponly", launched);
}

TurnedAxis::~TurnedAxis() {
  if (memory_ != nullptr) (void)cudaFreeAsync(memory_, stream_of(stream_));
}

}  // namespace compat

#else

namespace compat {
namespace {

[[noreturn]] void refuse() {
  throw Refused{FINUFFT_ERR_CUDA_FAILURE, "this offgrid was built without its CUDA engine"};
}

}  // namespace

GpuGuard::GpuGuard(int) { refuse(); }
GpuGuard::~GpuGuard() = default;
std::size_t shared_bytes_of(int) { refuse(); }
void wait_for(void*) { refuse(); }
TurnedAxis::TurnedAxis(const void*, std::int64_t, offgrid_precision, void*) { refuse(); }
TurnedAxis::~TurnedAxis() = default;

}  // namespace compat

#endif

namespace compat {

TurnedAxis::TurnedAxis(TurnedAxis&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), stream_(other.stream_) {}

TurnedAxis& TurnedAxis::operator=(TurnedAxis&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(stream_, other.stream_);
  return *this;
}

}  // namespace compat
