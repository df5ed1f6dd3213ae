#include "mtip/cuda/device.hpp"

#include <cufft.h>
#include <dlfcn.h>

#include <array>
#include <stdexcept>

#include "text.hpp"

namespace cli::mtip {
namespace {

struct Cufft {
  decltype(&cufftPlanMany) plan_many;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftExecR2C) forward;
  decltype(&cufftExecC2R) backward;
};

template <class Function> void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("cuFFT has no function ") + name);
}

Cufft load_cufft() {
  const std::string name = format("libcufft.so.%d", CUFFT_VER_MAJOR);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen((OFFGRID_CUDA_LIBRARIES "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw std::runtime_error(name + " is not found; it comes with the CUDA toolkit. Take --device cpu without it");
  Cufft all{};
  find(library, "cufftPlanMany", all.plan_many);
  find(library, "cufftDestroy", all.destroy);
  find(library, "cufftSetStream", all.set_stream);
  find(library, "cufftExecR2C", all.forward);
  find(library, "cufftExecC2R", all.backward);
  return all;
}

const Cufft& cufft() {
  static const Cufft loaded = load_cufft();
  return loaded;
}

void check_fft(cufftResult result) {
  if (result != CUFFT_SUCCESS) throw std::runtime_error(format("cuFFT failed with code %d", static_cast<int>(result)));
}

cufftHandle make_plan(int size, int batch, cufftType type, cudaStream_t stream) {
  std::array<int, 3> sizes{size, size, size};
  cufftHandle plan = 0;
  check_fft(cufft().plan_many(&plan, 3, sizes.data(), nullptr, 1, 0, nullptr, 1, 0, type, batch));
  check_fft(cufft().set_stream(plan, stream));
  return plan;
}

}  // namespace

void check(cudaError_t result, const char* what) {
  if (result != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(result));
}

// A stream that waits for the legacy default stream and is waited for by it: plain copies, which use that stream and may return
// before they are done, are in order with the kernels of this one.
DeviceStream::DeviceStream() { check(cudaStreamCreate(&stream_), "GPU stream"); }
DeviceStream::~DeviceStream() { (void)cudaStreamDestroy(stream_); }
void DeviceStream::wait() const { check(cudaStreamSynchronize(stream_), "waiting for the GPU"); }

DeviceMemory::~DeviceMemory() { (void)cudaFree(memory_); }

void* DeviceMemory::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return memory_;
  check(cudaFree(std::exchange(memory_, nullptr)), "GPU memory");  // waits for work that uses it
  bytes_ = 0;
  check(cudaMalloc(&memory_, bytes), "GPU memory");
  bytes_ = bytes;
  return memory_;
}

DeviceFft::DeviceFft(int size, int batch, cudaStream_t stream)
    : size_(size),
      forward_(make_plan(size, batch, CUFFT_R2C, stream)),
      backward_(make_plan(size, batch, CUFFT_C2R, stream)) {}

DeviceFft::~DeviceFft() {
  (void)cufft().destroy(forward_);
  (void)cufft().destroy(backward_);
}

std::size_t DeviceFft::space_size() const {
  const auto n = static_cast<std::size_t>(size_);
  return n * n * n;
}
std::size_t DeviceFft::spectrum_size() const {
  const auto n = static_cast<std::size_t>(size_);
  return n * n * (n / 2 + 1);
}
void DeviceFft::forward(float* space, float2* spectrum) const {
  check_fft(cufft().forward(forward_, space, reinterpret_cast<cufftComplex*>(spectrum)));
}
void DeviceFft::backward(float2* spectrum, float* space) const {
  check_fft(cufft().backward(backward_, reinterpret_cast<cufftComplex*>(spectrum), space));
}

}  // namespace cli::mtip
