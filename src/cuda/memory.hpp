// Memory of the device and page-locked memory of the host, owned (plan_memory.hpp says where it comes from), and events.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/validate.hpp"
#include "cuda/check.hpp"
#include "cuda/plan_memory.hpp"

namespace offgrid::cuda {

// Pieces of a buffer begin at multiples of this.
inline constexpr std::size_t alignment = 512;
inline std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// What the buffers of an engine add up to, now and at most. Executes that run at the same time may both make buffers.
struct MemoryCount {
  std::atomic<std::size_t> bytes{0}, peak{0};
  void add(std::size_t more) {
    const std::size_t now = bytes += more;
    std::size_t most = peak;
    while (now > most && !peak.compare_exchange_weak(most, now)) {
    }
  }
};

template <class V> class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(std::int64_t size, MemoryCount& count) : size_(size), count_(&count) {
    if (size == 0) return;
    const auto bytes = static_cast<std::size_t>(checked_product("device memory", size, std::int64_t{sizeof(V)}));
    data_ = static_cast<V*>(take_device_memory(bytes));
    count.add(bytes);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ == nullptr) return;
    count_->bytes -= bytes();
    give_back_device_memory(data_, bytes());
  }

  [[nodiscard]] V* data() const { return data_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(V); }

  // Room for `size` elements; what it held is lost when it has to grow.
  void grow_to(std::int64_t size, MemoryCount& count) {
    if (size <= size_) return;
    *this = DeviceBuffer();  // before the new one is there: the two together might not fit
    *this = DeviceBuffer(size, count);
  }

 private:
  void swap(DeviceBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(count_, other.count_);
  }

  V* data_ = nullptr;
  std::int64_t size_ = 0;
  MemoryCount* count_ = nullptr;
};

// One value that kernels' results are copied to; page-locked, so that the copy does not wait.
template <class V> class HostValue {
 public:
  HostValue() : value_(static_cast<V*>(take_host_value())) { static_assert(sizeof(V) <= host_value_bytes); }
  HostValue(const HostValue&) = delete;
  HostValue& operator=(const HostValue&) = delete;
  ~HostValue() { give_back_host_value(value_); }
  [[nodiscard]] V* get() const { return value_; }
  V& operator*() const { return *value_; }

 private:
  V* value_ = nullptr;
};

class Event {
 public:
  Event() {
    call("event", [&] { return cudaEventCreateWithFlags(&event_, cudaEventDisableTiming); });
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { (void)cudaEventDestroy(event_); }
  cudaEvent_t operator*() const { return event_; }
  void record(cudaStream_t stream) {
    call("event", [&] { return cudaEventRecord(event_, stream); });
  }
  // Where it cannot be recorded, the stream's work is done when this returns, so that nobody needs to wait for it.
  void record_or_wait(cudaStream_t stream) noexcept try { record(stream); } catch (const Error&) {
    (void)cudaStreamSynchronize(stream);
  }
  void make_wait(cudaStream_t stream) const {
    call("event", [&] { return cudaStreamWaitEvent(stream, event_, 0); });
  }
  void wait() const {
    call("waiting for the device", [&] { return cudaEventSynchronize(event_); });
  }
  [[nodiscard]] bool passed() const {
    const bool has = cudaEventQuery(event_) == cudaSuccess;
    (void)cudaGetLastError();  // not yet is none
    return has;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace offgrid::cuda
