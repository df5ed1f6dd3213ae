// Intervals of points, cells and vectors, and how work on them is cut up.
#pragma once

#include <algorithm>
#include <cstdint>

namespace offgrid::cpu {

struct Range {
  std::int64_t begin, end;
  [[nodiscard]] std::int64_t size() const { return end - begin; }
};

// Part `index` of [0, total) cut into `parts` nearly equal pieces.
inline Range part_of(std::int64_t total, std::int64_t parts, std::int64_t index) {
  const std::int64_t each = total / parts, rest = total % parts;
  const std::int64_t begin = index * each + std::min(index, rest);
  return {begin, begin + each + (index < rest ? 1 : 0)};
}

}  // namespace offgrid::cpu
