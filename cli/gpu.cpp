#include "gpu.hpp"

#include <stdexcept>

#ifdef OFFGRID_HAS_CUDA
#include <cuda_runtime_api.h>

#include "offgrid/offgrid.hpp"
#endif

namespace cli::gpu {

#ifdef OFFGRID_HAS_CUDA
namespace {

void check(cudaError_t result, const char* what) {
  if (result != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(result));
}

}  // namespace

// The library knows best: a GPU that it has no code for does not count.
bool available() {
  static const bool found = [] {
    try {
      const offgrid::Plan<float> plan({.type = 1, .modes = {1}, .tolerance = 1e-2, .options = {{"device", "cuda"}}});
      return true;
    } catch (const offgrid::Error& error) {
      return error.status() != OFFGRID_DEVICE_ERROR;
    }
  }();
  return found;
}

std::shared_ptr<void> allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes > 0 ? bytes : 1), "GPU memory");
  return {memory, [](void* old) { (void)cudaFree(old); }};
}

void copy_to(void* device, const void* host, std::size_t bytes) {
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy to the GPU");
}
void copy_from(void* host, const void* device, std::size_t bytes) {
  synchronise();
  check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copy from the GPU");
}
void synchronise() { check(cudaDeviceSynchronize(), "waiting for the GPU"); }

Timer::Timer() {
  check(cudaEventCreate(reinterpret_cast<cudaEvent_t*>(&start_)), "GPU clock");
  check(cudaEventCreate(reinterpret_cast<cudaEvent_t*>(&stop_)), "GPU clock");
}
Timer::~Timer() {
  (void)cudaEventDestroy(static_cast<cudaEvent_t>(start_));
  (void)cudaEventDestroy(static_cast<cudaEvent_t>(stop_));
}
void Timer::start() {
  synchronise();
  check(cudaEventRecord(static_cast<cudaEvent_t>(start_), nullptr), "GPU clock");
}
double Timer::stop() {
  float milliseconds = 0;
  check(cudaEventRecord(static_cast<cudaEvent_t>(stop_), nullptr), "GPU clock");
  check(cudaEventSynchronize(static_cast<cudaEvent_t>(stop_)), "GPU clock");
  check(cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(start_), static_cast<cudaEvent_t>(stop_)),
        "GPU clock");
  return milliseconds;
}

#else
namespace {

[[noreturn]] void refuse() { throw std::runtime_error("this build has no CUDA engine; use --device cpu"); }

}  // namespace

bool available() { return false; }
std::shared_ptr<void> allocate(std::size_t) { refuse(); }
void copy_to(void*, const void*, std::size_t) { refuse(); }
void copy_from(void*, const void*, std::size_t) { refuse(); }
void synchronise() { refuse(); }
Timer::Timer() { refuse(); }
Timer::~Timer() = default;
void Timer::start() { refuse(); }
double Timer::stop() { refuse(); }

#endif

}  // namespace cli::gpu
