// The cost of a transform: by hand for the smallest cases, and what it must grow with. Only ratios are used, but the steps
// that are counted are those of the engines: the points, the lines of each axis that are left after cropping, the cells.
#include "core/design/cost.hpp"

#include <gtest/gtest.h>

namespace {

using namespace offgrid;

// All times are 1 and all vectors hold one number of f64.
const BackendTraits plain{.name = "plain"};

double cost(const Problem& problem, const Sizes& grid, int width, const Options& options = {},
            const BackendTraits& traits = plain) {
  return transform_cost(problem, grid, width, options, traits);
}

Options with_points(std::int64_t count) {
  Options options;
  options.points_hint = count;
  return options;
}

// A point: 1, its kernel values w + 2, its row w. A line of 16: 16 (log2 16 + 4). A cell: 1.
TEST(Cost, of_a_line_by_hand) {
  EXPECT_DOUBLE_EQ(cost({1, 1, {8, 1, 1}}, {16, 1, 1}, 4, with_points(10)), 10 * (1 + 6 + 4) + 16 * 8 + 16);
}

// The slow axis is transformed for all 16 columns, the fast one for the 8 rows that are left.
TEST(Cost, of_a_plane_by_hand) {
  const double points = 10 * (1 + 2 * 6 + 4 * 4);
  EXPECT_DOUBLE_EQ(cost({1, 2, {8, 8, 1}}, {16, 16, 1}, 4, with_points(10)), points + (16 + 8) * 16 * 8 + 256);
}

TEST(Cost, of_a_volume_by_hand) {
  const double points = 10 * (1 + 3 * 6 + 16 * 4);
  const double lines = 16 * 16 + 16 * 8 + 8 * 8;
  EXPECT_DOUBLE_EQ(cost({1, 3, {8, 8, 8}}, {16, 16, 16}, 4, with_points(10)), points + lines * 16 * 8 + 4096);
}

TEST(Cost, wide_vectors_share_the_fft_and_the_rows) {
  BackendTraits wide = plain;
  wide.vector_bytes = 64;
  const Problem problem{1, 1, {8, 1, 1}};
  EXPECT_DOUBLE_EQ(cost(problem, {16, 1, 1}, 4, with_points(10), wide), 110 + (16 * 8 + 16) / 8.0);
  wide.row_bytes = 64;  // four complex cells: a row of 4 meets 1 + 3 / 4 of them on average
  EXPECT_DOUBLE_EQ(cost(problem, {16, 1, 1}, 4, with_points(10), wide), 10 * (1 + 6 + 1.75) + (16 * 8 + 16) / 8.0);
  Problem single = problem;
  single.precision = Precision::f32;
  EXPECT_DOUBLE_EQ(cost(single, {16, 1, 1}, 4, with_points(10), wide), 10 * (1 + 6 + 1.375) + (16 * 8 + 16) / 16.0);
}

TEST(Cost, without_a_hint_there_are_as_many_points_as_modes) {
  const Problem problem{1, 2, {8, 9, 1}};
  EXPECT_DOUBLE_EQ(cost(problem, {16, 18, 1}, 5), cost(problem, {16, 18, 1}, 5, with_points(72)));
}

TEST(Cost, grows_with_the_width_the_points_and_the_grid) {
  for (int dim = 1; dim <= 3; ++dim) {
    Problem problem{1, dim, {1, 1, 1}};
    Sizes grid{1, 1, 1}, larger{1, 1, 1};
    for (int axis = 0; axis < dim; ++axis) {
      problem.modes[axis] = 50;
      grid[axis] = 64;
      larger[axis] = 128;
    }
    for (int width = 2; width < 16; ++width) {
      EXPECT_LT(cost(problem, grid, width), cost(problem, grid, width + 1));
      EXPECT_LT(cost(problem, grid, width), cost(problem, larger, width));
      EXPECT_LT(cost(problem, grid, width, with_points(100)), cost(problem, grid, width, with_points(101)));
    }
  }
}

// An engine whose times do not go by rows and passes gives its own, and sees the options.
TEST(Cost, an_engines_own_time_takes_the_place_of_the_model) {
  BackendTraits own = plain;
  own.time = [](const TransformShape& shape) {
    return static_cast<double>(shape.grid[0] * shape.width * shape.options.points_hint + shape.problem.modes[0]);
  };
  const Problem problem{1, 1, {8, 1, 1}};
  EXPECT_DOUBLE_EQ(cost(problem, {16, 1, 1}, 4, with_points(10), own), 16 * 4 * 10 + 8);
}

TEST(Cost, an_engine_is_told_the_direction_and_the_vectors_that_are_worked_on_together) {
  BackendTraits own = plain;
  own.batch_bytes = 5 * 16 * 16;  // five grids of 16 complex cells
  own.time = [](const TransformShape& shape) {
    return static_cast<double>(shape.vectors) + (shape.direction == Direction::to_points ? 0.5 : 0);
  };
  const auto seen = [&](int type, std::int64_t transforms, std::int64_t batch) {
    return cost({type, 1, {8, 1, 1}}, {16, 1, 1}, 4, {.transforms = transforms, .batch = batch}, own);
  };
  EXPECT_EQ(seen(1, 3, 0), 3);
  EXPECT_EQ(seen(2, 3, 0), 3.5);
  EXPECT_EQ(seen(1, 100, 0), 5);
  EXPECT_EQ(seen(1, 100, 7), 7);
  EXPECT_EQ(seen(1, 2, 7), 2);
}

}  // namespace
