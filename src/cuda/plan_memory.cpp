#include "cuda/plan_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "cuda/check.hpp"

namespace offgrid::cuda {
namespace {

constexpr std::size_t kept_part = 16;  // idle blocks are at most 1/16 of the GPU's memory
constexpr std::size_t smallest_block = 512;

int current_id() noexcept {
  int id = 0;
  (void)cudaGetDevice(&id);
  return id;
}

// Sizes of blocks: eight per power of two, so that a block is at most an eighth larger than what was asked for.
std::size_t block_size(std::size_t bytes) {
  const std::size_t least = std::max(bytes, smallest_block);
  const std::size_t step = std::max<std::size_t>(std::bit_floor(least) / 8, 1);
  return (least + step - 1) / step * step;
}

// The idle blocks of one device. Nothing on the device uses them any more.
class Blocks {
 public:
  cudaError_t take(std::size_t bytes, void** memory) {
    const std::size_t size = block_size(bytes);
    {
      const std::scoped_lock lock(mutex_);
      if (const auto found = idle_.find(size); found != idle_.end()) {
        *memory = remove(found);
        return cudaSuccess;
      }
    }
    const cudaError_t result = cudaMalloc(memory, size);
    if (result != cudaErrorMemoryAllocation) return result;
    (void)cudaGetLastError();
    free_all();
    return cudaMalloc(memory, size);
  }

  // The blocks that have been idle for the longest make room for it: else a large plan that is gone would leave none for the
  // small ones after it.
  void give_back(void* memory, std::size_t bytes) {
    const std::size_t size = block_size(bytes);
    const std::scoped_lock lock(mutex_);
    if (most_bytes_ == 0) most_bytes_ = find_most();
    if (size > most_bytes_) {
      (void)cudaFree(memory);
      return;
    }
    while (!idle_.empty() && idle_bytes_ + size > most_bytes_) (void)cudaFree(remove(oldest()));
    idle_.emplace(size, Idle{memory, ++given_back_});
    idle_bytes_ += size;
  }

  void free_all() {
    const std::scoped_lock lock(mutex_);
    while (!idle_.empty()) (void)cudaFree(remove(idle_.begin()));
  }

 private:
  struct Idle {
    void* memory;
    std::uint64_t since;
  };
  using Idles = std::multimap<std::size_t, Idle>;

  void* remove(Idles::iterator block) {
    void* memory = block->second.memory;
    idle_bytes_ -= block->first;
    idle_.erase(block);
    return memory;
  }
  Idles::iterator oldest() {
    return std::min_element(idle_.begin(), idle_.end(),
                            [](const auto& a, const auto& b) { return a.second.since < b.second.since; });
  }
  static std::size_t find_most() {
    std::size_t free = 0, total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? total / kept_part : 1;
  }

  std::mutex mutex_;
  Idles idle_;
  std::size_t idle_bytes_ = 0, most_bytes_ = 0;
  std::uint64_t given_back_ = 0;  // blocks so far
};

// One per device. They live as long as the process: plans may outlive static objects.
template <class Shared> std::map<int, Shared>& of_devices() {
  static auto* all = new std::map<int, Shared>;
  return *all;
}
std::mutex of_devices_mutex;
template <class Shared> Shared& of_current_device() {
  const int id = current_id();
  const std::scoped_lock lock(of_devices_mutex);
  return of_devices<Shared>()[id];
}

struct SetUp {
  std::once_flag once;
  cudaStream_t stream = nullptr;
};

thread_local int quiet_devices = 0;

std::mutex host_values_mutex;
std::vector<void*>& host_values() {
  static auto* values = new std::vector<void*>;
  return *values;
}

}  // namespace

void* take_device_memory(std::size_t bytes) {
  Blocks& blocks = of_current_device<Blocks>();
  void* memory = nullptr;
  call("device memory", [&] { return blocks.take(bytes, &memory); });
  return memory;
}

void give_back_device_memory(void* memory, std::size_t bytes) noexcept try {
  if (quiet_devices == 0 && cudaDeviceSynchronize() != cudaSuccess)
    throw Error(Status::device_error, "the device is lost");
  of_current_device<Blocks>().give_back(memory, bytes);
} catch (...) {
  (void)cudaFree(memory);
  (void)cudaGetLastError();
}

void free_idle_device_memory() {
  const std::scoped_lock lock(of_devices_mutex);
  for (auto& [id, blocks] : of_devices<Blocks>()) blocks.free_all();
}

QuietDevice::QuietDevice() noexcept {
  (void)cudaDeviceSynchronize();
  ++quiet_devices;
}
QuietDevice::~QuietDevice() { --quiet_devices; }

cudaStream_t set_up_stream() {
  SetUp& set_up = of_current_device<SetUp>();
  std::call_once(set_up.once, [&] {
    call("stream", [&] { return cudaStreamCreateWithFlags(&set_up.stream, cudaStreamNonBlocking); });
  });
  return set_up.stream;
}

void copy_to_device(const char* what, void* target, const void* source, std::size_t bytes) {
  const cudaStream_t stream = set_up_stream();
  call(what, [&] { return cudaMemcpyAsync(target, source, bytes, cudaMemcpyHostToDevice, stream); });
  call(what, [&] { return cudaStreamSynchronize(stream); });
}

void* take_host_value() {
  constexpr std::size_t together = 64;
  const std::scoped_lock lock(host_values_mutex);
  std::vector<void*>& free = host_values();
  if (free.empty()) {
    void* memory = nullptr;
    call("page-locked memory",
         [&] { return cudaHostAlloc(&memory, together * host_value_bytes, cudaHostAllocPortable); });
    free.reserve(free.capacity() + together);
    for (std::size_t i = 0; i < together; ++i) free.push_back(static_cast<std::byte*>(memory) + i * host_value_bytes);
  }
  void* value = free.back();
  free.pop_back();
  return value;
}

void give_back_host_value(void* value) noexcept {
  const std::scoped_lock lock(host_values_mutex);
  host_values().push_back(value);  // there was room for it before
}

}  // namespace offgrid::cuda
