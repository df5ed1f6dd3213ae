// Exact phases. A Turn is an angle as a fraction of the full circle in 128-bit fixed point: adding and multiplying by
// integers wraps around exactly as angles do. The sine and cosine split off the nearest quarter turn and sum Taylor
// series on the remaining eighth, in a form that compilers vectorise.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace oracle {

__extension__ using Turn = unsigned __int128;
__extension__ using SignedTurn = __int128;

// x / (2 pi) mod 1. The product with 1/(2 pi) in two parts is exact to 2^-106 |x|.
inline Turn turn_of(double x) {
  constexpr double high = 0x1.45f306dc9c883p-3, low = -0x1.6b01ec5417056p-57;  // high + low = 1 / (2 pi)
  const double product = x * high;
  const double rest = std::fma(x, low, std::fma(x, high, -product));
  const double fraction = product - std::nearbyint(product);
  const auto fixed = [](double value) { return static_cast<Turn>(static_cast<SignedTurn>(value * 0x1p127)) << 1; };
  return fixed(fraction) + fixed(rest);
}

// k times a turn, k of either sign.
inline Turn times(std::int64_t k, Turn turn) { return static_cast<Turn>(static_cast<SignedTurn>(k)) * turn; }

// exp(2 pi i turn) of many turns at once: put() each, then evaluate().
class UnitCircle {
 public:
  explicit UnitCircle(std::size_t size) : cosine(size), sine(size), rest_(size), turn_x_(size), turn_y_(size) {}

  void put(std::size_t i, Turn turn) {
    constexpr double x[] = {1, 0, -1, 0}, y[] = {0, 1, 0, -1};
    const auto top = static_cast<std::uint64_t>(turn >> 64);
    const std::uint64_t quarter = (top + (std::uint64_t{1} << 61)) >> 62;
    rest_[i] = static_cast<double>(static_cast<std::int64_t>(top - (quarter << 62))) * 0x1p-64;
    turn_x_[i] = x[quarter];
    turn_y_[i] = y[quarter];
  }

  void evaluate() {
    const std::size_t size = rest_.size();
    double* __restrict c = cosine.data(), * __restrict s = sine.data();
    const double *rest = rest_.data(), *x = turn_x_.data(), *y = turn_y_.data();
    for (std::size_t i = 0; i < size; ++i) {
      const double angle = 6.283185307179586477 * rest[i], square = angle * angle;  // |angle| <= pi / 4
      const double near = angle * series(square, 17), far = series(square, 16);
      c[i] = far * x[i] - near * y[i];
      s[i] = far * y[i] + near * x[i];
    }
  }

  std::vector<double> cosine, sine;

 private:
  // The Taylor series of sin(a)/a (odd top) or cos(a) (even top) in z = a^2, as 1 - z/(2 3) (1 - z/(4 5) (1 - ..)).
  static double series(double square, int top) {
    double sum = 1;
    for (int n = top; n > 1; n -= 2) sum = 1 - square * sum * (1.0 / (n * (n - 1)));
    return sum;
  }

  std::vector<double> rest_, turn_x_, turn_y_;
};

}  // namespace oracle
