// FFTs in place by cuFFT, many of the same kind: some of them at a time, so that cuFFT's work area stays small beside the grid.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cuda/cufft.hpp"

namespace offgrid::mpi::inside {

struct FftLayout {
  std::vector<long long> sizes;   // slowest first
  std::int64_t stride, distance;  // between neighbours along the fastest axis, and between two transforms
  std::int64_t count;             // of transforms
};

class BatchedFft {
 public:
  BatchedFft() = default;
  BatchedFft(const FftLayout& layout, cufftType type);

  [[nodiscard]] std::size_t work_bytes() const { return std::max(whole_.work_bytes, rest_.work_bytes); }
  void set_work_area(void* memory) const;
  // sign: of the exponent.
  void run(std::complex<float>* data, int sign) const;
  void run(std::complex<double>* data, int sign) const;

 private:
  struct Plan {
    Plan() = default;
    Plan(FftLayout layout, std::int64_t batch, cufftType type);
    Plan(Plan&& other) noexcept { swap(other); }
    Plan& operator=(Plan&& other) noexcept {
      swap(other);
      return *this;
    }
    ~Plan();
    void swap(Plan& other) noexcept {
      std::swap(made, other.made);
      std::swap(handle, other.handle);
      std::swap(work_bytes, other.work_bytes);
    }
    bool made = false;
    cufftHandle handle = 0;
    std::size_t work_bytes = 0;
  };
  template <class F> void for_batches(F&& run) const;

  std::int64_t count_ = 0, distance_ = 0, batch_ = 1;
  Plan whole_, rest_;  // a full batch, and what remains after full batches
};

}  // namespace offgrid::mpi::inside
