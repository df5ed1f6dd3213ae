// Type 3, sources to targets: forward and adjoint against direct sums, boxes of every size and place, points and targets that
// are set anew, sources in chunks, and memory that is known beforehand.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <tuple>
#include <utility>

#include "tested_type3.hpp"

namespace {

using namespace support;

class Type3Test : public BackendTest {};

// `count` places along each axis, in turn, from one end of the box to the other; or at its ends alone.
template <class T> PointSet<T> places_in_turn(const Cloud& c, int dim, std::int64_t places, std::int64_t count) {
  PointSet<T> points;
  for (int axis = 0; axis < dim; ++axis) {
    auto& x = points.axis.emplace_back();
    for (std::int64_t j = 0; j < count; ++j) {
      const double part = 2 * static_cast<double>(j % places) / static_cast<double>(places - 1) - 1;
      x.push_back(static_cast<T>(c.centre + c.half * part));
    }
  }
  return points;
}

TEST_P(Type3Test, is_the_direct_sum_in_every_dimension_precision_and_tolerance) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const std::vector<double> tolerances =
        sizeof(T) == 4 ? std::vector{1e-1, 1e-3, 1e-5} : std::vector{1e-2, 1e-6, 1e-9, 1e-12};
    for (int dim = 1; dim <= 3; ++dim)
      for (const double tolerance : tolerances)
        for (const auto& [x, s] :
             {std::pair(Cloud{3.1, 0.3}, Cloud{dim == 3 ? 12. : 40., 1.7}), std::pair(Cloud{3.1, 0.1}, Cloud{10, 0}),
              std::pair(Cloud{0.02, 55}, Cloud{700, -1e4})}) {
          Type3<T> plan(where(), dim, tolerance);
          plan.set(cloud<T>(x, dim, 150, 3), cloud<T>(s, dim, 130, 4));
          expect_within(plan, tolerance, offgrid::text(dim, "D ", sizeof(T), " ", tolerance, " S ", s.half));
        }
  });
}

TEST_P(Type3Test, of_any_product_of_the_boxes) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const double product : {1e-3, 0.1, 1.0, 30.0, 1e4, 1e6})
      for (const double x : {1e-3, 1.0, 1e5}) {
        const double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-11;
        Type3<T> plan(where(), 1, tolerance);
        plan.set(cloud<T>({x, 0.3 * x}, 1, 90, 3), cloud<T>({product / x, -0.7 * product / x}, 1, 80, 4));
        expect_within(plan, tolerance, offgrid::text("X ", x, " X S ", product));
      }
  });
}

TEST_P(Type3Test, of_one_source_one_target_none_and_all_at_one_place) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (int dim = 1; dim <= 3; ++dim)
      for (const auto& [m, k] : {std::pair(1, 1), std::pair(1, 60), std::pair(60, 1)})
        for (const double spread : {0.0, 2.0}) {
          Type3<T> plan(where(), dim, 1e-5);
          plan.set(cloud<T>({spread, 1.5}, dim, m, 3), cloud<T>({5 * spread, -3}, dim, k, 4));
          expect_within(plan, 1e-5, offgrid::text(dim, "D ", m, " sources ", k, " targets, spread ", spread));
        }
    Type3<T> plan(where(), 2, 1e-5);
    const auto some = cloud<T>({1, 0}, 2, 7, 3), none = cloud<T>({1, 0}, 2, 0, 3);
    plan.set(none, some);
    EXPECT_EQ(plan.execute({}), std::vector<std::complex<T>>(7));
    plan.set(some, none);
    EXPECT_EQ(plan.adjoint({}), std::vector<std::complex<T>>(7));
    plan.set(some, some);
    expect_within(plan, 1e-5, "after none");
  });
}

TEST_P(Type3Test, at_integers_is_a_type_1) {
  const int n = 11;
  PointSet<double> targets{{{}, {}}};
  for (int i = 0; i < n * n; ++i) {
    targets.axis[0].push_back(i % n - n / 2);
    targets.axis[1].push_back(i / n - n / 2);
  }
  const auto sources = uniform_points<double>(2, 70);
  const auto strengths = random_values<double>(70, 5);
  Type3<double> plan(where(), 2, 1e-10, {.sign = -1});
  plan.set(sources, targets);
  Transform<double> type1(where(), {.type = 1, .modes = {n, n}, .tolerance = 1e-10});
  type1.set_points(sources);
  EXPECT_LE(relative_error(plan.execute(strengths), type1.execute(strengths)), 2e-10);
}

TEST_P(Type3Test, batches_and_both_signs) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int sign : {-1, 1})
      for (const std::int64_t vectors : {2, 7}) {
        offgrid::Options options;
        options.sign = sign, options.transforms = vectors;
        Type3<T> plan(where(), 2, 1e-4, options);
        plan.set(cloud<T>({2, 1}, 2, 60, 3), cloud<T>({9, 4}, 2, 50, 4));
        expect_within(plan, 1e-4, offgrid::text(vectors, " vectors"));
      }
  });
}

// The factors of points and targets are multiplied in kernels that differ by method, or in one of their own.
TEST_P(Type3Test, by_every_method_away_from_the_origin) {
  using offgrid::Method;
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (int dim = 1; dim <= 3; ++dim)
      for (const double tolerance : {1e-2, sizeof(T) == 4 ? 1e-5 : 1e-10})
        for (const bool deterministic : {false, true})
          for (const Method method :
               {Method::automatic, Method::gm, Method::gm_sort, Method::sm, Method::sweep, Method::owner}) {
            if (deterministic && method != Method::automatic) continue;
            offgrid::Options options;
            options.sign = -1, options.transforms = 3, options.method = method, options.deterministic = deterministic;
            Type3<T> plan(where(), dim, tolerance, options);
            plan.set(cloud<T>({2, -3}, dim, 300, 3), cloud<T>({9, 14}, dim, 200, 4));
            for (int round = 0; round < 2; ++round)  // the next one may be replayed
              expect_within(plan, tolerance, offgrid::text(dim, "D ", static_cast<int>(method), " round ", round));
          }
  });
}

TEST_P(Type3Test, points_in_their_boxes_keep_the_grid_and_others_are_refused) {
  Type3<double> plan(where(), 2, 1e-8);
  plan.plan().set_boxes({{-1, -1}, {1, 1}}, {{-20, 0}, {20, 30}});
  EXPECT_GT(plan.plan().get("memory_bytes"), 0);
  EXPECT_THROW(plan.plan().execute(nullptr, nullptr, nullptr), offgrid::Error);
  const double grid = plan.plan().get("grid1");
  for (unsigned seed = 1; seed <= 3; ++seed) {
    plan.set_points(points_between<double>(-1, 1, 2, 50 * seed, seed));
    plan.set_targets(points_between<double>(0, 20, 2, 40, seed + 9));
    expect_within(plan, 1e-8, offgrid::text("seed ", seed));
    EXPECT_EQ(plan.plan().get("grid1"), grid);
  }
  EXPECT_THROW(plan.set_points(points_between<double>(0, 1.5, 2, 500, 1)), offgrid::Error);
  EXPECT_THROW(plan.set_targets(points_between<double>(-40, 0, 2, 500, 1)), offgrid::Error);
  expect_within(plan, 1e-8, "after a refusal");
}

// Grids for many points all over their box would not keep the tolerance for a few of them, nor for those at its ends.
TEST_P(Type3Test, points_set_alone_that_need_finer_grids_are_refused) {
  Type3<double> plan(where(), 1, 1e-6);
  const auto many = [](unsigned seed) { return points_between<double>(-1, 1, 1, 3000, seed); };
  const auto far = [](unsigned seed) { return points_between<double>(-90, 90, 1, 3000, seed); };
  const auto few = points_between<double>(-0.9, 0.9, 1, 30, 7), ends = places_in_turn<double>({0.99, 0}, 1, 2, 3000);
  plan.set(many(1), far(2));
  for (const auto& points : {few, ends}) {
    EXPECT_THROW(plan.set_points(points), offgrid::Error);
    EXPECT_THROW(plan.set_targets(points), offgrid::Error);
    expect_within(plan, 1e-6, "after a refusal");
  }
  plan.set_points(many(3));
  plan.set_targets(far(4));
  expect_within(plan, 1e-6, "others that are all over their boxes");

  // The last chunk of a sum may be a few points.
  const auto strengths = random_values<double>(3000, 1), last = random_values<double>(30, 2);
  plan.add(strengths);
  EXPECT_NO_THROW(plan.set_points(few));
  EXPECT_THROW(plan.execute(last), offgrid::Error);
  plan.add(last);
  Sums truth = oracle::direct_type3<double>(1, axes_of(many(3)), strengths, axes_of(far(4)));
  const Sums more = oracle::direct_type3<double>(1, axes_of(few), last, axes_of(far(4)));
  for (std::size_t k = 0; k < truth.size(); ++k) truth[k] += more[k];
  EXPECT_LE(relative_error(plan.finish(), truth), 1e-6);
  EXPECT_THROW(plan.add(last), offgrid::Error);
  EXPECT_THROW(plan.set_points(few), offgrid::Error);
}

TEST_P(Type3Test, sources_in_chunks_add_up) {
  const int chunks = 4;
  Type3<double> plan(where(), 3, 1e-9, {.transforms = 2});
  plan.plan().set_boxes({{-1, -2, 0}, {1, 2, 1}}, {{-9, -9, 5}, {9, 9, 11}});
  const auto targets = points_between<double>(5, 9, 3, 35, 9);
  plan.set_targets(targets);
  Sums truth(70);
  for (unsigned chunk = 0; chunk < chunks; ++chunk) {
    const auto sources = points_between<double>(0, 1, 3, 20 + chunk, chunk);
    const auto strengths = random_values<double>(2 * sources.count(), chunk + 50);
    plan.set_points(sources);
    plan.add(strengths);
    for (int v = 0; v < 2; ++v) {
      const auto one = std::span(strengths).subspan(v * sources.count(), sources.count());
      const Sums sum = oracle::direct_type3<double>(1, axes_of(sources), one, axes_of(targets));
      for (int k = 0; k < 35; ++k) truth[v * 35 + k] += sum[k];
    }
  }
  EXPECT_LE(relative_error(plan.finish(), truth), 1e-9);
  EXPECT_EQ(plan.finish(), std::vector<std::complex<double>>(70));  // a new sum
}

// Rounding of equal terms has a bias: the error was 3.1e-5.
TEST_P(Type3Test, thousands_of_equal_chunks_keep_the_tolerance) {
  constexpr int chunks = 10'000;
  const PointSet<float> point{{{0.3F}}}, targets = points_between<float>(-3, 3, 1, 20, 1);
  const std::complex<float> strength(0.1F, 0.3F);
  Type3<float> plan(where(), 1, 1e-5);
  plan.plan().set_boxes({{-1}, {1}}, {{-3}, {3}});
  plan.set_targets(targets);
  plan.set_points(point);
  DeviceArray<std::complex<float>> strengths(where(), {strength});
  for (int chunk = 0; chunk < chunks; ++chunk) plan.plan().add_sources(strengths.data(), nullptr);
  Sums truth = oracle::direct_type3<float>(1, axes_of(point), std::vector{strength}, axes_of(targets));
  for (auto& value : truth) value *= chunks;
  EXPECT_LE(relative_error(plan.finish(), truth), 1e-5);
}

// The stages still have the earlier targets, more of them than the values that the caller has room for.
TEST_P(Type3Test, points_after_an_empty_set_do_not_meet_earlier_targets) {
  const auto many = cloud<double>({1, 0}, 2, 90, 3), few = cloud<double>({1, 0}, 2, 7, 4),
             none = cloud<double>({1, 0}, 2, 0, 5);
  for (const bool by_boxes : {false, true}) {
    Type3<double> plan(where(), 2, 1e-6);
    if (by_boxes) plan.plan().set_boxes({{-1, -1}, {1, 1}}, {{-1, -1}, {1, 1}});
    plan.set(many, many);
    plan.set(none, few);
    EXPECT_EQ(plan.execute({}), std::vector<std::complex<double>>(7));
    plan.set_points(many);
    if (!by_boxes) {
      EXPECT_THROW(plan.execute(random_values<double>(90, 1)), offgrid::Error);
      EXPECT_THROW(plan.finish(), offgrid::Error);
      plan.set_targets(few);
    }
    expect_within(plan, 1e-6, "targets that were set with no points");
  }
}

TEST_P(Type3Test, points_and_targets_that_were_set_beside_none_stay_in_boxes) {
  const auto some = points_between<double>(-1, 1, 2, 40, 3), others = points_between<double>(-9, 9, 2, 30, 4);
  const auto none = points_between<double>(0, 1, 2, 0, 5);
  const auto strengths = random_values<double>(40, 6);
  Type3<double> plan(where(), 2, 1e-6);
  plan.plan().set_boxes({{-1, -1}, {1, 1}}, {{-9, -9}, {9, 9}});
  plan.set(none, others);
  plan.set_points(some);
  expect_within(plan, 1e-6, "targets stay");
  plan.set(some, none);
  EXPECT_EQ(plan.execute(strengths), std::vector<std::complex<double>>());
  plan.set_targets(others);
  expect_within(plan, 1e-6, "points stay");
  plan.set(none, others);
  plan.add({});
  plan.set_points(some);
  plan.add(strengths);
  EXPECT_LE(plan.error(1, some, strengths, others, plan.finish()), 1e-6);
}

TEST_P(Type3Test, a_sum_over_no_points_is_zero_without_boxes_too) {
  const auto some = points_between<double>(-1, 1, 1, 40, 3), none = points_between<double>(0, 1, 1, 0, 5);
  Type3<double> plan(where(), 1, 1e-6);
  for (int round = 0; round < 2; ++round) {
    plan.set(none, some);
    plan.add({});
    EXPECT_EQ(plan.finish(), std::vector<std::complex<double>>(40));
    plan.set(some, some);  // the grids of which stay
  }
}

// What is set in one call replaced the boxes, always where results are to be deterministic.
TEST_P(Type3Test, boxes_stay_where_both_sides_are_set_in_one_call) {
  for (const bool deterministic : {false, true}) {
    Type3<double> plan(where(), 1, 1e-6, {.deterministic = deterministic});
    plan.plan().set_boxes({{-1}, {1}}, {{-90}, {90}});
    const double grid = plan.plan().get("grid1");
    const auto near = points_between<double>(-0.5, 0.5, 1, 50, 1), far = points_between<double>(-20, 20, 1, 40, 2);
    plan.set(near, far);
    EXPECT_EQ(plan.plan().get("grid1"), grid);
    expect_within(plan, 1e-6, "in the boxes");
    EXPECT_THROW(plan.set(far, far), offgrid::Error);
    EXPECT_THROW(plan.set(near, points_between<double>(0, 100, 1, 50, 1)), offgrid::Error);
    EXPECT_EQ(plan.plan().get("grid1"), grid);
    expect_within(plan, 1e-6, "after a refusal");
  }
}

TEST_P(Type3Test, keeps_its_grid_for_points_that_are_much_like_the_last) {
  Type3<float> plan(where(), 3, 1e-4);
  plan.set(points_between<float>(-1, 1, 3, 4000, 1), points_between<float>(-9, 9, 3, 4000, 2));
  const std::string before = plan.plan().describe();
  plan.set(points_between<float>(-1, 1, 3, 4000, 5), points_between<float>(-9, 9, 3, 4000, 6));
  EXPECT_EQ(plan.plan().describe(), before);
  plan.set(points_between<float>(-1, 1, 3, 40, 5), points_between<float>(-2, 2, 3, 40, 6));
  EXPECT_NE(plan.plan().describe(), before);
  expect_within(plan, 1e-4, "a smaller box");
}

TEST_P(Type3Test, refuses_what_does_not_fit_and_what_is_not_finite) {
  Type3<double> plan(where(), 3, 1e-9);
  try {
    plan.plan().set_boxes({{-1e4, -1e4, -1e4}, {1e4, 1e4, 1e4}}, {{-1e3, -1e3, -1e3}, {1e3, 1e3, 1e3}});
    FAIL() << "no refusal";
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), offgrid::Status::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("iB"), std::string::npos) << error.what();
  }
  auto points = points_between<double>(-1, 1, 3, 20, 1);
  plan.set(points, points);
  auto bad = points;
  bad.axis[2][7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(plan.set(bad, points), offgrid::Error);
  bad.axis[2][7] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(plan.set(points, bad), offgrid::Error);
  expect_within(plan, 1e-9, "after a refusal");
}

TEST_P(Type3Test, over_all_pairs_is_the_direct_sum) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const double bound = sizeof(T) == 4 ? 5e-7 : 1e-14;
    for (int dim = 1; dim <= 3; ++dim)
      for (const std::int64_t vectors : {1, 2, 5})
        for (const auto& [m, k] : {std::pair(1, 1), std::pair(300, 41), std::pair(33, 500)})
          for (const auto& [x, s] :
               {std::pair(Cloud{3.1, 0.3}, Cloud{40, 1.7}), std::pair(Cloud{0.02, 5}, Cloud{700, -1e4})}) {
            Type3<T> plan(where(), dim, 1e-3,
                          {.sign = vectors == 2 ? -1 : 1, .transforms = vectors, .type3 = Type3Method::direct});
            plan.set(cloud<T>(x, dim, m, 3), cloud<T>(s, dim, k, 4));
            expect_within(plan, bound, offgrid::text(dim, "D ", sizeof(T), " ", vectors, " vectors ", m, " x ", k));
          }
  });
}

// Rounding of equal terms has a bias.
TEST_P(Type3Test, over_all_pairs_keeps_the_digits_of_equal_terms) {
  constexpr std::int64_t count = 100'000;
  Type3<float> plan(where(), 1, 1e-3, {.type3 = Type3Method::direct});
  plan.set(PointSet<float>{{std::vector<float>(count, 0.7F)}}, PointSet<float>{{{0.1F, 3.0F}}});
  const auto values = plan.execute(std::vector<std::complex<float>>(count, {0.3F, 0.1F}));
  for (std::size_t k = 0; k < 2; ++k) {
    const double angle = 0.7F * (k == 0 ? 0.1F : 3.0F);
    const std::complex<double> truth = std::polar(static_cast<double>(count), angle) * std::complex<double>(0.3F, 0.1F);
    EXPECT_LE(std::abs(std::complex<double>(values[k]) - truth), 5e-7 * std::abs(truth)) << k;
  }
}

TEST_P(Type3Test, few_points_are_summed_over_all_pairs_and_chunks_take_grids) {
  const auto plan_of = [&] {
    return offgrid::make_plan({3, 2, {1, 1, 1}, offgrid::Precision::f64, 1e-9}, {}, where().backend);
  };
  const auto describes_pairs = [](const offgrid::AnyPlan& plan) {
    return plan.describe().find("all pairs") != std::string::npos;
  };
  const auto few = points_between<double>(-1, 1, 2, 20, 1), targets = points_between<double>(-30, 30, 2, 25, 2);
  const auto others = points_between<double>(-0.9, 0.9, 2, 30, 3);
  std::vector<DeviceArray<double>> x, s, y;
  for (int axis = 0; axis < 2; ++axis) {
    x.emplace_back(where(), few.axis[axis]);
    s.emplace_back(where(), targets.axis[axis]);
    y.emplace_back(where(), others.axis[axis]);
  }
  const auto plan = plan_of();
  plan->set_points_and_targets({20, {x[0].data(), x[1].data()}}, {25, {s[0].data(), s[1].data()}}, nullptr);
  EXPECT_TRUE(describes_pairs(*plan)) << plan->describe();
  EXPECT_EQ(plan->get("grid1"), 1);
  EXPECT_GT(plan->get("memory_bytes"), 0);
  const auto c = random_values<double>(20, 5), d = random_values<double>(30, 6);
  DeviceArray<std::complex<double>> strengths(where(), c), more(where(), d);
  DeviceArray<std::complex<double>> values(where(), std::vector<std::complex<double>>(25));
  plan->execute(strengths.data(), values.data(), nullptr);
  const Sums first = oracle::direct_type3<double>(1, axes_of(few), c, axes_of(targets));
  EXPECT_LE(relative_error(values.host(), first), 1e-13);
  plan->add_sources(strengths.data(), nullptr);
  EXPECT_FALSE(describes_pairs(*plan));
  plan->set_points(30, {y[0].data(), y[1].data()}, nullptr);
  plan->add_sources(more.data(), nullptr);
  plan->finish(values.data(), nullptr);
  Sums both = oracle::direct_type3<double>(1, axes_of(others), d, axes_of(targets));
  for (std::size_t k = 0; k < both.size(); ++k) both[k] += first[k];
  EXPECT_LE(relative_error(values.host(), both), 1e-9);
}

// The grids would take 4 EiB.
TEST_P(Type3Test, few_points_whose_grids_do_not_fit_are_summed_over_all_pairs) {
  const auto points = points_between<double>(-1e4, 1e4, 3, 10, 1),
             targets = points_between<double>(-100, 100, 3, 10, 2);
  Type3<double> by_grids(where(), 3, 1e-6);
  EXPECT_THROW(by_grids.set(points, targets), offgrid::Error);
  Type3<double> plan(where(), 3, 1e-6, {}, Type3Method::automatic);
  plan.set(points, targets);
  expect_within(plan, 1e-9, "10 points");
  const auto many = points_between<double>(-1e4, 1e4, 3, 400'000, 3);
  try {
    plan.set(many, many);
    FAIL() << "no refusal of 1.6e11 pairs";
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), offgrid::Status::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("type3 = direct"), std::string::npos) << error.what();
  }
  expect_within(plan, 1e-9, "after a refusal");
}

TEST_P(Type3Test, refused_calls_leave_a_sum_over_all_pairs) {
  Type3<double> plan(where(), 1, 1e-6, {}, Type3Method::automatic);
  const auto points = points_between<double>(-1, 1, 1, 20, 1), targets = points_between<double>(-9, 9, 1, 20, 2);
  plan.set(points, targets);
  const std::string before = plan.plan().describe();
  ASSERT_NE(before.find("all pairs"), std::string::npos) << before;
  EXPECT_THROW(plan.set_points(targets), offgrid::Error);
  EXPECT_THROW(plan.set_targets(points_between<double>(0, 10, 1, 20, 2)), offgrid::Error);
  EXPECT_THROW(plan.plan().add_sources(nullptr, nullptr), offgrid::Error);
  EXPECT_EQ(plan.plan().describe(), before);
}

// Half widths whose reciprocals are infinite.
TEST_P(Type3Test, boxes_of_denormal_widths) {
  PointSet<double> tiny{{{0, 1e-310}}}, one{{{0.5, 0.5}}}, usual{{{0, 1}}};
  for (const auto& [points, targets] : {std::pair(usual, tiny), std::pair(tiny, usual), std::pair(tiny, one),
                                        std::pair(one, tiny), std::pair(tiny, tiny)})
    for (const Type3Method method : {Type3Method::grid, Type3Method::direct}) {
      Type3<double> plan(where(), 1, 1e-6, {.type3 = method});
      plan.set(points, targets);
      expect_within(plan, 1e-6, plan.plan().describe());
    }
}

// The ends of the box wherever they are among the points, and what is not finite.
TEST_P(Type3Test, the_box_of_any_number_of_points) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const auto pointwise = where().backend.pointwise<T>()({});
    for (const std::int64_t count : {1, 2, 33, 511, 2049, 10'007, 1'000'003}) {
      auto points = points_between<T>(-1, 1, 3, count, 5);
      const auto extent = [&] {
        PlacedPoints<T> placed(where(), points);
        return pointwise->find_extent("points", placed.points(), 3, nullptr);
      };
      for (int axis = 0; axis < 2; ++axis) {
        points.axis[axis][(axis + 1) * (count - 1) / 3] = T(axis + 1.25);
        points.axis[axis][axis * (count - 1) / 2] = T(-axis - 2.5);
      }
      for (T& x : points.axis[2]) x = count % 2 == 0 ? T(0) : T(-3e-30);  // all at one place
      offgrid::Box box;
      for (int axis = 0; axis < 3; ++axis) {
        const auto [low, high] = std::minmax_element(points.axis[axis].begin(), points.axis[axis].end());
        box.low[axis] = *low;
        box.high[axis] = *high;
      }
      EXPECT_EQ(extent().box, box) << count;
      for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                          -std::numeric_limits<T>::infinity()})
        for (const int axis : {0, 2}) {
          T& broken = points.axis[axis][axis == 0 ? count - 1 : count / 2];
          const T right = std::exchange(broken, bad);
          EXPECT_THROW(extent(), offgrid::Error) << count << " " << bad;
          broken = right;
        }
    }
  });
}

// Inputs that are meant to break the bound: boxes, places, clusters, numbers and tolerances at random, for a while.
TEST_P(Type3Test, keeps_the_tolerance_for_random_boxes) {
  const char* seed = std::getenv("OFFGRID_TYPE3_SEED");
  std::mt19937_64 generator(seed != nullptr ? std::strtoul(seed, nullptr, 10) : 20261118);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  };
  const auto start = std::chrono::steady_clock::now();
  for (int trial = 0; trial < 400 && std::chrono::steady_clock::now() - start < std::chrono::seconds(6); ++trial)
    for_both_precisions([&](auto zero) {
      using T = decltype(zero);
      const int dim = 1 + static_cast<int>(generator() % 3);
      const double tolerance = std::pow(10.0, uniform(sizeof(T) == 4 ? -5 : -12, -1));
      const double product = std::pow(10.0, uniform(-2, dim == 1 ? 4 : dim == 2 ? 2 : 1.2));
      const double x = std::pow(10.0, uniform(-3, 3));
      const auto count = [&] { return static_cast<std::int64_t>(std::pow(10.0, uniform(0, 2.3))); };
      auto sources = cloud<T>({x, x * uniform(-3, 3)}, dim, count(), static_cast<unsigned>(generator()));
      auto targets =
          cloud<T>({product / x, product / x * uniform(-3, 3)}, dim, count(), static_cast<unsigned>(generator()));
      if (generator() % 4 == 0)  // at the ends of the box alone, where the kernel's transform is smallest
        for (auto& axis : targets.axis)
          for (T& s : axis) s = s < axis[0] ? *std::min_element(axis.begin(), axis.end()) : s;
      Type3<T> plan(where(), dim, tolerance);
      plan.set(sources, targets);
      const Errors errors = plan.measure(static_cast<unsigned>(trial));
      EXPECT_LE(std::max(errors.forward, errors.adjoint), tolerance)
          << dim << "D bits " << 8 * sizeof(T) << " X " << x << " X S " << product << " sources " << sources.count()
          << " targets " << targets.count() << "\n"
          << plan.plan().describe();
    });
}

// Nothing averages the kernel's error then: it is met at one place, at the ends of both boxes where it is largest.
TEST_P(Type3Test, a_single_strength_keeps_the_tolerance_wherever_it_is) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (int dim = 1; dim <= 3; ++dim)
      for (const double tolerance : {1e-1, 1.2e-2, 8e-4, sizeof(T) == 4 ? 2.2e-5 : 1e-9})
        for (const auto& [places, target_places, targets] :
             {std::tuple(7, 12, 1200), std::tuple(2, 2, 4), std::tuple(37, 2, 3), std::tuple(9, 64, 1100)}) {
          const double product = dim == 1 ? 700 : dim == 2 ? 40 : 9;
          Type3<T> plan(where(), dim, tolerance);
          const auto sources = places_in_turn<T>({10, 3}, dim, places, places);
          const auto at = places_in_turn<T>({product / 10, 20}, dim, target_places, targets);
          plan.set(sources, at);
          for (std::int64_t j = 0; j < sources.count(); ++j) {
            std::vector<std::complex<T>> strengths(static_cast<std::size_t>(sources.count()));
            strengths[static_cast<std::size_t>(j)] = 1;
            EXPECT_LE(plan.error(plan.sign(), sources, strengths, at, plan.execute(strengths)), tolerance)
                << dim << "D bits " << 8 * sizeof(T) << " strength " << j << " of " << places << ", " << targets
                << " targets at " << target_places << " places\n"
                << plan.plan().describe();
          }
        }
  });
}

// Phases of up to 10^9 turns, from boxes thousands of times as far from 0 as they are wide: the rates of the phases were right
// to the 64 bits of a long double, and errors of 1e-12 became 5e-11.
TEST_P(Type3Test, boxes_that_are_very_far_away_keep_the_tolerance_in_double) {
  for (int dim = 1; dim <= 3; ++dim)
    for (const auto& [x, s] :
         {std::pair(Cloud{1.3e6, 3.2e9}, Cloud{7e-5, 0.3757}), std::pair(Cloud{2, -3e4}, Cloud{9, 2e5})})
      for (unsigned seed = 1; seed <= 4; ++seed) {
        Type3<double> plan(where(), dim, 2e-12);
        plan.set(cloud<double>(x, dim, 30, seed), cloud<double>(s, dim, 20, seed + 10));
        expect_within(plan, 2e-12, offgrid::text("dim ", dim, " centres ", x.centre, " ", s.centre, " seed ", seed));
      }
}

OFFGRID_RUN_ON_BACKENDS(Type3Test);

}  // namespace
