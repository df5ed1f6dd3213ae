// Axes of two or three modes are summed exactly (core/short_axes.hpp): wherever they stand, in both directions, for any points,
// and only where that is worth it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "plain_costs.hpp"
#include "threads.hpp"
#include "transform.hpp"

namespace {

using namespace support;
using offgrid::ModeOrder;

class ShortAxesTest : public BackendTest {
 protected:
  [[nodiscard]] static BackendUnderTest where() { return with_plain_costs(GetParam()); }
};

const std::vector<Sizes> one_short_axis{{2, 80, 60}, {80, 2, 60}, {80, 60, 2}, {3, 80, 60}, {80, 3, 60}, {80, 60, 3}};
const std::vector<Sizes> two_short_axes{{2, 2, 5000}, {2, 5000, 2}, {5000, 2, 2},
                                        {3, 2, 5000}, {2, 5000, 3}, {5000, 3, 2}};

int dim_of(const Sizes& modes) { return static_cast<int>(modes.size()); }

// Transform and adjoint of a plan that does sum its short axes exactly.
template <class T>
void expect_split_and_accurate(const BackendUnderTest& where, const Spec& spec, const PointSet<T>& points) {
  SCOPED_TRACE(offgrid::text(spec.name(), " points ", points.count(), " bits ", 8 * sizeof(T)));
  Transform<T> transform(where, spec);
  EXPECT_TRUE(is_split(transform.plan())) << transform.plan().describe();
  transform.set_points(points);
  const Errors errors = measure(transform, points);
  EXPECT_LE(errors.forward, spec.tolerance);
  EXPECT_LE(errors.adjoint, spec.tolerance);
}

TEST_P(ShortAxesTest, one_short_axis_in_any_place_is_right) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : one_short_axis)
      for (const int type : {1, 2})
        expect_split_and_accurate<T>(where(), {.type = type, .modes = modes, .tolerance = usual_tolerance<T>},
                                     uniform_points<T>(dim_of(modes), 20));
  });
}

TEST_P(ShortAxesTest, a_short_axis_in_2d_is_right) {
  for (const Sizes& modes : std::vector<Sizes>{{2, 5000}, {5000, 2}, {3, 5000}, {5000, 3}})
    for (const int type : {1, 2})
      expect_split_and_accurate<double>(where(), {.type = type, .modes = modes, .tolerance = 1e-10},
                                        uniform_points<double>(2, 20));
}

TEST_P(ShortAxesTest, two_short_axes_in_any_places_are_right) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : two_short_axes)
      for (const int type : {1, 2})
        expect_split_and_accurate<T>(where(), {.type = type, .modes = modes, .tolerance = usual_tolerance<T>},
                                     uniform_points<T>(3, 20));
  });
}

TEST_P(ShortAxesTest, signs_and_mode_orders) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{2, 80, 60}, {80, 3, 60}, {2, 5000, 3}})
      for (const int type : {1, 2})
        for (const int sign : {-1, 1})
          for (const ModeOrder order : {ModeOrder::centred, ModeOrder::fft})
            expect_split_and_accurate<T>(where(),
                                         {.type = type,
                                          .modes = modes,
                                          .tolerance = usual_tolerance<T>,
                                          .options = {.sign = sign, .mode_order = order}},
                                         uniform_points<T>(3, 12));
  });
}

TEST_P(ShortAxesTest, an_axis_of_one_mode_beside_a_short_one) {
  for (const Sizes& modes : std::vector<Sizes>{{2, 1, 5000}, {1, 5000, 3}, {5000, 2, 1}})
    expect_split_and_accurate<double>(where(), {.modes = modes, .tolerance = 1e-9}, uniform_points<double>(3, 20));
}

TEST_P(ShortAxesTest, several_vectors) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{2, 80, 60}, {80, 60, 3}, {2, 5000, 3}})
      for (const std::int64_t transforms : {2, 5})
        for (const std::int64_t batch : {0, 3})
          expect_split_and_accurate<T>(where(),
                                       {.type = batch == 0 ? 1 : 2,
                                        .modes = modes,
                                        .tolerance = usual_tolerance<T>,
                                        .options = {.transforms = transforms, .batch = batch}},
                                       uniform_points<T>(3, 8));
  });
}

// More modes than are held a second time at once: the vectors come in groups.
TEST_P(ShortAxesTest, vectors_in_groups) {
  const Spec spec{.modes = {2, 700, 700}, .tolerance = 1e-9, .options = {.transforms = 6}};
  const auto points = uniform_points<double>(3, 1);
  expect_split_and_accurate<double>(where(), spec, points);
  Transform<double> transform(where(), spec);
  transform.set_points(points);
  EXPECT_NE(transform.plan().describe().find("as 6 vectors"), std::string::npos) << transform.plan().describe();
}

TEST_P(ShortAxesTest, no_points_and_one_point) {
  for (const Sizes& modes : std::vector<Sizes>{{2, 80, 60}, {80, 60, 3}})
    for (const int type : {1, 2}) {
      const Spec spec{.type = type, .modes = modes, .tolerance = 1e-9, .options = {.transforms = 2}};
      expect_split_and_accurate<double>(where(), spec, uniform_points<double>(3, 1));
      Transform<double> transform(where(), spec);
      transform.set_points(uniform_points<double>(3, 0));
      const auto zeros = type == 1 ? transform.execute({}) : transform.adjoint({});
      EXPECT_EQ(zeros, std::vector<std::complex<double>>(2 * product(modes)));
      EXPECT_TRUE((type == 1 ? transform.adjoint(zeros) : transform.execute(zeros)).empty());
      EXPECT_EQ(transform.get("points"), 0);
    }
}

TEST_P(ShortAxesTest, far_points_are_folded_exactly) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const auto points = choose_from<T>({T(1e9), T(-1e9), T(9.87e8), T(123456.789), T(1)}, 3, 40);
    for (const Sizes& modes : std::vector<Sizes>{{2, 80, 60}, {80, 60, 3}, {3, 2, 5000}})
      expect_split_and_accurate<T>(where(), {.modes = modes, .tolerance = usual_tolerance<T>}, points);
  });
}

TEST_P(ShortAxesTest, refused_points_leave_the_earlier_ones_in_force) {
  for (const Sizes& modes : std::vector<Sizes>{{2, 80, 60}, {80, 3, 60}, {2, 2, 5000}})
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -1.1e9})
      for (const std::size_t axis : {0, 1, 2}) {
        Transform<double> transform(where(), {.modes = modes, .tolerance = 1e-9});
        const auto good = uniform_points<double>(3, 20);
        transform.set_points(good);
        auto points = uniform_points<double>(3, 3000, 3);
        points.axis[axis][2900] = bad;
        try {
          transform.set_points(points);
          ADD_FAILURE() << "not refused: " << bad;
        } catch (const offgrid::Error& error) {
          EXPECT_EQ(error.status(), offgrid::Status::invalid_argument);
          EXPECT_NE(std::string(error.what()).find("1e9"), std::string::npos) << error.what();
        }
        EXPECT_EQ(transform.get("points"), 20);
        EXPECT_LE(measure(transform, good).forward, 1e-9);
      }
}

TEST_P(ShortAxesTest, points_may_come_and_go) {
  Transform<double> transform(where(), {.modes = {3, 80, 60}, .tolerance = 1e-9});
  try {
    (void)transform.execute({});
    ADD_FAILURE() << "executed without points";
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), offgrid::Status::wrong_state);
  }
  for (const std::int64_t count : {20, 90, 0, 7, 100}) {
    const auto points = uniform_points<double>(3, count);
    transform.set_points(points);
    const double error = count > 0 ? measure(transform, points).forward : 0;
    EXPECT_LE(error, 1e-9) << count;
  }
}

// The names are those of the caller's axes, not of the inner plan's.
TEST_P(ShortAxesTest, missing_arrays_are_named) {
  const auto plan = offgrid::make_plan({1, 3, {2, 80, 60}, offgrid::Precision::f64, 1e-6}, {}, where().backend);
  DeviceArray<double> x(where(), std::vector<double>(5));
  const auto message = [&](const std::array<const void*, 3>& axes) {
    try {
      plan->set_points(5, axes, nullptr);
    } catch (const offgrid::Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_NE(message({nullptr, x.data(), x.data()}).find("points x"), std::string::npos);
  EXPECT_NE(message({x.data(), nullptr, x.data()}).find("points y"), std::string::npos);
  EXPECT_NE(message({x.data(), x.data(), nullptr}).find("points z"), std::string::npos);
}

TEST_P(ShortAxesTest, small_problems_are_transformed_whole) {
  for (const Sizes& modes : std::vector<Sizes>{{2, 3}, {3, 2, 20}, {2, 30, 30}, {2, 2, 3}, {3, 500, 2}})
    EXPECT_FALSE(is_split(Transform<double>(where(), {.modes = modes}).plan()));
  for (const Sizes& modes : std::vector<Sizes>{{4, 300, 300}, {1, 300, 300}, {300, 300}, {0, 300, 2}})
    EXPECT_FALSE(is_split(Transform<double>(where(), {.modes = modes}).plan()));
}

// With the costs of the CPU itself.
TEST_P(ShortAxesTest, a_large_problem_with_a_short_axis_is_split_on_the_cpu) {
  if (GetParam().name != "cpu") GTEST_SKIP() << "another device may have other costs";
  for (const Sizes& modes : std::vector<Sizes>{{2, 300, 300}, {300, 3, 300}, {2, 2, 100000}})
    EXPECT_TRUE(is_split(Transform<double>(GetParam(), {.modes = modes}).plan()));
}

TEST_P(ShortAxesTest, a_plan_answers_for_the_problem_that_was_asked) {
  const auto points = uniform_points<double>(3, 90000);
  PointSet<double> slice_points{{points.axis[1], points.axis[2]}};
  Transform<double> slice(where(), {.modes = {300, 300}, .options = {.transforms = 2}});
  slice.set_points(slice_points);
  (void)slice.execute(random_values<double>(slice.size_of(To::points), 1));
  for (const Sizes& modes : std::vector<Sizes>{{2, 300, 300}, {300, 2, 300}, {300, 300, 2}}) {
    Transform<double> transform(where(), {.modes = modes});
    EXPECT_EQ(transform.get("points"), -1);
    transform.set_points(points);
    const std::string words = transform.plan().describe();
    EXPECT_TRUE(is_split(transform.plan())) << words;
    const std::string asked = offgrid::text(modes[0], " x ", modes[1], " x ", modes[2], " modes, 1 transforms");
    EXPECT_NE(words.find(asked), std::string::npos) << words;
    const std::array<const char*, 3> grids{"grid1", "grid2", "grid3"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double cells = transform.get(grids[axis]);
      EXPECT_TRUE(modes[axis] == 2 ? cells == 1 : cells >= 300) << cells;
    }
    EXPECT_EQ(transform.get("transforms"), 1);
    EXPECT_EQ(transform.get("points"), 90000);
    (void)transform.execute(random_values<double>(transform.size_of(To::points), 1));
    EXPECT_LE(transform.get("memory_bytes"), 3 * slice.get("memory_bytes"));
    EXPECT_GE(transform.get("peak_bytes"), transform.get("memory_bytes"));
  }
}

TEST_P(ShortAxesTest, one_plan_on_many_threads) {
  for (const Sizes& modes : std::vector<Sizes>{{2, 80, 60}, {80, 60, 3}}) {
    const Spec spec{.modes = modes, .tolerance = 1e-9, .options = {.threads = 2}};
    Transform<double> transform(where(), spec);
    const auto points = uniform_points<double>(3, 20);
    transform.set_points(points);
    std::array<double, 8> worst{};
    on_threads(8, [&](int i) {
      for (unsigned round = 0; round < 3; ++round) {
        const Errors errors = measure(transform, points, 10 * static_cast<unsigned>(i) + round);
        worst[i] = std::max({worst[i], errors.forward, errors.adjoint});
      }
    });
    for (const double error : worst) EXPECT_LE(error, 1e-9);
  }
}

OFFGRID_RUN_ON_BACKENDS(ShortAxesTest);

}  // namespace
