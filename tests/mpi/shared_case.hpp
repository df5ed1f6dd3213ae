// One transform for all ranks: every rank makes all points from the same seed and takes a share of them, so that it can compare
// with the direct sum over all of them.
#pragma once

#include <gtest/gtest.h>
#include <cstdint>

#include "gpu_memory.hpp"
#include "oracle.hpp"
#include "points.hpp"
#include "world.hpp"

using support::PointSet;
using support::Sizes;
using support::To;

// Which points a rank has.
enum class Share { even, none_on_rank_0, all_on_last };

inline std::vector<std::int64_t> share_of(Share share, std::int64_t count) {
  std::vector<std::int64_t> mine;
  const int rank = world().rank(), size = world().size();
  for (std::int64_t j = 0; j < count; ++j) {
    int owner = static_cast<int>(j % size);
    if (share == Share::none_on_rank_0 && size > 1) owner = 1 + static_cast<int>(j % (size - 1));
    if (share == Share::all_on_last) owner = size - 1;
    if (owner == rank) mine.push_back(j);
  }
  return mine;
}

template <class V>
std::vector<V> chosen(const std::vector<V>& all, const std::vector<std::int64_t>& indices, std::int64_t count,
                      std::int64_t transforms) {
  std::vector<V> some;
  for (std::int64_t vector = 0; vector < transforms; ++vector)
    for (const std::int64_t j : indices) some.push_back(all[static_cast<std::size_t>(vector * count + j)]);
  return some;
}

// The part of an array [transforms][modes] that a box holds.
template <class V>
std::vector<V> part_of(const std::vector<V>& all, const Sizes& modes, const offgrid::mpi::Part& part,
                       std::int64_t transforms) {
  Sizes n = modes;
  n.resize(3, 1);
  std::vector<V> some;
  for (std::int64_t v = 0; v < transforms; ++v)
    for (std::int64_t z = 0; z < part.count[2]; ++z)
      for (std::int64_t y = 0; y < part.count[1]; ++y)
        for (std::int64_t x = 0; x < part.count[0]; ++x)
          some.push_back(all[static_cast<std::size_t>(
              ((v * n[2] + part.first[2] + z) * n[1] + part.first[1] + y) * n[0] + part.first[0] + x)]);
  return some;
}

// || computed - expected || over all ranks, relative to || expected || over all ranks.
template <class A, class B> double error_of_all(const std::vector<A>& computed, const std::vector<B>& expected) {
  std::vector<double> sums(2);
  EXPECT_EQ(computed.size(), expected.size());
  for (std::size_t i = 0; i < std::min(computed.size(), expected.size()); ++i) {
    sums[0] += std::norm(std::complex<double>(computed[i]) - std::complex<double>(expected[i]));
    sums[1] += std::norm(std::complex<double>(expected[i]));
  }
  world().sum(std::span(sums));
  return std::sqrt(sums[0] / std::max(sums[1], 1e-300));
}

struct Case {
  offgrid::Problem problem;
  offgrid::mpi::Layout layout = offgrid::mpi::Layout::slabs;
  Share share = Share::even;
  std::int64_t points = 300;
  support::Side side = support::Side::host;  // where all arrays are
};

// The axes of points, on the host or on a GPU.
template <class T> class PlacedPoints {
 public:
  PlacedPoints(support::Side side, const PointSet<T>& points) {
    for (const auto& axis : points.axis) arrays_.emplace_back(side, axis);
  }
  [[nodiscard]] std::vector<std::span<const T>> axes() {
    std::vector<std::span<const T>> all;
    for (auto& array : arrays_) all.emplace_back(array.data(), array.size());
    return all;
  }

 private:
  std::vector<support::PlacedArray<T>> arrays_;
};

template <class V> std::span<V> span_of(support::PlacedArray<V>& array) { return {array.data(), array.size()}; }

// Errors of a transform and its adjoint are at most the tolerance.
template <class T> void expect_accurate(const Case& test, const PointSet<T>& all) {
  const auto& problem = test.problem;
  const auto mine = share_of(test.share, all.count());
  PlacedPoints<T> points(test.side, support::reordered(all, mine));
  offgrid::mpi::Plan<T> plan(world(), problem, test.layout);
  plan.set_points(points.axes());
  const auto part = plan.local_modes();
  const std::int64_t count = all.count(), transforms = problem.transforms, modes = support::product(problem.modes);
  const bool fft_order = std::any_of(problem.options.begin(), problem.options.end(),
                                     [](const offgrid::Option& option) { return option.name == "mode_order"; });
  const auto strengths = support::random_values<T>(count * transforms, 5);
  const auto uniform = support::random_values<T>(modes * transforms, 6);
  const int sign = problem.sign != 0 ? problem.sign : (problem.type == 1 ? -1 : 1);
  for (const bool forward : {true, false}) {
    const bool to_modes = (problem.type == 1) == forward;
    const support::Sum sum{problem.modes, forward ? sign : -sign, transforms, fft_order};
    const auto truth =
        support::direct_sum<T>(to_modes ? To::modes : To::points, sum, all, to_modes ? strengths : uniform);
    const auto at_points = to_modes ? chosen(strengths, mine, count, transforms)
                                    : chosen(std::vector<std::complex<T>>(strengths.size()), mine, count, transforms);
    const auto at_modes = part_of(uniform, problem.modes, part, transforms);
    using Array = support::PlacedArray<std::complex<T>>;
    Array in(test.side, to_modes ? at_points : at_modes);
    Array out(test.side, std::vector<std::complex<T>>(to_modes ? at_modes.size() : at_points.size()));
    forward ? plan.execute(span_of(in), span_of(out)) : plan.adjoint(span_of(in), span_of(out));
    const double error = to_modes ? error_of_all(out.values(), part_of(truth, problem.modes, part, transforms))
                                  : error_of_all(out.values(), chosen(truth, mine, count, transforms));
    EXPECT_LE(error, problem.tolerance) << (to_modes ? "to modes" : "to points") << "\n" << plan.describe();
  }
}

template <class T> void expect_accurate(const Case& test) {
  expect_accurate<T>(test, support::uniform_points<T>(static_cast<int>(test.problem.modes.size()), test.points));
}
