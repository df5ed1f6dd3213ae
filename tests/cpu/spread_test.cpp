// Ways of adding up the same points: threads that share a block, parts, several copies of a row, several vectors. Each
// against one thread that adds the points one by one.
#include "cpu/spread/spread.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>
#include <vector>

#include "cpu/policy.hpp"
#include "cpu/sort/crowding.hpp"
#include "cpu/spread/halo.hpp"
#include "points.hpp"

namespace offgrid::cpu {
namespace {

using support::points_between;

template <class T> Design design_of(int dim, double tolerance, std::int64_t points) {
  const std::int64_t modes = dim == 1 ? 4000 : dim == 2 ? 60 : 20;
  Options options;
  options.points_hint = points;
  return make_design({1, dim, {modes, dim > 1 ? modes : 1, dim > 2 ? modes : 1}, precision_of<T>, tolerance}, options,
                     cost_traits(32));
}

// Points with what it takes to spread them.
template <class T> struct Case {
  Case(int dim, double low, double high, double tolerance = 1e-4, std::int64_t count = 30000)
      : design(design_of<T>(dim, tolerance, count)),
        layout(make_layout(design)),
        table(design.polynomial),
        raw(points_between<T>(low, high, dim, count, 5)),
        strengths(support::random_values<T>(vectors * count, 6)) {
    Points<T> points{count, {}};
    for (int axis = 0; axis < dim; ++axis) points.axis[axis] = raw.axis[axis].data();
    SortPolicy policy = sort_policy({dim, layout.width, sizeof(T), layout.cells, count});
    policy.may_crowd = true;
    PointStorage none;
    sorted = sort_points(points, layout, policy, 2, none);
  }

  // The grids of all vectors.
  std::vector<std::complex<T>> spread_by(const SpreadSchedule& schedule, int threads) const {
    const Buffer<std::complex<T>> grids(vectors * layout.cells), tiles(schedule.room() * threads);
    clear_cells(grids.data(), grids.size(), 1);
    std::fill_n(tiles.data(), tiles.size(), std::complex<T>(std::numeric_limits<T>::quiet_NaN()));
    spread<T>(sorted, schedule, table, {strengths.data(), sorted.count, vectors},
              {&layout, grids.data(), tiles.data(), threads});
    return {grids.data(), grids.data() + grids.size()};
  }

  static constexpr int vectors = 3;
  Design design;
  Layout layout;
  KernelTable<T> table;
  support::PointSet<T> raw;
  std::vector<std::complex<T>> strengths;
  SortedPoints sorted;
};

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

template <class T> void expect_same_sums(const Case<T>& c, const ScheduleCase& wanted) {
  SpreadSchedule one_by_one = make_schedule(c.sorted, c.layout, {1, unlimited});
  one_by_one.copies = 1;
  const auto expected = c.spread_by(one_by_one, 1),
             found = c.spread_by(make_schedule(c.sorted, c.layout, wanted), wanted.threads);
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    error += std::norm(found[i] - expected[i]), norm += std::norm(expected[i]);
  const double rounding = std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<double>(c.sorted.count));
  EXPECT_LE(std::sqrt(error / norm), rounding) << "threads " << wanted.threads << " part " << wanted.part_points;
}

// Around zero cells wrap around the end of every axis.
TEST(Spread, every_schedule_gives_the_same_sums) {
  for (int dim = 1; dim <= 3; ++dim)
    for (const auto& [low, high] : {std::pair{-0.02, 0.02}, {3.1, 3.2}, {1.0, 1.01}, {-0.5, 0.5}, {-3.0, 3.0}})
      for (const int threads : {1, 2, 3, 4})
        for (const ScheduleCase& wanted :
             {ScheduleCase{threads, unlimited}, {threads, 1000}, {threads, careful_part_points, true}}) {
          SCOPED_TRACE(testing::Message() << dim << "D points from " << low << " to " << high);
          expect_same_sums<float>(Case<float>(dim, low, high), wanted);
          expect_same_sums<double>(Case<double>(dim, low, high), wanted);
        }
}

TEST(Spread, clustered_points_in_order_reach_few_columns) {
  const Case<float> cluster(1, -0.02, 0.02), everywhere(1, -3, 3);
  ASSERT_TRUE(cluster.sorted.in_order && everywhere.sorted.in_order);
  EXPECT_TRUE(cluster.sorted.clustered);
  EXPECT_FALSE(everywhere.sorted.clustered);
  EXPECT_LE(cluster.sorted.column_count(), 400);
}

// Ascending points have neighbours in the same cells, but reach all of them: copies of the row would not pay.
TEST(Spread, ascending_points_are_not_clustered) {
  const std::int64_t count = 30000;
  const Design design = design_of<double>(1, 1e-4, count);
  std::vector<double> x(count);
  for (std::int64_t j = 0; j < count; ++j) x[j] = 6.28 * static_cast<double>(j) / static_cast<double>(count);
  const Layout layout = make_layout(design);
  PointStorage none;
  const auto sorted = sort_points<double>({count, {x.data()}}, layout, {.in_order = true}, 2, none);
  EXPECT_FALSE(sorted.clustered);
  EXPECT_GE(sorted.column_count(), layout.grid[0]);
}

// Parts keep single precision within a tolerance of 1e-4 where they reach few columns; elsewhere it takes double.
TEST(Spread, crowded_points_are_added_up_in_parts_where_these_reach_few_columns) {
  constexpr std::int64_t count = 200000;
  const Case<float> cluster(1, 1, 1.01, 1e-4, count), none(1, -3, 3, 1e-4, count);
  const Summation in_parts = summation_for(cluster.design, cluster.sorted);
  EXPECT_FALSE(in_parts.wide);
  EXPECT_LT(in_parts.part_points, count);
  EXPECT_EQ(summation_for(none.design, none.sorted).part_points, unlimited);

  SortedPoints far_apart;
  far_apart.in_order = true;
  far_apart.overlap = cluster.sorted.overlap;
  far_apart.repeats = cluster.sorted.repeats;
  far_apart.columns = {{0, std::int64_t{1} << 21}};
  EXPECT_TRUE(summation_for(cluster.design, far_apart).wide);
}

}  // namespace
}  // namespace offgrid::cpu
