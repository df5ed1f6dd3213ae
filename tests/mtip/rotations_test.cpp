// Rotations: algebra, conversions, and how evenly the grids of them lie.
#include "mtip/rotations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace cli::mtip {
namespace {

double difference(const Rotation& a, const Rotation& b) {
  double largest = 0;
  for (std::size_t i = 0; i < 9; ++i) largest = std::max(largest, std::abs(a.entries[i] - b.entries[i]));
  return largest;
}

TEST(Rotations, QuaternionsComeBack) {
  for (const Rotation& rotation : random_rotations(200, 3))
    EXPECT_LT(difference(rotation, from_quaternion(to_quaternion(rotation))), 1e-14);
  for (const Rotation& half_turn : {Rotation{{1, 0, 0, 0, -1, 0, 0, 0, -1}}, Rotation{{-1, 0, 0, 0, 1, 0, 0, 0, -1}},
                                    Rotation{{-1, 0, 0, 0, -1, 0, 0, 0, 1}}})
    EXPECT_LT(difference(half_turn, from_quaternion(to_quaternion(half_turn))), 1e-15);
}

TEST(Rotations, AxisAndAngle) {
  const Rotation quarter = from_axis_angle({0, 0, std::acos(0.0)});
  const Vector3 turned = quarter * Vector3{1, 0, 0};
  EXPECT_NEAR(turned[1], 1, 1e-15);
  EXPECT_NEAR(angle_degrees(quarter), 90, 1e-12);
  EXPECT_LT(difference(quarter * transposed(quarter), {}), 1e-15);
}

TEST(Rotations, NearestRotationUndoesScaling) {
  const Rotation rotation = random_rotations(1, 5)[0];
  auto scaled = rotation.entries;
  for (double& entry : scaled) entry *= 37;
  EXPECT_LT(difference(rotation, nearest_rotation(scaled)), 1e-13);
}

// The farthest of 300 random rotations from its nearest neighbour in the grid; random grids leave holes of 25 degrees.
TEST(Rotations, SuperFibonacciLeavesNoHoles) {
  const auto grid = super_fibonacci(6000);
  double farthest = 0;
  for (const Rotation& rotation : random_rotations(300, 11)) {
    double nearest = 180;
    for (const Rotation& candidate : grid) nearest = std::min(nearest, angle_degrees(transposed(candidate) * rotation));
    farthest = std::max(farthest, nearest);
  }
  EXPECT_LT(farthest, 14);
}

// Neighbouring corners of an icosahedron are seen at an angle of 63.4 degrees, which is 5.26 degrees on a small sphere of 5.
TEST(Rotations, AroundIdentityIsAnIcosahedron) {
  const auto offsets = rotations_around_identity(5, 2);
  ASSERT_EQ(offsets.size(), 13u);
  EXPECT_EQ(difference(offsets[0], {}), 0);
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    EXPECT_NEAR(angle_degrees(offsets[i]), 5, 1e-9);
    const auto neighbours = std::count_if(offsets.begin() + 1, offsets.end(), [&](const Rotation& other) {
      return std::abs(angle_degrees(transposed(offsets[i]) * other) - 5.26) < 0.05;
    });
    EXPECT_EQ(neighbours, 5);
  }
}

}  // namespace
}  // namespace cli::mtip
