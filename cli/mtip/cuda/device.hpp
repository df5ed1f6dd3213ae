// What the CUDA side of M-TIP stands on: checked calls, one stream, arrays on the device that grow and keep their memory, and
// real FFTs of cubes by cuFFT, which is loaded when it is needed, so that the program starts where it is missing.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cli::mtip {

// Throws std::runtime_error with CUDA's words.
void check(cudaError_t result, const char* what);

class DeviceStream {
 public:
  DeviceStream();
  ~DeviceStream();
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const;

 private:
  cudaStream_t stream_ = nullptr;
};

// Memory of the device. Contents are lost where it grows.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  ~DeviceMemory();
  void* reserve(std::size_t bytes);

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

template <class T> class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) { resize(size); }
  explicit DeviceArray(std::span<const T> values) { set(values); }

  void resize(std::size_t size) {
    data_ = static_cast<T*>(memory_.reserve(size * sizeof(T)));
    size_ = size;
  }
  void set(std::span<const T> values) {
    resize(values.size());
    check(cudaMemcpy(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice), "copy to the GPU");
  }
  // Waits for the stream first.
  [[nodiscard]] std::vector<T> get(const DeviceStream& stream) const {
    std::vector<T> values(size_);
    stream.wait();
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "copy from the GPU");
    return values;
  }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  DeviceMemory memory_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// [batch, size, size, size] to [batch, size, size, size/2 + 1] and back, without normalisation.
class DeviceFft {
 public:
  DeviceFft(int size, int batch, cudaStream_t stream);
  ~DeviceFft();
  DeviceFft(const DeviceFft&) = delete;
  DeviceFft& operator=(const DeviceFft&) = delete;

  [[nodiscard]] std::size_t space_size() const;     // of one cube
  [[nodiscard]] std::size_t spectrum_size() const;  // of one cube
  void forward(float* space, float2* spectrum) const;
  void backward(float2* spectrum, float* space) const;  // overwrites the spectrum

 private:
  int size_;
  int forward_ = 0, backward_ = 0;  // cuFFT's handles
};

}  // namespace cli::mtip
