// Work that is enqueued again and again, as CUDA graphs: one launch for all of its kernels. What is small takes the GPU
// less time than the host takes to launch its kernels one by one.
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

// While it lives, calls of this thread neither disturb a capture of the caller's nor are refused because of it.
class BesideCaptures {
 public:
  BesideCaptures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;
  ~BesideCaptures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// By the caller.
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

// The last few kinds of work of one owner, who does one at a time, and the graphs of those that came again.
template <class Key> class Replays {
 public:
  // False: the work is the caller's to do. Equal keys promise that it enqueues the same. `before`: the owner's earlier
  // work, which no graph may be forgotten before.
  bool run(const Key& key, const std::function<void(Stream)>& work, cudaStream_t stream, const Event& before) {
    if (given_up_) return false;
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.key == key; });
    if (found == entries_.end()) return remember(key, before), false;
    std::rotate(entries_.begin(), found, std::next(found));  // the latest comes first
    Entry& entry = entries_.front();
    if (!entry.graph && ++entry.times < times_until_replay) return false;
    try {
      if (!entry.graph) entry.graph = record(work, stream);
      entry.graph->launch(stream);
    } catch (const Error&) {  // no memory for graphs, say: then it goes without them
      given_up_ = true;
    }
    return !given_up_;
  }

  // All of them, unless one may still be running.
  void forget(const Event& before) {
    const BesideCaptures beside;
    if (!entries_.empty() && before.passed()) entries_.clear();
  }

 private:
  struct Entry {
    Key key;
    int times = 1;
    std::optional<Graph> graph{};
  };

  void remember(const Key& key, const Event& before) {
    if (entries_.size() == most_replays) {
      const BesideCaptures beside;
      if (entries_.back().graph && !before.passed()) return;
      entries_.pop_back();
    }
    entries_.insert(entries_.begin(), Entry{key});
  }

  static Graph record(const std::function<void(Stream)>& work, cudaStream_t stream) {
    const BesideCaptures beside;
    const Recording recording;
    work(stream);
    return Graph(recording);
  }

  std::vector<Entry> entries_;
  bool given_up_ = false;
};

}  // namespace offgrid::cuda
