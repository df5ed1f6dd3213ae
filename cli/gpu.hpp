// Arrays on a GPU for the commands, and its clock. In a build without CUDA available() is false and the rest throws.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace cli {

enum class Place { host, gpu };

namespace gpu {

bool available();  // a GPU that the library can use
std::shared_ptr<void> allocate(std::size_t bytes);
void copy_to(void* device, const void* host, std::size_t bytes);
void copy_from(void* host, const void* device, std::size_t bytes);  // waits for all work before
void synchronise();

// Milliseconds of the default stream between two calls, by the GPU's own clock.
class Timer {
 public:
  Timer();
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  void start();
  double stop();

 private:
  [[maybe_unused]] void *start_ = nullptr, *stop_ = nullptr;  // events, where there is CUDA
};

}  // namespace gpu

// An array where the plan can reach it.
template <class V> class PlacedArray {
 public:
  PlacedArray(Place place, std::span<const V> values) : size_(values.size()) {
    if (place == Place::host) {
      here_.assign(values.begin(), values.end());
    } else {
      there_ = gpu::allocate(values.size_bytes());
      gpu::copy_to(there_.get(), values.data(), values.size_bytes());
    }
  }
  PlacedArray(Place place, std::size_t size) : size_(size) {
    if (place == Place::host)
      here_.resize(size);
    else
      there_ = gpu::allocate(size * sizeof(V));
  }

  [[nodiscard]] std::span<V> span() { return {there_ ? static_cast<V*>(there_.get()) : here_.data(), size_}; }
  void copy_to(std::span<V> values) const {
    if (there_)
      gpu::copy_from(values.data(), there_.get(), values.size_bytes());
    else
      std::copy(here_.begin(), here_.end(), values.begin());
  }

 private:
  std::size_t size_;
  std::vector<V> here_;
  std::shared_ptr<void> there_;
};

}  // namespace cli
