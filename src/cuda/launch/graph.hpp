// Executes that are repeated, as CUDA graphs: one launch for all kernels. The kernels of a small execute take the GPU
// less time than the host takes to launch them one by one.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "cuda/launch/enqueue.hpp"
#include "cuda/memory.hpp"
#include "cuda/policy.hpp"

namespace offgrid::cuda {

// While it lives, calls of this thread neither invalidate a capture of the caller's nor are refused because of it.
class BesideCaptures {
 public:
  BesideCaptures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;
  ~BesideCaptures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// Whether the caller is capturing the stream.
inline bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  call("stream", [&] { return cudaStreamIsCapturing(stream, &status); });
  return status != cudaStreamCaptureStatusNone;
}

class Graph {
 public:
  explicit Graph(const Recording& recording) {
    call("graph", [&] { return cudaGraphInstantiate(&graph_, recording.graph(), 0); });
  }
  Graph(Graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~Graph() {
    if (graph_ != nullptr) (void)cudaGraphExecDestroy(graph_);
  }
  void launch(cudaStream_t stream) const {
    call("graph", [&] { return cudaGraphLaunch(graph_, stream); });
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

// The last few different executes on one grid, which runs one at a time, and the graphs of those that were repeated.
template <class Key> class Replays {
 public:
  // Launches the graph of `calls`, if there is one or if they have come often enough to record one. Returns false where
  // there is none: then the caller makes the calls. Equal keys promise that the calls enqueue the same. `earlier` is
  // the end of what the grid did last: a graph is destroyed only after it.
  bool run(const Key& key, const std::function<void(Stream)>& calls, cudaStream_t stream, const Event& earlier) {
    if (given_up_) return false;
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.key == key; });
    if (found == entries_.end()) {
      remember(key, earlier);
      return false;
    }
    std::rotate(entries_.begin(), found, std::next(found));  // the latest comes first
    Entry& entry = entries_.front();
    if (!entry.graph && ++entry.times < times_until_replay) return false;
    try {
      if (!entry.graph) entry.graph = record(calls, stream);
      entry.graph->launch(stream);
    } catch (const Error&) {  // for example because there is no memory: then executes run without graphs
      given_up_ = true;
    }
    return !given_up_;
  }

  // Destroys all graphs, unless one may still be running.
  void forget(const Event& earlier) {
    const BesideCaptures beside;
    if (!entries_.empty() && earlier.passed()) entries_.clear();
  }

 private:
  struct Entry {
    Key key;
    int times = 1;
    std::optional<Graph> graph{};
  };

  void remember(const Key& key, const Event& earlier) {
    if (entries_.size() == most_replays) {
      const BesideCaptures beside;
      if (entries_.back().graph && !earlier.passed()) return;
      entries_.pop_back();
    }
    entries_.insert(entries_.begin(), Entry{key});
  }

  static Graph record(const std::function<void(Stream)>& calls, cudaStream_t stream) {
    const BesideCaptures beside;
    const Recording recording;
    calls(stream);
    return Graph(recording);
  }

  std::vector<Entry> entries_;
  bool given_up_ = false;
};

}  // namespace offgrid::cuda
