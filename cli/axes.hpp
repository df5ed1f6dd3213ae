// Points whose number of axes is known only at run time: owned coordinates, spans of them, and handing them to a plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "offgrid/offgrid.hpp"

namespace cli {

template <class T> using AxisSpans = std::vector<std::span<const T>>;

// coordinates[axis][point]
template <class T> struct Points {
  std::vector<std::vector<T>> coordinates;

  Points() = default;
  Points(std::size_t dim, std::int64_t count) : coordinates(dim, std::vector<T>(static_cast<std::size_t>(count))) {}

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(coordinates.at(0).size()); }
  [[nodiscard]] AxisSpans<T> spans() const { return AxisSpans<T>(coordinates.begin(), coordinates.end()); }
};

template <class T> void set_points(offgrid::Plan<T>& plan, const AxisSpans<T>& axes) {
  switch (axes.size()) {
    case 1:
      return plan.set_points({axes[0]});
    case 2:
      return plan.set_points({axes[0], axes[1]});
    default:
      return plan.set_points({axes[0], axes[1], axes[2]});
  }
}

// N1 * .. * Nd
inline std::int64_t mode_count(const std::vector<std::int64_t>& modes) {
  std::int64_t count = 1;
  for (const auto size : modes) count *= size;
  return count;
}

}  // namespace cli
