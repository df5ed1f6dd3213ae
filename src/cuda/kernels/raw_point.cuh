// A point as kernels read it: one packed record (points.hpp), which is unpacked in registers.
#pragma once

#include <cstdint>

#include "cuda/kernels/points.hpp"

namespace offgrid::cuda {

// t from the fraction of a joined record: the middle of the interval that fraction_bits bits can tell apart.
__device__ inline float joined_t(std::uint32_t word, int fraction_bits) {
  const float step = __uint_as_float(static_cast<std::uint32_t>(128 - fraction_bits) << 23);  // 2^(1 - fraction_bits)
  return fmaf(static_cast<float>(word & ((1u << fraction_bits) - 1)), step, 0.5f * step - 1);
}

// A record as it was read from memory. Kernels read the next one before they work on the present one, to hide the
// latency. Records of all kinds are read by the same instructions: with a branch per kind, the compiler would copy
// registers after it, and the copies would wait for the reads.
template <class T, int D> struct RawPoint {
  static constexpr CellKind smallest = sizeof(T) == 4 ? CellKind::joined : CellKind::low;
  static constexpr int least_units = sizeof(Record<T, D, smallest>) / 8;
  static constexpr int most_units = sizeof(Record<T, D, CellKind::low_and_high>) / 8;
  std::uint32_t words[2 * most_units];

  __device__ void fetch(const PackedPoints<T>& points, std::uint32_t i) {
    const auto* from = reinterpret_cast<const uint2*>(static_cast<const char*>(points.records) +
                                                      std::uint64_t{i} * points.record_bytes);
#pragma unroll
    for (int u = 0; u < most_units; ++u)
      if (u < least_units || 8 * u < points.record_bytes) {
        const uint2 unit = from[u];
        words[2 * u] = unit.x;
        words[2 * u + 1] = unit.y;
      }
  }

  __device__ std::uint32_t index() const { return words[0]; }
  __device__ T t(const PackedPoints<T>& points, int axis) const {
    if constexpr (sizeof(T) == 8) {
      return __hiloint2double(static_cast<int>(words[3 + 2 * axis]), static_cast<int>(words[2 + 2 * axis]));
    } else {
      if (points.fraction_bits > 0) return joined_t(words[1 + axis], points.fraction_bits);
      return __uint_as_float(words[2 + axis]);
    }
  }
  // The first cell along an axis that the point reaches. Records without `high` have anything in its place, whose bits
  // are not used.
  __device__ std::uint32_t cell(const PackedPoints<T>& points, int axis) const {
    if constexpr (sizeof(T) == 4)
      if (points.fraction_bits > 0) return words[1 + axis] >> points.fraction_bits;
    const std::uint64_t packed = std::uint64_t{words[2 + D * sizeof(T) / 4]} << 32 | words[1];
    const int bits = points.shift[axis + 1] - points.shift[axis];
    return static_cast<std::uint32_t>(packed >> points.shift[axis]) & (bits >= 32 ? ~0u : (1u << bits) - 1);
  }
};

}  // namespace offgrid::cuda
