// Streams of the tests' own, and an execute that the caller captures on one.
#pragma once

#include <functional>

#include "gpu_test.hpp"

namespace support {

class OwnStream {
 public:
  OwnStream() { check_gpu(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnStream() { (void)cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { check_gpu(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

// An execute that the caller captured in the strictest way, with what `before` enqueues in front of it.
class CapturedExecute {
 public:
  template <class T>
  CapturedExecute(
      GpuPlan<T>& plan, cudaStream_t stream, const std::function<void()>& before = [] {})
      : stream_(stream) {
    check_gpu(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    before();
    plan.execute(stream);
    check_gpu(cudaStreamEndCapture(stream, &graph_));
    check_gpu(cudaGraphInstantiate(&ready_, graph_, 0));
  }
  ~CapturedExecute() {
    EXPECT_EQ(cudaGraphExecDestroy(ready_), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
  }
  CapturedExecute(const CapturedExecute&) = delete;
  CapturedExecute& operator=(const CapturedExecute&) = delete;
  void launch() const { check_gpu(cudaGraphLaunch(ready_, stream_)); }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};

}  // namespace support
