// Streams of the tests' own, graphs that the caller captures on one, and workspaces of the caller's.
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

// What `calls` enqueue on a stream, captured in the strictest mode.
class CapturedCalls {
 public:
  CapturedCalls(cudaStream_t stream, const std::function<void()>& calls) : stream_(stream) {
    check_gpu(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    calls();
    check_gpu(cudaStreamEndCapture(stream, &graph_));
    check_gpu(cudaGraphInstantiate(&ready_, graph_, 0));
  }
  ~CapturedCalls() {
    EXPECT_EQ(cudaGraphExecDestroy(ready_), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
  }
  CapturedCalls(const CapturedCalls&) = delete;
  CapturedCalls& operator=(const CapturedCalls&) = delete;
  void launch() const { check_gpu(cudaGraphLaunch(ready_, stream_)); }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};

// A captured execute, with what `before` enqueues in front of it.
class CapturedExecute : public CapturedCalls {
 public:
  template <class T>
  CapturedExecute(
      GpuPlan<T>& plan, cudaStream_t stream, const std::function<void()>& before = [] {})
      : CapturedCalls(stream, [&] {
          before();
          plan.execute(stream);
        }) {}
};

// Launches the graph three times, each time with another source; each result must keep the bound.
template <class T>
void expect_replays_keep(double bound, const CapturedCalls& captured, GpuPlan<T>& plan, const OwnStream& stream) {
  for (unsigned round = 0; round < 3; ++round) {
    plan.renew_source(20 + round);
    plan.clear_result();
    check_gpu(cudaDeviceSynchronize());
    captured.launch();
    stream.wait();
    EXPECT_LE(plan.error(), bound) << "replay " << round;
  }
}

// Memory of the caller's in place of the plan's own scratch memory, filled with bytes that are no zeros.
template <class T> class CallersWorkspace {
 public:
  CallersWorkspace(const BackendUnderTest& where, GpuPlan<T>& plan)
      : plan_(plan.plan()),
        bytes_(static_cast<std::size_t>(plan_.get("workspace_bytes"))),
        memory_(where, std::vector<char>(bytes_, '\x7f')) {
    const double before = plan_.get("memory_bytes");
    plan_.set_workspace(memory_.data(), bytes_);
    EXPECT_LE(plan_.get("memory_bytes"), before - static_cast<double>(bytes_));
  }
  ~CallersWorkspace() { EXPECT_NO_THROW(plan_.set_workspace(nullptr, 0)); }
  CallersWorkspace(const CallersWorkspace&) = delete;
  CallersWorkspace& operator=(const CallersWorkspace&) = delete;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] char* data() { return memory_.data(); }

 private:
  offgrid::AnyPlan& plan_;
  std::size_t bytes_;
  DeviceArray<char> memory_;
};

// The message of what is refused with this status.
template <class Call> std::string refusal(offgrid::Status status, Call call) {
  try {
    call();
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

}  // namespace support
