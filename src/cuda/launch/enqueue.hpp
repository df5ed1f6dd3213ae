// Enqueues kernels and clears, on a stream or in a graph: while a thread records, its calls add nodes to a graph
// instead, each one depending on the node before, and nothing runs. Stream capture would record as well, but while it
// goes on, every thread of the process that waits for the device gets an error.
#pragma once

#include <cstddef>
#include <tuple>

#include "cuda/check.hpp"

namespace offgrid::cuda {

// Where launchers put their kernels, and how large the device is that they fill.
struct Queue {
  cudaStream_t stream;
  int multiprocessors;
};

struct Launch {
  dim3 blocks;
  int threads;
  std::size_t shared_bytes;
  cudaStream_t stream;
  bool dependent = false;  // by programmatic dependent launch (dependent_launch.cuh)
};

// While it lives, the calls of this thread are recorded in its graph.
class Recording {
 public:
  Recording() {
    call("graph", [&] { return cudaGraphCreate(&graph_, 0); });
    of_this_thread() = this;
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    of_this_thread() = nullptr;
    (void)cudaGraphDestroy(graph_);
  }
  static Recording*& of_this_thread() {
    thread_local Recording* recording = nullptr;
    return recording;
  }
  [[nodiscard]] cudaGraph_t graph() const { return graph_; }

  void add(const void* kernel, const Launch& launch, void** arguments) {
    cudaKernelNodeParams node{};
    node.func = const_cast<void*>(kernel);
    node.kernelParams = arguments;
    node.gridDim = launch.blocks;
    node.blockDim = dim3(static_cast<unsigned>(launch.threads));
    node.sharedMemBytes = static_cast<unsigned>(launch.shared_bytes);
    cudaGraphNode_t added = nullptr;
    call("graph", [&] { return cudaGraphAddKernelNode(&added, graph_, nullptr, 0, &node); });
    put_last(added, launch.dependent && kernel_is_last_ ? programmatic_edge() : cudaGraphEdgeData{});
    kernel_is_last_ = true;
  }

  void add_clear(void* memory, std::size_t bytes) {
    cudaMemsetParams node{};
    node.dst = memory;
    node.elementSize = 1;
    node.width = bytes;
    node.height = 1;
    cudaGraphNode_t added = nullptr;
    call("graph", [&] { return cudaGraphAddMemsetNode(&added, graph_, nullptr, 0, &node); });
    put_last(added, {});
    kernel_is_last_ = false;
  }

 private:
  static cudaGraphEdgeData programmatic_edge() {
    cudaGraphEdgeData edge{};
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
    return edge;
  }
  void put_last(cudaGraphNode_t added, const cudaGraphEdgeData& edge) {
    if (last_ != nullptr) call("graph", [&] { return add_edge(added, edge); });
    last_ = added;
  }
  cudaError_t add_edge(cudaGraphNode_t added, const cudaGraphEdgeData& edge) {
#if CUDART_VERSION >= 13000
    return cudaGraphAddDependencies(graph_, &last_, &added, &edge, 1);
#else
    return cudaGraphAddDependencies_v2(graph_, &last_, &added, &edge, 1);
#endif
  }

  cudaGraph_t graph_ = nullptr;
  cudaGraphNode_t last_ = nullptr;
  bool kernel_is_last_ = false;
};

inline void enqueue(const char* what, const void* kernel, const Launch& launch, void** arguments) {
  if (Recording* recording = Recording::of_this_thread()) return recording->add(kernel, launch, arguments);
  cudaLaunchAttribute dependent{};
  dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  dependent.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = launch.blocks;
  config.blockDim = dim3(static_cast<unsigned>(launch.threads));
  config.dynamicSmemBytes = launch.shared_bytes;
  config.stream = launch.stream;
  config.attrs = &dependent;
  config.numAttrs = launch.dependent;
  call(what, [&] { return cudaLaunchKernelExC(&config, kernel, arguments); });
}

template <class... Parameters, class... Arguments>
void enqueue(const char* what, void (*kernel)(Parameters...), const Launch& launch, const Arguments&... arguments) {
  std::tuple<Parameters...> all(arguments...);
  std::apply(
      [&](const auto&... each) {
        void* addresses[] = {const_cast<void*>(static_cast<const void*>(&each))...};
        enqueue(what, reinterpret_cast<const void*>(kernel), launch, addresses);
      },
      all);
}

inline void enqueue_clear(const char* what, void* memory, std::size_t bytes, cudaStream_t stream) {
  if (Recording* recording = Recording::of_this_thread()) return recording->add_clear(memory, bytes);
  call(what, [&] { return cudaMemsetAsync(memory, 0, bytes, stream); });
}

}  // namespace offgrid::cuda
