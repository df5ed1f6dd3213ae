// Very many points at a few places, with equal strengths: the longest sums there are, whose rounding errors all have one
// sign. The order of the points must not matter, and neither may it whether the plan was told how many there are.
#include "transform.hpp"

namespace {

using namespace support;

class CrowdedTest : public BackendTest {};

using Places = std::vector<std::vector<double>>;  // [place][axis]

// Relative l2 error of the whole output, over the tolerance, for `count` points that take the places in turn.
template <class T>
double ratio_for(const BackendUnderTest& where, const Spec& spec, const Places& places, std::int64_t count,
                 std::complex<T> strength = {1, 0}) {
  const int dim = static_cast<int>(spec.modes.size());
  PointSet<T> points, once;
  for (int axis = 0; axis < dim; ++axis) {
    auto& all = points.axis.emplace_back();
    auto& each = once.axis.emplace_back();
    for (const auto& place : places) each.push_back(static_cast<T>(place[axis]));
    for (std::int64_t j = 0; j < count; ++j) all.push_back(each[static_cast<std::size_t>(j) % places.size()]);
  }
  std::vector<std::complex<T>> sums;
  for (std::size_t p = 0; p < places.size(); ++p) {
    const auto here = (count - static_cast<std::int64_t>(p) + static_cast<std::int64_t>(places.size()) - 1) /
                      static_cast<std::int64_t>(places.size());
    sums.push_back(strength * static_cast<T>(here));
  }
  Transform<T> transform(where, spec);
  transform.set_points(points);
  const auto out = transform.execute(std::vector<std::complex<T>>(static_cast<std::size_t>(count), strength));
  return relative_error(out, direct_sum<T>(To::modes, spec.forward_sum(), once, sums)) / spec.tolerance;
}

TEST_P(CrowdedTest, single_precision_in_1d) {
  EXPECT_LE(ratio_for<float>(where(), {.modes = {100}, .tolerance = 1e-6}, {{-3}, {0}}, 1 << 17), 1);
  EXPECT_LE(ratio_for<float>(where(), {.modes = {100}, .tolerance = 1e-5}, {{-3}, {0}}, 1 << 21), 1);
  EXPECT_LE(ratio_for<float>(where(), {.modes = {100}, .tolerance = 1e-5}, {{0.3}}, 1 << 20), 1);
  EXPECT_LE(ratio_for<float>(where(), {.modes = {100}, .tolerance = 1e-5}, {{0.3}, {2}, {-1}, {1}}, 1 << 20), 1);
}

TEST_P(CrowdedTest, single_precision_in_2d) {
  EXPECT_LE(ratio_for<float>(where(), {.modes = {4, 14}, .tolerance = 4.82e-6}, {{2.3561945, 3.76991129}}, 7262,
                             {0.427839518F, -0.159237355F}),
            1);
  EXPECT_LE(ratio_for<float>(where(), {.modes = {256, 256}, .tolerance = 1e-6}, {{1, 1}, {1.12, 1}}, 1 << 20), 1);
  EXPECT_LE(ratio_for<float>(where(), {.modes = {256, 256}, .tolerance = 1e-3}, {{0.3, 0.4}}, 1 << 22), 1);
}

TEST_P(CrowdedTest, single_precision_in_3d) {
  for (const Places& places : {Places{{0.3, 0.4, 0.5}}, Places{{0.3, 0.4, 0.5}, {0.42, 0.4, 0.5}}})
    EXPECT_LE(ratio_for<float>(where(), {.modes = {32, 32, 32}, .tolerance = 1e-5}, places, 1 << 20), 1);
  EXPECT_LE(ratio_for<float>(where(), {.modes = {64, 64, 64}, .tolerance = 1e-4}, {{0.3, 0.4, 0.5}}, 1 << 21), 1);
}

TEST_P(CrowdedTest, double_precision) {
  EXPECT_LE(ratio_for<double>(where(), {.modes = {100}, .tolerance = 1e-13}, {{-3}, {0}}, 1 << 18), 1);
  EXPECT_LE(ratio_for<double>(where(), {.modes = {256, 256}, .tolerance = 1e-9}, {{1, 2}}, 1 << 22), 1);
  EXPECT_LE(ratio_for<double>(where(), {.modes = {30, 31, 32}, .tolerance = 1e-12}, {{1, 2, 3}}, 1 << 19), 1);
}

// A stride that returns to the same hundred places: no neighbours in order are near each other.
TEST_P(CrowdedTest, points_by_a_stride) {
  Places places;
  for (int j = 0; j < 131; ++j) places.push_back({std::fmod(2.4 * j, 2 * std::numbers::pi)});
  EXPECT_LE(ratio_for<float>(where(), {.modes = {100}, .tolerance = 1e-6}, places, 1 << 19), 1);
}

// The plan was told of few points, has had few, and gets many.
TEST_P(CrowdedTest, many_points_after_few) {
  const Spec spec{.modes = {64, 64}, .tolerance = 1e-10, .options = {.points_hint = 10}};
  Transform<double> transform(where(), spec);
  transform.set_points(uniform_points<double>(2, 10));
  PointSet<double> points;
  constexpr std::int64_t count = 1 << 20;
  for (const double x : {0.4, 1.4}) points.axis.emplace_back(count, x);
  transform.set_points(points);
  const auto out = transform.execute(std::vector<std::complex<double>>(count, 1.0));
  const PointSet<double> once = {{{0.4}, {1.4}}};
  const std::vector<std::complex<double>> sum{static_cast<double>(count)};
  EXPECT_LE(relative_error(out, direct_sum<double>(To::modes, spec.forward_sum(), once, sum)), spec.tolerance);
}

OFFGRID_RUN_ON_BACKENDS(CrowdedTest);

}  // namespace
