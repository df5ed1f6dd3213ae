#include "mtip/rotations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace cli::mtip {
namespace {

constexpr std::uint64_t numbers_each = 8;

std::array<double, 9> inverse_transposed(const std::array<double, 9>& m) {
  std::array<double, 9> cofactors{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      const std::size_t r1 = (row + 1) % 3, r2 = (row + 2) % 3, c1 = (column + 1) % 3, c2 = (column + 2) % 3;
      cofactors[3 * row + column] = m[3 * r1 + c1] * m[3 * r2 + c2] - m[3 * r1 + c2] * m[3 * r2 + c1];
    }
  }
  const double determinant = m[0] * cofactors[0] + m[1] * cofactors[1] + m[2] * cofactors[2];
  for (double& entry : cofactors) entry /= determinant;
  return cofactors;
}

}  // namespace

Rotation from_quaternion(const Quaternion& q) {
  const double scale = 1 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double w = q[0] * scale, x = q[1] * scale, y = q[2] * scale, z = q[3] * scale;
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
           2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),  //
           2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}

// The largest of 4 w^2, 4 x^2, 4 y^2, 4 z^2 divides the others, so that nothing cancels.
Quaternion to_quaternion(const Rotation& rotation) {
  const auto& m = rotation.entries;
  const Quaternion squares{1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8],
                           1 - m[0] - m[4] + m[8]};
  Quaternion q{};
  switch (std::max_element(squares.begin(), squares.end()) - squares.begin()) {
    case 0:
      q = {squares[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]};
      break;
    case 1:
      q = {m[7] - m[5], squares[1], m[1] + m[3], m[2] + m[6]};
      break;
    case 2:
      q = {m[2] - m[6], m[1] + m[3], squares[2], m[5] + m[7]};
      break;
    default:
      q = {m[3] - m[1], m[2] + m[6], m[5] + m[7], squares[3]};
      break;
  }
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double divisor = q[0] < 0 ? -length : length;
  for (double& part : q) part /= divisor;
  return q;
}

Rotation from_axis_angle(const Vector3& v) {
  const double angle = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  if (angle < 1e-150) return {};
  const double scale = std::sin(angle / 2) / angle;
  return from_quaternion({std::cos(angle / 2), scale * v[0], scale * v[1], scale * v[2]});
}

Rotation operator*(const Rotation& a, const Rotation& b) {
  Rotation product{{}};
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column)
      for (std::size_t k = 0; k < 3; ++k)
        product.entries[3 * row + column] += a.entries[3 * row + k] * b.entries[3 * k + column];
  return product;
}

Vector3 operator*(const Rotation& a, const Vector3& v) {
  const auto& m = a.entries;
  return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
          m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}

Rotation transposed(const Rotation& a) {
  const auto& m = a.entries;
  return {{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}

double trace(const Rotation& a) { return a.entries[0] + a.entries[4] + a.entries[8]; }

double angle_degrees(const Rotation& a) {
  return std::acos(std::clamp((trace(a) - 1) / 2, -1.0, 1.0)) * 180 / std::numbers::pi;
}

// The polar factor, by Newton's iteration X <- (X + X^-T) / 2 (Higham), which converges quadratically.
Rotation nearest_rotation(const std::array<double, 9>& matrix) {
  Rotation x{matrix};
  for (int step = 0; step < 30; ++step) {
    const auto other = inverse_transposed(x.entries);
    for (std::size_t i = 0; i < 9; ++i) x.entries[i] = (x.entries[i] + other[i]) / 2;
  }
  return x;
}

// Box and Muller: two uniform numbers of the stream for each normal one.
double normal(const CounterRandom& random, std::uint64_t index) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform(2 * index)));
  return radius * std::cos(2 * std::numbers::pi * random.uniform(2 * index + 1));
}

Rotation random_rotation(const CounterRandom& random, std::uint64_t index) {
  const std::uint64_t first = index * numbers_each / 2;
  return from_quaternion(
      {normal(random, first), normal(random, first + 1), normal(random, first + 2), normal(random, first + 3)});
}

std::vector<Rotation> random_rotations(std::int64_t count, std::uint64_t seed) {
  const CounterRandom random(seed);
  std::vector<Rotation> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(random_rotation(random, static_cast<std::uint64_t>(i)));
  return result;
}

std::vector<Rotation> super_fibonacci(std::int64_t count) {
  constexpr double psi = 1.533751168755204288118041;  // the positive root of psi^4 = psi + 4
  std::vector<Rotation> result;
  for (std::int64_t i = 0; i < count; ++i) {
    const double s = static_cast<double>(i) + 0.5, t = s / static_cast<double>(count);
    const double a = 2 * std::numbers::pi * s / std::numbers::sqrt2, b = 2 * std::numbers::pi * s / psi;
    const double r = std::sqrt(t), other = std::sqrt(1 - t);
    result.push_back(from_quaternion({r * std::sin(a), r * std::cos(a), other * std::sin(b), other * std::cos(b)}));
  }
  return result;
}

Vector3 random_in_ball(const CounterRandom& random, std::uint64_t index) {
  const std::uint64_t first = index * numbers_each / 2;
  Vector3 v{normal(random, first), normal(random, first + 1), normal(random, first + 2)};
  const double length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const double scale = std::cbrt(random.uniform(index * numbers_each + 6)) / length;
  for (double& part : v) part *= scale;
  return v;
}

std::vector<Rotation> rotations_around_identity(double degrees, std::uint64_t seed) {
  const Rotation turn = random_rotation(CounterRandom(seed), 0);
  const double angle = degrees * std::numbers::pi / 180, length = std::hypot(1, std::numbers::phi);
  std::vector<Rotation> result(1);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double one : {1.0, -1.0}) {
      for (const double golden : {std::numbers::phi, -std::numbers::phi}) {
        Vector3 corner{};
        corner[axis] = one * angle / length;
        corner[(axis + 1) % 3] = golden * angle / length;
        result.push_back(from_axis_angle(turn * corner));
      }
    }
  }
  return result;
}

}  // namespace cli::mtip
