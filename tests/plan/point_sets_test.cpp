// Point sets that broke other libraries: on nodes and cell boundaries (finufft#662, cufinufft#112, #144), at the ends
// of the period, in one cell, repeated, far away, denormal, sorted; and NaN or infinite ones, which are refused
// (finufft#34 segfaults).
#include <algorithm>
#include <cmath>

#include "core/kernel/kernel.hpp"
#include "transform.hpp"

namespace {

using namespace support;

class PointSetsTest : public BackendTest {};

const std::vector<Sizes> shapes{{240}, {15, 16}, {8, 6, 7}};

// Runs expect_accurate for both types, both precisions and each shape on the points that make(T{}, dim) gives.
template <class F> void expect_accurate_on(const BackendUnderTest& where, F make) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : shapes)
      for (const int type : {1, 2})
        expect_accurate<T>(where, {.type = type, .modes = modes, .tolerance = usual_tolerance<T>},
                           make(zero, static_cast<int>(modes.size())));
  });
}

TEST_P(PointSetsTest, all_in_one_cell) {
  expect_accurate_on(where(), [](auto zero, int dim) { return clustered_points<decltype(zero)>(dim, 500); });
}

TEST_P(PointSetsTest, one_point_many_times) {
  expect_accurate_on(where(), [](auto zero, int dim) { return choose_from<decltype(zero)>({-2.5}, dim, 500); });
}

TEST_P(PointSetsTest, ends_of_the_period_zeros_and_denormals) {
  expect_accurate_on(where(),
                     [](auto zero, int dim) { return choose_from(delicate_coordinates<decltype(zero)>(), dim, 200); });
}

// Several vectors, because the tolerance bounds the error of an output as a whole, and here each is a single number.
TEST_P(PointSetsTest, each_delicate_coordinate_alone) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const T x : delicate_coordinates<T>())
      for (const Sizes& modes : shapes)
        expect_accurate<T>(where(), {.modes = modes, .tolerance = usual_tolerance<T>, .options = {.transforms = 10}},
                           choose_from<T>({x}, static_cast<int>(modes.size()), 1));
  });
}

TEST_P(PointSetsTest, a_million_periods_away) {
  expect_accurate_on(where(), [](auto zero, int dim) {
    return points_between<decltype(zero)>(-1e6 * std::numbers::pi, 1e6 * std::numbers::pi, dim, 200, 3);
  });
}

TEST_P(PointSetsTest, up_to_1e8_either_way) {
  expect_accurate_on(where(), [](auto zero, int dim) {
    auto points = points_between<decltype(zero)>(-1e8, 1e8, dim, 200, 4);
    for (auto& axis : points.axis) axis[0] = 1e8, axis[1] = -1e8;
    return points;
  });
}

TEST_P(PointSetsTest, spiral) {
  expect_accurate_on(where(), [](auto zero, int dim) { return spiral_points<decltype(zero)>(dim, 400); });
}

TEST_P(PointSetsTest, sorted_and_reversed) {
  for (const bool reversed : {false, true})
    expect_accurate_on(where(), [&](auto zero, int dim) {
      auto points = uniform_points<decltype(zero)>(dim, 300);
      for (auto& axis : points.axis) {
        std::sort(axis.begin(), axis.end());
        if (reversed) std::reverse(axis.begin(), axis.end());
      }
      return points;
    });
}

Sizes grid_of(const auto& transform) {
  Sizes grid;
  for (const char* name : {"grid1", "grid2", "grid3"})
    if (grid.size() < transform.spec().modes.size()) grid.push_back(static_cast<std::int64_t>(transform.get(name)));
  return grid;
}

// What points on the nodes may miss by, whatever the plan expects. The window's model gives the root mean square over all
// positions in a cell and all modes; on the nodes it is up to 2.1 times that, and more where the modes are as few as here.
// The rest is rounding, which deconvolution amplifies on each axis.
template <class T> double error_on_nodes(int dim, double sigma, int width) {
  const double aliasing = offgrid::window_error(offgrid::WindowKind::prolate, sigma, width);
  const double amplification = std::max(1.0, offgrid::rounding_amplification(sigma, width));
  return 4 * std::sqrt(dim) * aliasing + 20 * std::numeric_limits<T>::epsilon() * std::pow(amplification, dim);
}

// finufft#662: a point exactly on a node touched one kernel value too many, for seven years.
TEST_P(PointSetsTest, exactly_on_the_nodes_of_the_grid_for_every_width) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : shapes)
      for (const double sigma : {1.25, 2.0})
        for (int width = 2; width <= (sizeof(T) == 4 ? 8 : 16); ++width) {
          const Spec spec{.modes = modes,
                          .tolerance = usual_tolerance<T>,
                          .options = {.points_hint = 100, .upsampling = sigma, .width = width}};
          SCOPED_TRACE(offgrid::text(spec.name(), " sigma ", sigma, " width ", width, " bits ", 8 * sizeof(T)));
          Transform<T> transform(where(), spec);
          const auto points = points_on_nodes<T>(grid_of(transform), 100);
          transform.set_points(points);
          const Errors errors = measure(transform, points);
          const double bound = error_on_nodes<T>(static_cast<int>(modes.size()), sigma, width);
          EXPECT_EQ(transform.get("width"), width);
          EXPECT_LE(errors.forward, bound);
          EXPECT_LE(errors.adjoint, bound);
        }
  });
}

// The neighbours of a node round to either side of it.
TEST_P(PointSetsTest, one_rounding_step_beside_the_nodes) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : shapes)
      for (const T side : {T(-100), T(100)}) {
        const Spec spec{.modes = modes, .tolerance = usual_tolerance<T>, .options = {.points_hint = 100}};
        Transform<T> transform(where(), spec);
        auto points = points_on_nodes<T>(grid_of(transform), 100);
        for (auto& axis : points.axis)
          for (T& x : axis) x = std::nextafter(x, side);
        transform.set_points(points);
        EXPECT_LE(measure(transform, points).forward, usual_tolerance<T>);
      }
  });
}

TEST_P(PointSetsTest, not_finite_is_refused_and_the_earlier_points_stay) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    for (const Sizes& modes : shapes)
      for (const T bad : {Limits::quiet_NaN(), Limits::signaling_NaN(), Limits::infinity(), -Limits::infinity()})
        for (const std::size_t where_bad : {0, 57, 199}) {
          const int dim = static_cast<int>(modes.size());
          const auto points = uniform_points<T>(dim, 50);
          auto poisoned = uniform_points<T>(dim, 200, 2);
          poisoned.axis[dim - 1][where_bad] = bad;
          Transform<T> transform(where(), {.modes = modes, .tolerance = usual_tolerance<T>});
          transform.set_points(points);
          try {
            transform.set_points(poisoned);
            ADD_FAILURE() << "not refused";
          } catch (const offgrid::Error& error) {
            EXPECT_EQ(error.status(), offgrid::Status::invalid_argument) << error.what();
          }
          EXPECT_EQ(transform.get("points"), 50);
          EXPECT_LE(measure(transform, points).forward, usual_tolerance<T>);
        }
  });
}

TEST_P(PointSetsTest, not_finite_as_the_first_points_leaves_a_plan_without_points) {
  Transform<double> transform(where(), {.modes = {10}});
  const auto points = choose_from<double>({std::nan("")}, 1, 3);
  EXPECT_THROW(transform.set_points(points), offgrid::Error);
  try {
    (void)transform.execute({});
    ADD_FAILURE() << "not refused";
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), offgrid::Status::wrong_state);
  }
}

// Up to 1e9 points are folded exactly; what lies beyond is refused, on every axis, and the earlier points stay.
TEST_P(PointSetsTest, points_too_far_away_are_refused) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    const auto good = choose_from<T>({T(1e9), T(-1e9), T(9.87e8), T(1)}, 2, 30);
    expect_accurate<T>(where(), {.modes = {10, 10}, .tolerance = usual_tolerance<T>}, good);
    for (const T far : {T(1.1e9), T(1e10), T(-1e12), T(1e18), T(3e19), T(1e30), Limits::max(), Limits::lowest()})
      for (const std::size_t axis : {0, 1}) {
        Transform<T> transform(where(), {.modes = {10, 10}, .tolerance = usual_tolerance<T>});
        transform.set_points(good);
        auto points = uniform_points<T>(2, 1000);
        points.axis[axis][700] = far;
        try {
          transform.set_points(points);
          ADD_FAILURE() << "not refused: " << far;
        } catch (const offgrid::Error& error) {
          EXPECT_EQ(error.status(), offgrid::Status::invalid_argument);
          EXPECT_NE(std::string(error.what()).find("1e9"), std::string::npos) << error.what();
        }
      }
  });
}

// An axis of one mode is dropped, but its coordinates are looked at all the same.
TEST_P(PointSetsTest, bad_coordinates_along_an_axis_of_one_mode_are_refused) {
  for (const Sizes& modes : std::vector<Sizes>{{1, 20, 20}, {20, 1, 20}, {20, 20, 1}, {1, 1, 20}, {20, 1}})
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e12}) {
      const int dim = static_cast<int>(modes.size());
      const auto one = static_cast<std::size_t>(std::find(modes.begin(), modes.end(), 1) - modes.begin());
      Transform<double> transform(where(), {.modes = modes});
      const auto good = uniform_points<double>(dim, 100);
      transform.set_points(good);
      auto points = uniform_points<double>(dim, 10000, 3);
      points.axis[one][9000] = bad;
      EXPECT_THROW(transform.set_points(points), offgrid::Error);
      EXPECT_LE(measure(transform, good).forward, 1e-6);
    }
}

OFFGRID_RUN_ON_BACKENDS(PointSetsTest);

}  // namespace
