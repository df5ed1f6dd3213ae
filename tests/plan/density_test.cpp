// Density weights, for every engine: the steps of Pipe and Menon by direct sums of the kernel.
#include <gtest/gtest.h>

#include <cmath>

#include "core/design/cells_design.hpp"
#include "core/solve/density.hpp"
#include "kernel_sum.hpp"
#include "refusal.hpp"
#include "transform.hpp"

namespace {

using namespace support;
using offgrid::Iteration;

class DensityTest : public BackendTest {};
OFFGRID_RUN_ON_BACKENDS(DensityTest);

template <class T>
std::vector<T> density(const BackendUnderTest& where, const Spec& spec, const PointSet<T>& points,
                       const Iteration& iteration) {
  std::vector<DeviceArray<T>> axes;
  for (const auto& axis : points.axis) axes.emplace_back(where, axis);
  offgrid::RawPoints raw{.count = points.count()};
  for (std::size_t a = 0; a < axes.size(); ++a) raw.axes[a] = axes[a].data();
  DeviceArray<T> weights(where, std::vector<T>(points.count(), std::numeric_limits<T>::quiet_NaN()));
  offgrid::find_density_weights(problem_of<T>(spec), spec.options, where.backend, raw, iteration, weights.data(),
                                nullptr);
  return weights.host();
}

// The kernel that the weights are found with, by direct sums.
KernelSum kernel_for(const Sizes& modes) {
  Sizes cells;
  for (const std::int64_t n : modes) cells.push_back(std::max<std::int64_t>(2 * n, 5));
  const Spec spec{.modes = cells, .tolerance = 1e-2, .options = {.spread_only = true, .width = 5}};
  return KernelSum(offgrid::window_of_cells(problem_of<double>(spec), spec.options), cells);
}

template <class V> double distance(const std::vector<V>& result, const std::vector<double>& truth) {
  double difference = 0, norm = 0;
  for (std::size_t j = 0; j < truth.size(); ++j) {
    difference += std::pow(static_cast<double>(result[j]) - truth[j], 2);
    norm += truth[j] * truth[j];
  }
  return std::sqrt(difference / norm);
}

TEST_P(DensityTest, are_the_steps_of_pipe_and_menon_by_direct_sums) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : {Sizes{1}, Sizes{20}, Sizes{9, 8}, Sizes{5, 4, 1}}) {
      const auto points = uniform_points<T>(static_cast<int>(modes.size()), 150);
      PointSet<double> exact;
      for (const auto& axis : points.axis) exact.axis.emplace_back(axis.begin(), axis.end());
      const KernelSum kernel = kernel_for(modes);
      Sums w(150, 1);
      std::vector<double> change;
      for (int step = 0; step < 4; ++step) {
        const Sums before = w;
        const Sums seen = kernel.to_points<double>(exact, kernel.to_cells<double>(exact, w));
        double difference = 0, norm = 0;
        for (std::size_t j = 0; j < w.size(); ++j) {
          w[j] /= std::abs(seen[j]);
          difference += std::norm(w[j] - before[j]);
          norm += std::norm(w[j]);
        }
        change.push_back(std::sqrt(difference / norm));
      }
      std::vector<double> reported;
      const Iteration iteration{.steps = 4, .report = [&](std::int64_t, double now) {
                                  reported.push_back(now);
                                  return false;
                                }};
      const auto found = density<T>(where(), {.modes = modes}, points, iteration);
      // Up to the part of the period, which is one number for all.
      std::vector<double> truth;
      for (const auto& weight : w) truth.push_back(weight.real() * found[0] / w[0].real());
      EXPECT_LE(distance(found, truth), 1e-3);
      ASSERT_EQ(reported.size(), 4u);
      for (std::size_t step = 0; step < 4; ++step) EXPECT_NEAR(reported[step], change[step], 2e-3 * change[step]);
    }
  });
}

// Points on all nodes of a grid stand for one part in as many each.
TEST_P(DensityTest, of_a_grid_without_gaps_are_its_parts_of_the_period) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    PointSet<T> points{{{}, {}}};
    for (int i = 0; i < 64; ++i)
      for (int j = 0; j < 48; ++j) {
        points.axis[0].push_back(static_cast<T>(2 * std::numbers::pi * i / 64));
        points.axis[1].push_back(static_cast<T>(2 * std::numbers::pi * j / 48));
      }
    const auto weights = density<T>(where(), {.modes = {32, 24}}, points, {.steps = 20, .enough = 1e-4});
    for (const T weight : weights) EXPECT_NEAR(weight * 64 * 48, 1, 1e-2);
  });
}

TEST_P(DensityTest, stop_by_the_change_or_when_they_are_told_to) {
  const auto points = spiral_points<double>(2, 2000);
  std::vector<double> changes;
  std::int64_t last = 1000;
  const auto report = [&](std::int64_t step, double change) {
    changes.push_back(change);
    return step == last;
  };
  (void)density<double>(where(), {.modes = {16, 16}}, points, {.steps = 100, .enough = 1e-2, .report = report});
  ASSERT_GT(changes.size(), 2u);
  EXPECT_LE(changes.back(), 1e-2);
  EXPECT_GT(changes[changes.size() - 2], 1e-2);
  changes.clear();
  last = 2;
  const auto told = density<double>(where(), {.modes = {16, 16}}, points, {.steps = 100, .report = report});
  EXPECT_EQ(changes.size(), 2u);
  const auto counted = density<double>(where(), {.modes = {16, 16}}, points, {.steps = 2});
  EXPECT_LE(distance(told, counted), rounding<double>);
}

TEST_P(DensityTest, of_nothing_and_what_is_refused) {
  const PointSet<double> none{std::vector<std::vector<double>>(2)};
  EXPECT_TRUE(density<double>(where(), {.modes = {16, 16}}, none, {}).empty());
  const auto points = uniform_points<double>(2, 10);
  const auto refused = [&](const Spec& spec, const Iteration& iteration) {
    return refusal([&] { (void)density<double>(where(), spec, points, iteration); });
  };
  EXPECT_NE(refused({.modes = {-1, 8}}, {}).find("modes"), std::string::npos);
  EXPECT_NE(refused({.modes = {8, 8}}, {.steps = -3}).find("iterations"), std::string::npos);
  EXPECT_NE(refused({.modes = {8, 8}}, {.enough = std::nan("")}).find("rtol"), std::string::npos);
  EXPECT_NE(refused({.modes = {std::int64_t{1} << 62, 8}}, {}).find("too large"), std::string::npos);
}

}  // namespace
