// Rotations: products, random ones, grids of them, balls of small ones, and the angle between two.
#pragma once

#include <span>
#include <vector>

#include "mtip/types.hpp"
#include "random.hpp"

namespace cli::mtip {

using Quaternion = std::array<double, 4>;  // (w, x, y, z), of any length but 0

Rotation from_quaternion(const Quaternion& q);
Quaternion to_quaternion(const Rotation& rotation);  // of length 1, w >= 0
Rotation from_axis_angle(const Vector3& v);          // around v by |v| radians

Rotation operator*(const Rotation& a, const Rotation& b);
Vector3 operator*(const Rotation& a, const Vector3& v);
Rotation transposed(const Rotation& a);
double trace(const Rotation& a);
double angle_degrees(const Rotation& a);  // 0 to 180

// The rotation nearest to a 3 x 3 matrix whose determinant is positive, such as a mean of rotations near each other.
Rotation nearest_rotation(const std::array<double, 9>& matrix);

// Numbers of a standard normal distribution: the i-th one is a function of (random, i).
double normal(const CounterRandom& random, std::uint64_t index);

// Uniform over all rotations. They use 8 numbers each of the stream.
Rotation random_rotation(const CounterRandom& random, std::uint64_t index);
std::vector<Rotation> random_rotations(std::int64_t count, std::uint64_t seed);

// `count` rotations that cover all rotations evenly: the super-Fibonacci spiral (Alexa, CVPR 2022).
std::vector<Rotation> super_fibonacci(std::int64_t count);

// The identity, then 12 rotations by the same angle about the axes of an icosahedron, which has a random orientation.
std::vector<Rotation> rotations_around_identity(double degrees, std::uint64_t seed);

// A vector uniform in the unit ball. Uses 8 numbers of the stream.
Vector3 random_in_ball(const CounterRandom& random, std::uint64_t index);

}  // namespace cli::mtip
