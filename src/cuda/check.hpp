// Every call of CUDA and cuFFT goes through call(), which turns its failure into an Error. Tests make the n-th one fail.
#pragma once

#include <cuda_runtime_api.h>
#include <cufft.h>

#include <atomic>
#include <mutex>

#include "core/error.hpp"
#include "core/text.hpp"

namespace offgrid::cuda {

inline std::atomic<long> calls_until_failure{-1};  // for tests: negative means that nothing fails

inline bool must_fail() {
  return calls_until_failure.load(std::memory_order_relaxed) >= 0 && calls_until_failure.fetch_sub(1) == 0;
}

inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  (void)cudaGetLastError();  // the next call starts clean
  const Status status = result == cudaErrorMemoryAllocation ? Status::out_of_memory : Status::device_error;
  throw Error(status, text(what, ": ", cudaGetErrorString(result)));
}

inline void check(cufftResult result, const char* what) {
  if (result == CUFFT_SUCCESS) return;
  (void)cudaGetLastError();
  const Status status = result == CUFFT_ALLOC_FAILED ? Status::out_of_memory : Status::device_error;
  throw Error(status, text(what, ": cuFFT error ", static_cast<int>(result)));
}

// A call that is made to fail is not made at all. 2 is the code of "out of memory" in both libraries.
template <class Call> void call(const char* what, Call&& made) {
  using Result = decltype(made());
  check(must_fail() ? static_cast<Result>(2) : made(), what);
}

// declared: by the kernel itself, beside these bytes. Threads share the limit of a kernel, so that it is never lowered.
template <class Kernel> void ask_for_shared(Kernel* kernel, std::size_t bytes, std::size_t declared = 0) {
  constexpr std::size_t unasked = 48 << 10;  // what every kernel gets
  if (declared + bytes <= unasked) return;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  cudaFuncAttributes now{};
  call("shared memory", [&] { return cudaFuncGetAttributes(&now, kernel); });
  if (static_cast<std::size_t>(now.maxDynamicSharedSizeBytes) >= bytes) return;
  call("shared memory", [&] {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  });
}

// Behind a launch.
inline void check_launch(const char* what) {
  call(what, [] { return cudaGetLastError(); });
}

}  // namespace offgrid::cuda
