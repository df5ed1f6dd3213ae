// The words of the library as types: what a user asks for (Problem), and the values that pass between the layers.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>

namespace offgrid {

inline constexpr int max_dim = 3;

enum class Precision { f32, f64 };
enum class Sign { minus = -1, plus = +1 };                       // of i in exp(+-i k.x)
enum class ModeOrder { centred, fft };                           // -N/2..N/2-1, or 0..N/2-1, -N/2..-1
enum class Method { automatic, gm, gm_sort, sm, sweep, owner };  // on a GPU: the paper's, and ours
enum class GramMethod { automatic, convolution, pair };          // of a Gram operator (gram.hpp)
enum class Type3Method { automatic, grid, direct };              // of a type 3 (type3/plan.hpp)
enum class WindowKind { automatic, prolate, semicircle };        // semicircle: the paper's ES kernel

// What the uniform side of a problem holds: Fourier modes, or the cells of the grid that points are spread to.
enum class UniformSide { modes, cells };

using Sizes =
    std::array<std::int64_t, max_dim>;  // one per axis; axis 0 (x) is contiguous in memory; unused axes hold 1

// Coordinates up to this size are folded exactly into the period; larger ones are refused.
inline constexpr double largest_coordinate = 1e9;
inline constexpr const char* bad_coordinate =
    "points: a coordinate is not finite, or is larger than 1e9 in size; fold it into [-pi, pi) first";

// What is asked for, before anything is chosen.
struct Problem {
  int type = 1;  // 1: points to modes, 2: modes to points, 3: points (sources) to points (targets)
  int dim = 1;
  Sizes modes{1, 1, 1};  // sizes of the uniform side: of the grid itself where that is cells
  Precision precision = Precision::f64;
  double tolerance = 1e-6;
  double filled = 1;       // the part of the period, along each axis, in which the points are expected: for costs only
  bool outermost = false;  // there may be nothing but the outermost modes, where the kernel's error is largest
  bool operator==(const Problem&) const = default;
};

// 1 / (2 pi), in two parts.
inline constexpr double per_turn = 0x1.45f306dc9c883p-3, per_turn_low = -0x1.6b01ec5417056p-57;

// How a coordinate becomes a part of the period, in turns: (x - centre) (rate + rate_low), 2 pi a turn unless said otherwise.
// The rate has more bits than one number holds, so that a product with millions of cells keeps its last digits.
struct AxisMap {
  double centre = 0;
  double rate = per_turn, rate_low = per_turn_low;
  double largest = largest_coordinate;  // |x| beyond it is refused
};

// M points: one array per axis. The engines take the first `dim` of them; where others are given, too, they belong to axes
// of one mode, and their coordinates only have to be ones that could be folded.
template <class T> struct Points {
  std::int64_t count = 0;
  std::array<const T*, max_dim> axis{};
  std::array<AxisMap, max_dim> map{};

  // `size` of them, from `first` on.
  [[nodiscard]] Points part(std::int64_t first, std::int64_t size) const {
    Points some = *this;
    some.count = size;
    for (const T*& x : some.axis)
      if (x != nullptr) x += first;
    return some;
  }
};

// Of a tuning: points are spread (to modes or cells), or interpolated (to points).
enum class Direction { to_modes, to_points };

// The stages that a transform goes through; execute.hpp lists them.
enum class Route { to_modes, to_points, to_cells, from_cells };

// The direction that a problem is about: type 1 goes to modes, type 2 to points.
inline Direction direction_of(const Problem& problem) {
  return problem.type == 1 ? Direction::to_modes : Direction::to_points;
}

// Of the adjoint.
inline Direction opposite(Direction direction) {
  return direction == Direction::to_modes ? Direction::to_points : Direction::to_modes;
}
inline Sign opposite(Sign sign) { return sign == Sign::plus ? Sign::minus : Sign::plus; }

inline Direction direction_of(Route route) {
  return route == Route::to_modes || route == Route::to_cells ? Direction::to_modes : Direction::to_points;
}
inline Route route_of(Direction direction, UniformSide side) {
  if (side == UniformSide::modes) return direction == Direction::to_modes ? Route::to_modes : Route::to_points;
  return direction == Direction::to_modes ? Route::to_cells : Route::from_cells;
}

using Stream = void*;  // a cudaStream_t on a GPU; ignored on the CPU

template <class T> constexpr Precision precision_of = sizeof(T) == 4 ? Precision::f32 : Precision::f64;

}  // namespace offgrid
