// Which points of an FFT of n are modes, and where the modes lie in memory: k = 0 .. low - 1 is point k, and
// k = -high .. -1 is point n + k.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/fft/fft_pass.hpp"

namespace offgrid::cpu {

struct ModeMap {
  std::int64_t n, count;
  ModeOrder order;

  [[nodiscard]] std::int64_t high() const { return count / 2; }
  [[nodiscard]] std::int64_t low() const { return count - high(); }
  [[nodiscard]] std::int64_t first_low() const { return order == ModeOrder::centred ? high() : 0; }  // index of k = 0
  [[nodiscard]] std::int64_t first_high() const { return order == ModeOrder::centred ? 0 : low(); }  // of k = -high

  // |k| of the mode at this index.
  [[nodiscard]] std::int64_t magnitude(std::int64_t index) const {
    const bool is_low = index >= first_low() && index < first_low() + low();
    return is_low ? index - first_low() : high() - (index - first_high());
  }

  // The modes as segments of a line whose elements are `stride` apart.
  [[nodiscard]] std::array<Segment, 2> segments(std::int64_t stride) const {
    return {Segment{0, low(), first_low() * stride, first_low()},
            Segment{n - high(), high(), first_high() * stride, first_high()}};
  }
};

}  // namespace offgrid::cpu
